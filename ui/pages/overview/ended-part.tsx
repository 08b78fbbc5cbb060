/** The invocations that ended in the last hour: counts by outcome and a bar for each minute, live or counted on demand. */
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { EndedBody } from "../../../shared/api/contract/overview.ts";
import { type ApiProblem, problemOf } from "../../data/api.ts";
import { peekNowMs } from "../../data/clock.ts";
import { sumOf } from "../../model/ended-bars.ts";
import { hrefTo } from "../../model/route.ts";
import { countText } from "../../model/size-text.ts";
import { momentOf } from "../../model/time-text.ts";
import { Exact } from "../../parts/moment.tsx";
import { ProblemBox } from "../../parts/states.tsx";
import { CountRow } from "./count-row.tsx";
import { countLastHour, COUNTED_MAX } from "./count-last-hour.ts";
import { EndedChart } from "./ended-chart.tsx";

const HOUR_MS = 3_600_000;

/** @param ended absent if several processes end invocations, because then no process has all counts in its memory */
export function EndedPart({ ended }: { readonly ended: EndedBody | undefined }): JSX.Element {
  return ended === undefined ? <OnDemand /> : <Ended ended={ended} isWhole />;
}

export function Ended({ ended, isWhole }: { readonly ended: EndedBody; readonly isWhole: boolean }): JSX.Element {
  const sum = sumOf(ended.minutes);
  const isYoung = (momentOf(ended.since) ?? 0) > peekNowMs() - HOUR_MS + 60_000;
  return (
    <>
      <section class="counts" aria-labelledby="ended">
        <h2 id="ended">Ended in the last hour</h2>
        <ul>
          {(["succeeded", "failed", "cancelled", "killed"] as const).map((outcome) => (
            <CountRow
              key={outcome}
              outcome={outcome}
              count={sum[outcome]}
              isAtLeast={!isWhole}
              href={hrefTo("invocations", [], { outcome })}
            />
          ))}
        </ul>
        {isWhole && isYoung && (
          <p class="dim small">
            Counted since the start of the server, <Exact at={ended.since} />
          </p>
        )}
      </section>
      <EndedChart minutes={ended.minutes} />
    </>
  );
}

type Stage =
  | { readonly kind: "asking" }
  | { readonly kind: "counting"; readonly counted: number }
  | { readonly kind: "counted"; readonly ended: EndedBody; readonly isWhole: boolean };

function OnDemand(): JSX.Element {
  const [stage, setStage] = useState<Stage>({ kind: "asking" });
  const [problem, setProblem] = useState<ApiProblem>();
  // Each read has a price, so the count ends when the reader leaves the page.
  const left = useMemo(() => new AbortController(), []);
  useEffect(() => () => left.abort(), []);
  const count = async (): Promise<void> => {
    setProblem(undefined);
    setStage({ kind: "counting", counted: 0 });
    try {
      const told = await countLastHour(left.signal, (counted) => setStage({ kind: "counting", counted }));
      setStage({ kind: "counted", ...told });
    } catch (error) {
      setProblem(problemOf(error));
      setStage({ kind: "asking" });
    }
  };
  if (stage.kind === "counted")
    return (
      <>
        <Ended ended={stage.ended} isWhole={stage.isWhole} />
        <p class="dim small on-demand-note">
          Only invocations that were accepted in the last hour are counted
          {stage.isWhole ? "" : `, and of these the newest ${countText(COUNTED_MAX)}`}.{" "}
          <button type="button" class="quiet" onClick={() => void count()}>
            Count again
          </button>
        </p>
      </>
    );
  return (
    <section class="counts on-demand" aria-labelledby="ended">
      <h2 id="ended">Ended in the last hour</h2>
      {problem !== undefined && <ProblemBox problem={problem} />}
      <p>
        Each read has a price here, so this is counted on demand: it reads at most {countText(COUNTED_MAX)} ended
        invocations, for some {countText((COUNTED_MAX * 6) / 10)} read units, or $0.0004 at list price.
      </p>
      <button type="button" disabled={stage.kind === "counting"} onClick={() => void count()}>
        {stage.kind === "counting" ? `Counting … ${countText(stage.counted)}` : "Count the last hour"}
      </button>
    </section>
  );
}
