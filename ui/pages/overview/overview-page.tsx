/** The overview: the troubles that need an operator, the counts of open invocations, and what ended in the last hour. */
import type { JSX } from "preact";
import type { DeploymentSummaryBody } from "../../../shared/api/contract/deployments.ts";
import type { OverviewBody } from "../../../shared/api/contract/overview.ts";
import { ask } from "../../data/api.ts";
import { peekNowMs } from "../../data/clock.ts";
import { usePolled } from "../../data/polled.ts";
import { readsHaveAPrice } from "../../data/server.ts";
import { LoadedView } from "../../parts/states.tsx";
import { EndedPart } from "./ended-part.tsx";
import { FirstRun } from "./first-run.tsx";
import { NeedsList } from "./needs-list.tsx";
import { OpenCounts } from "./open-counts.tsx";

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
