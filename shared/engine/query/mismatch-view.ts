/** Shows a journal mismatch (RT0016): both sides entry by entry, the deployments behind them, and the ways out. */
import type { Entry } from "../../core/invocation/entry.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import { spokenCommand } from "../../core/invocation/mismatch.ts";
import { formerCodeOf, waysOut } from "../../core/invocation/ways-out.ts";
import { keptName, type Mismatch } from "../../core/model/attempt-failure.ts";
import { addressOf, type Deployment } from "../../core/model/deployment.ts";
import type { DeploymentId } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { knownNow } from "../operate/known-now.ts";
import { factsOf, commandPlaces } from "../operate/entry-view.ts";
import type { MismatchSide, MismatchView } from "../ports/submission.ts";
import type { Loaded } from "../store/load.ts";
import { recorderOf } from "../store/recorder.ts";

/** The number of commands that are shown before the difference, and after it. */
const AROUND = 3;

/** @returns undefined if the last failure is no mismatch */
export async function mismatchView(
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
