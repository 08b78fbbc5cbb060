/** The invocations that ended in the last hour: counts by outcome and a bar for each minute, live or counted on demand. */
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { EndedBody, EndedMinuteBody } from "../../../shared/api/contract/overview.ts";
import { problemOf, type ApiProblem } from "../../data/api.ts";
import { peekNowMs } from "../../data/clock.ts";
import { barsOf, MinuteCounts, sumOf, type Bar } from "../../model/ended-bars.ts";
import { listHref } from "../../model/invocation-filter.ts";
import { countText } from "../../model/size-text.ts";
import { momentOf, momentText } from "../../model/time-text.ts";
import { Exact } from "../../parts/moment.tsx";
import { ProblemBox } from "../../parts/states.tsx";
import { TableHead } from "../../parts/table-head.tsx";
import { CountRow } from "./count-row.tsx";
import { listingPages } from "../../data/listing.ts";
import { isUtc } from "../../data/preferences.ts";

const HOUR_MS = 3_600_000;
/** Bounds the price: reading one invocation mostly takes half a read unit, and reading the index takes some more. */
const COUNTED_MAX = 5_000;
const PAGE = 500;
const HEIGHT = 120;
const STEP = 10;
const WIDTH = 8;

/** @param ended absent if several processes end invocations, because then no process has all counts in its memory */
export function EndedPart({ ended }: { readonly ended: EndedBody | undefined }): JSX.Element {
  return ended === undefined ? <OnDemand /> : <Ended ended={ended} isWhole />;
}

function Ended({ ended, isWhole }: { readonly ended: EndedBody; readonly isWhole: boolean }): JSX.Element {
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
              href={listHref({ outcome: [outcome] })}
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

interface CountedHour {
  readonly ended: EndedBody;
  /** False if the bound ended the count. */
  readonly isWhole: boolean;
}

/** Counts only invocations that were accepted in the last hour, because the list is sorted by acceptance. @throws ApiProblem */
async function countLastHour(aborted: AbortSignal, onProgress: (counted: number) => void): Promise<CountedHour> {
  const nowMs = peekNowMs();
  const counts = new MinuteCounts(nowMs);
  const since = new Date(nowMs - HOUR_MS).toISOString();
  const query = new URLSearchParams({ status: "completed", limit: String(PAGE), created_after: since });
  let counted = 0;
  for await (const { invocations } of listingPages({ query, signal: aborted }, { requestsMax: Infinity })) {
    for (const { completed_at: at, outcome } of invocations) counts.add(momentOf(at), outcome);
    counted += invocations.length;
    onProgress(counted);
    if (counted >= COUNTED_MAX) return { ended: { since, minutes: counts.minutes }, isWhole: false };
  }
  return { ended: { since, minutes: counts.minutes }, isWhole: true };
}

function EndedChart({ minutes }: { readonly minutes: readonly EndedMinuteBody[] }): JSX.Element {
  const { bars, top } = barsOf(minutes);
  const sum = sumOf(minutes);
  const ended = sum.succeeded + sum.failed + sum.cancelled + sum.killed;
  return (
    <figure class="ended-chart" aria-labelledby="chart-title">
      <figcaption id="chart-title">
        <span class="chart-key">
          <span class="swatch ended" aria-hidden="true" /> ended
        </span>
        <span class="chart-key">
          <span class="swatch failed" aria-hidden="true" /> failed
        </span>
        <span class="dim">each minute of the last hour</span>
      </figcaption>
      <div class="chart-field">
        <span class="chart-top number dim">{countText(top)}</span>
        <svg
          role="img"
          aria-label={`In the last hour ${countText(ended)} ended, of which ${countText(sum.failed)} failed.`}
          viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`}
          preserveAspectRatio="none"
        >
          <defs>
            <pattern id="hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect class="hatch-ground" width="4" height="4" />
              <rect class="hatch-line" width="1.5" height="4" />
            </pattern>
          </defs>
          {bars.map((bar, at) => (
            <BarMark key={bar.at} bar={bar} x={at * STEP} />
          ))}
        </svg>
      </div>
      <div class="chart-axis number dim" aria-hidden="true">
        <span>{clockText(bars[0]?.at)}</span>
        <span>{clockText(bars[30]?.at)}</span>
        <span>now</span>
      </div>
      <details>
        <summary>As a table</summary>
        <ChartTable bars={bars} />
      </details>
    </figure>
  );
}

function BarMark({ bar, x }: { readonly bar: Bar; readonly x: number }): JSX.Element {
  const { at, ended, failed, endedHeight, failedHeight } = bar;
  return (
    <g class="bar">
      <title>{`${clockText(at)}: ${countText(ended)} ended, ${countText(failed)} failed`}</title>
      <rect class="bar-hit" x={x} y={0} width={STEP} height={HEIGHT} />
      <rect class="bar-ended" x={x + 1} y={HEIGHT * (1 - endedHeight)} width={WIDTH} height={HEIGHT * endedHeight} />
      <rect
        class="bar-failed"
        fill="url(#hatch)"
        x={x + 1}
        y={HEIGHT * (1 - failedHeight)}
        width={WIDTH}
        height={HEIGHT * failedHeight}
      />
    </g>
  );
}

function ChartTable({ bars }: { readonly bars: readonly Bar[] }): JSX.Element {
  const busy = bars.filter(({ ended }) => ended > 0).toReversed();
  if (busy.length === 0) return <p class="dim">Nothing ended in the last hour.</p>;
  return (
    <table class="plain chart-table">
      <TableHead columns={["Minute", { words: "Ended", class: "right" }, { words: "Failed", class: "right" }]} />
      <tbody>
        {busy.map(({ at, ended, failed }) => (
          <tr key={at}>
            <td class="number">{clockText(at)}</td>
            <td class="number right">{countText(ended)}</td>
            <td class="number right">{countText(failed)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** `14:03`, in the reader's zone. */
function clockText(at: string | undefined): string {
  const ms = momentOf(at);
  return ms === undefined ? "" : momentText(ms, ms, isUtc.value).slice(6, 11);
}
