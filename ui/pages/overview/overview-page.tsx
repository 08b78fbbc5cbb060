/** The overview: the troubles that need an operator, the counts of open invocations, and what ended in the last hour. */
import type { JSX } from "preact";
import type { DeploymentSummaryBody } from "../../../shared/api/contract/deployments.ts";
import type { OverviewBody } from "../../../shared/api/contract/overview.ts";
import { ask, readsHaveAPrice } from "../../data/api.ts";
import { peekNowMs } from "../../data/clock.ts";
import { usePolled } from "../../data/polled.ts";
import { LoadedView } from "../../parts/states.tsx";
import { EndedPart } from "./ended-part.tsx";
import { NeedsList } from "./needs-list.tsx";
import { listHref } from "../../model/invocation-filter.ts";
import { hrefTo } from "../../model/route.ts";
import { CountRow } from "./count-row.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";

interface Overview {
  readonly body: OverviewBody;
  readonly deployments: readonly DeploymentSummaryBody[];
  readonly atMs: number;
}

/** One answer reads the whole open index, which costs money where reads have a price. */
const PRICED_EVERY_MS = 60_000;

export function OverviewPage(): JSX.Element {
  const polled = usePolled("overview", load, readsHaveAPrice.value ? { everyMs: PRICED_EVERY_MS } : {});
  return (
    <div class="overview">
      <LoadedView loaded={polled.state.value} onRetry={() => void polled.refresh()}>
        {(overview) => <Shown overview={overview} onChange={() => void polled.refresh()} />}
      </LoadedView>
    </div>
  );
}

async function load(aborted: AbortSignal): Promise<Overview> {
  const [body, { deployments }] = await Promise.all([
    ask<OverviewBody>("internal/overview", { signal: aborted }),
    ask<{ deployments: Overview["deployments"] }>("deployments", { signal: aborted }),
  ]);
  return { body, deployments, atMs: peekNowMs() };
}

function Shown({ overview, onChange }: { readonly overview: Overview; readonly onChange: () => void }): JSX.Element {
  const { body, deployments, atMs } = overview;
  const isNew = deployments.length === 0 && body.attention.length === 0;
  return (
    <>
      <h1 class="visually-hidden">Overview</h1>
      {isNew ? <FirstRun /> : <NeedsList overview={body} deployments={deployments} atMs={atMs} onChange={onChange} />}
      <div class="overview-facts">
        <OpenCounts overview={body} />
        <EndedPart ended={body.ended} />
      </div>
      {readsHaveAPrice.value && (
        <p class="dim small">Checked once a minute, because each look reads the whole index of open invocations.</p>
      )}
    </>
  );
}

/** The statuses, in the order in which an invocation may pass through them. */
const STATUSES = ["scheduled", "pending", "ready", "running", "backing-off", "suspended", "paused"];

function OpenCounts({ overview }: { readonly overview: OverviewBody }): JSX.Element {
  const { open, at_least: isAtLeast = false } = overview;
  const total = STATUSES.reduce((sum, status) => sum + (open[status] ?? 0), 0);
  return (
    <section class="counts" aria-labelledby="open-now">
      <h2 id="open-now">Open now</h2>
      <ul>
        {STATUSES.map((status) => (
          <CountRow
            key={status}
            status={status}
            count={open[status] ?? 0}
            isAtLeast={isAtLeast}
            href={listHref({ status: [status] })}
          />
        ))}
        <CountRow words="all open" count={total} isAtLeast={isAtLeast} href={listHref({ status: ["open"] })} />
      </ul>
    </section>
  );
}

function FirstRun(): JSX.Element {
  const admin = new URL("..", document.baseURI);
  const lines = [
    { words: "With curl", line: `curl ${admin.href}deployments --json '{"uri": "http://localhost:9080"}'` },
    { words: "With the command", line: "stepwell deployments register http://localhost:9080" },
  ];
  return (
    <section class="first-run" aria-labelledby="first-run">
      <h2 id="first-run">No deployment is registered yet</h2>
      <p>
        A deployment is a server with your handlers. Start it, then tell Stepwell its address:{" "}
        <a href={hrefTo("deployments", [], { register: "new" })}>register it here</a>, or
      </p>
      <dl class="facts">
        {lines.map(({ words, line }) => (
          <div key={words} class="first-run-line">
            <dt>{words}</dt>
            <dd>
              <code class="mono">{line}</code> <CopyButton text={line} what={`the line ${words.toLowerCase()}`} />
            </dd>
          </div>
        ))}
      </dl>
      <p class="dim">
        No handlers yet? <code class="mono">stepwell example</code> makes a project with some.
      </p>
    </section>
  );
}
