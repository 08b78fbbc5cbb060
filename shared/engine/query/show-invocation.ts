/** Makes the view of one invocation for operators: its state, its deployment, its pause and what it waits for. */
import { addressOf, type Deployment } from "../../core/model/deployment.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import { deploymentOfNext } from "../admission/circuit.ts";
import type { Engine } from "../engine.ts";
import { viewOf } from "../operate/inspect.ts";
import { knownNow } from "../operate/known-now.ts";
import type { InvocationView } from "../ports/submission.ts";
import type { EntryChoice } from "../ports/view-parts.ts";
import { hasExpired, type Loaded } from "../store/load.ts";
import { loadHeads, withMoments } from "../store/operator-loads.ts";
import { mismatchView } from "./mismatch-view.ts";
import { pauseView } from "./pause-view.ts";
import { waitsFor } from "./waits-for.ts";

/**
 * @param choice the entries that the view contains
 * @returns undefined if there is no such invocation, or it has expired
 */
export async function showInvocation(
  engine: Engine,
  id: InvocationId,
  choice: EntryChoice = {},
): Promise<InvocationView | undefined> {
  const use = async (loaded: Loaded | undefined): Promise<InvocationView | undefined> => {
    if (loaded === undefined || hasExpired(loaded, engine.clock.nowMs())) return undefined;
    return await shown(engine, loaded, choice);
  };
  return choice.withValues === true ? await withMoments(engine, id, use) : await use(await loadHeads(engine, id, true));
}

async function shown(engine: Engine, loaded: Loaded, choice: EntryChoice): Promise<InvocationView> {
  const view = await viewOf(engine, loaded, choice);
  // This read also refreshes the registry in memory, in which `deploymentOfNext` finds the deployment of a service.
  const deployments = await engine.registry.deployments();
  const deployment = deploymentOf(engine, loaded, deployments);
  if (view.status === "completed") return { ...view, ...(deployment && { deployment }) };
  const pause = pauseView(engine, loaded);
  const mismatch = await mismatchView(engine, loaded, deployments);
  return {
    ...view,
    waitsFor: await waitsFor(engine, loaded),
    ...(pause && { pause }),
    ...(mismatch && { mismatch }),
    ...(deployment && { deployment }),
  };
}

/** The deployment of the next attempt. An invocation without a pin goes to the latest deployment of its service. */
function deploymentOf(
  engine: Engine,
  loaded: Loaded,
  deployments: readonly Deployment[],
): InvocationView["deployment"] {
  const invocation = knownNow(engine, loaded);
  const id =
    invocation.phase.status === "completed" ? invocation.pin?.deploymentId : deploymentOfNext(engine, invocation);
  if (id === undefined) return undefined;
  const found = deployments.find((deployment) => deployment.id === id);
  return { id, ...(found && { address: addressOf(found.destination) }) };
}
