/** Makes the view of one invocation for operators: its state, its deployment, its pause and what it waits for. */
import { addressOf, type Deployment } from "../../core/model/deployment.ts";
import type { InvocationId, DeploymentId } from "../../core/model/ids.ts";
import { deploymentOfNext } from "../admission/circuit.ts";
import type { Engine } from "../engine.ts";
import { viewOf } from "../operate/inspect.ts";
import { knownNow } from "../operate/known-now.ts";
import type { InvocationView, MismatchSide, MismatchView, EntryChoice } from "../ports/submission.ts";
import { hasExpired, type Loaded } from "../store/load.ts";
import { loadHeads, withMoments, recorderOf } from "../store/recorder.ts";
import { pauseView } from "./wait-view.ts";
import { waitsFor } from "./waits-for.ts";
import type { Entry } from "../../core/invocation/entry.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import { spokenCommand } from "../../core/invocation/mismatch.ts";
import { formerCodeOf, waysOut } from "../../core/invocation/ways-out.ts";
import { keptName, type Mismatch } from "../../core/model/attempt-failure.ts";
import { factsOf, commandPlaces } from "../operate/entry-view.ts";

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

/** The number of commands that are shown before the difference, and after it. */
const AROUND = 3;

/** @returns undefined if the last failure is no mismatch */
async function mismatchView(
  engine: Engine,
  loaded: Loaded,
  deployments: readonly Deployment[],
): Promise<MismatchView | undefined> {
  const invocation = knownNow(engine, loaded);
  const { acceptance, journal, lastFailure } = invocation;
  const mismatch = lastFailure?.mismatch;
  if (mismatch === undefined) return undefined;
  const { service } = acceptance.target;
  const code = mismatch.deploymentId as DeploymentId;
  const places = commandPlaces(journal.entries);
  const entry = mismatch.entry ?? places[mismatch.index] ?? journal.entries.length;
  const recorder = mismatch.recorded && (await recorderOf(engine, loaded, entry));
  const former = formerCodeOf(deployments, service, recorder?.deploymentId);
  return {
    entry,
    rows: rowsAround(invocation, places, mismatch, entry),
    ...(recorder && { journal: { ...sideOf(deployments, recorder.deploymentId, service), atMs: recorder.atMs } }),
    code: sideOf(deployments, code, service),
    waysOut: waysOut(invocation, { ...mismatch, entry }, former),
  };
}

function sideOf(deployments: readonly Deployment[], id: DeploymentId, service: string): MismatchSide {
  const found = deployments.find((deployment) => deployment.id === id);
  const revision = found?.services.find(({ name }) => name === service)?.revision;
  return {
    deploymentId: id,
    ...(revision !== undefined && { revision }),
    ...(found && { address: addressOf(found.destination) }),
  };
}

/** If the mismatch is behind the end of the journal, shows the journal's last commands before the mismatch. */
function rowsAround(
  { journal }: Invocation,
  places: readonly number[],
  { index, recorded, offered, field }: Mismatch,
  entry: number,
): MismatchView["rows"] {
  const at = Math.min(index, places.length);
  const textOf = (place: number) => recordedText(journal.entries[place]!, journal);
  const before = places.slice(Math.max(0, at - AROUND), at);
  const after = recorded === undefined ? [] : places.slice(at + 1, at + 1 + AROUND);
  const difference = field && ` (${field.name}: '${field.offered}' instead of '${field.recorded}')`;
  return [
    ...before.map((place) => ({ entry: place, recorded: textOf(place), offered: textOf(place) })),
    {
      entry,
      ...(recorded !== undefined && { recorded: textOf(entry) }),
      offered: `${spokenCommand(offered)}${difference ?? ""}`,
    },
    ...after.map((place) => ({ entry: place, recorded: textOf(place) })),
  ];
}

/** Most commands have no name, so their key or their target identifies them. */
function recordedText(entry: Entry, journal: Invocation["journal"]): string {
  if (entry.kind !== "command") return "";
  const { key, target, signal } = factsOf(entry, journal);
  const about = key ?? target ?? signal;
  return `${spokenCommand({ type: entry.type, name: keptName(entry.name) })}${about === undefined ? "" : ` '${keptName(about)}'`}`;
}
