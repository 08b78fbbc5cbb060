/** Shows a journal mismatch (RT0016): both sides entry by entry, the deployments behind them, and the ways out. */
import type { Entry } from "../../core/invocation/entry.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import { spokenCommand } from "../../core/invocation/mismatch.ts";
import { segmentOfEntry } from "../../core/invocation/segment-moments.ts";
import { waysOut } from "../../core/invocation/ways-out.ts";
import type { Mismatch } from "../../core/model/attempt-failure.ts";
import { addressOf, type Deployment } from "../../core/model/deployment.ts";
import type { DeploymentId } from "../../core/model/ids.ts";
import { aboutOf, commandPlaces } from "../operate/entry-view.ts";
import type { MismatchSide, MismatchView } from "../ports/submission.ts";
import type { Loaded } from "../store/load.ts";

/** The number of commands that are shown before the difference, and after it. */
const AROUND = 3;

/**
 * @param invocation as loaded, or newer from the memory of a driver
 * @returns undefined if the last failure is no mismatch
 */
export function mismatchView(
  { moments = [] }: Loaded,
  invocation: Invocation,
  deployments: readonly Deployment[],
): MismatchView | undefined {
  const { acceptance, journal, lastFailure } = invocation;
  const mismatch = lastFailure?.mismatch;
  if (mismatch === undefined) return undefined;
  const { service } = acceptance.target;
  const code = mismatch.deploymentId as DeploymentId;
  const places = commandPlaces(journal.entries);
  const entry = places[mismatch.index] ?? journal.entries.length;
  const segment = segmentOfEntry(moments, entry);
  const recorder = segment?.deploymentId;
  const side = (id: DeploymentId): MismatchSide => sideOf(deployments, id, service);
  return {
    entry,
    rows: rowsAround(invocation, places, mismatch, entry),
    ...(recorder && { journal: { ...side(recorder), atMs: segment!.atMs } }),
    code: side(code),
    waysOut: waysOut(invocation, { ...mismatch, entry }, formerCode(deployments, service, code, recorder)),
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

/** The deployment that recorded the differing entry; if it is gone or is `code` itself, the youngest other one of the service. */
function formerCode(
  deployments: readonly Deployment[],
  service: string,
  code: DeploymentId,
  recorder: DeploymentId | undefined,
): DeploymentId | undefined {
  const others = deployments.filter(({ id, services }) => id !== code && services.some(({ name }) => name === service));
  const youngest = others.toSorted((a, b) => b.createdAtMs - a.createdAtMs)[0];
  return (others.find(({ id }) => id === recorder) ?? youngest)?.id;
}

function rowsAround(
  { journal }: Invocation,
  places: readonly number[],
  { index, offered, field }: Mismatch,
  entry: number,
): MismatchView["rows"] {
  const from = Math.max(0, index - AROUND);
  const rows = places.slice(from, index + AROUND + 1).map((place, at) => {
    const recorded = recordedText(journal.entries[place]!, journal);
    return { entry: place, recorded, ...(from + at < index && { offered: recorded }) };
  });
  const difference = field && ` (${field.name}: '${field.offered}' instead of '${field.recorded}')`;
  const differing = { entry, ...rows[index - from], offered: `${spokenCommand(offered)}${difference ?? ""}` };
  return [...rows.slice(0, index - from), differing, ...rows.slice(index - from + 1)];
}

/** Most commands have no name, so their key or their target identifies them. */
function recordedText(entry: Entry, journal: Invocation["journal"]): string {
  if (entry.kind !== "command") return "";
  const { key, target, signal } = aboutOf(entry, journal);
  const about = key ?? target ?? signal;
  return `${spokenCommand({ type: entry.type, name: entry.name })}${about === undefined ? "" : ` '${about}'`}`;
}
