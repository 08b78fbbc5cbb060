/** The final effects of what has ended, once more: its driver may have died before it had performed them (I2). */
import type { Entry } from "../../core/invocation/entry.ts";
import type { Segment } from "../../core/invocation/segment.ts";
import type { Engine } from "../engine.ts";
import { keepArrivals } from "./extend.ts";
import { leaveOpenIndex } from "./grasp.ts";
import { giveBack } from "../keyed/give-back.ts";
import { type Held, newHeld } from "./held.ts";
import { isLeftUndone } from "./left-undone.ts";
import { type Loaded, unperformed } from "../ledger/load.ts";
import { perform } from "./perform.ts";
import { unlistTombstone } from "./unlist.ts";

const DAY_MS = 86_400_000;
/** Less than the two days by the time that performing takes, and by what clocks differ. */
const REDO_MAX_MS = 1.5 * DAY_MS;

/**
 * The final effects once more: a caller or a sink may not have been told (I2), also of what is not kept any longer.
 * Who has taken it out of the open index has performed everything before; what is left is who attached since then,
 * and a caller that had the result in memory only.
 * @param isSeenDone what it made stands where it was made, as far as anybody else has it still
 */
export async function finishCompleted(engine: Engine, loaded: Loaded, isSeenDone = false): Promise<void> {
  const { last, hold } = loaded;
  if (last === undefined) return;
  // A purge has performed them, and what it left tells nothing.
  if (last.segment.endAlone && isTombstone(last.segment)) return await passKeyOn(engine, loaded);
  const held = heldByNobody(loaded);
  const isPerformed = unperformed(loaded) === undefined;
  const mayRunAnew = !isPerformed && hasExpiredEffects(engine, loaded);
  await perform(
    engine,
    held,
    last.before,
    isPerformed || mayRunAnew || isSeenDone ? tellingOnly(last.segment, mayRunAnew) : last.segment,
    true,
  );
  // Who waits in this process for the end of a keyed handler waits for the state that was written just now.
  engine.drives.ring(held.id);
  if (isPerformed) return;
  await keepArrivals(engine, held);
  await unlistTombstone(engine, held.invocation);
  if (hold !== undefined) await leaveOpenIndex(engine, held);
}

/**
 * Before what has ended is forgotten. Later than a day after the end what it made may have expired, and a redo would make
 * it anew; nobody has it to do by then. Nor is done again what is seen to be done: whom it was for may live anew.
 */
export async function finishBeforeForgetting(engine: Engine, loaded: Loaded): Promise<void> {
  const { standing } = loaded.invocation;
  const isRecent = standing.status === "completed" && engine.clock.nowMs() - standing.endedAtMs < DAY_MS;
  if (!isRecent || unperformed(loaded) === undefined) return;
  await finishCompleted(engine, loaded, !(await isLeftUndone(engine, loaded)));
}

/** For work on what has ended: nobody drives it, and its depth keeps it from driving anything along. */
export function heldByNobody({ invocation, pk, lease, hold, arrivals: arrived }: Loaded): Held {
  const { id } = invocation.acceptance;
  const arrivals = new Map(arrived);
  return newHeld({ id, pk, messageDriven: true, depth: Infinity, invocation, lease, arrivals, ...(hold && { hold }) });
}

/** One that stood in line twice is served once more after its end, and nobody else can give that back (I6). */
async function passKeyOn(engine: Engine, loaded: Loaded): Promise<void> {
  const { acceptance, segmentIndex } = loaded.invocation;
  if (acceptance.handlerType !== "exclusive") return;
  await giveBack(engine, heldByNobody(loaded), { inOrder: [], segmentIndex, grant: undefined });
}

function isTombstone({ after }: Segment): boolean {
  return after.kind === "completed" && after.tombstone;
}

/**
 * What an end has made lives for two days, and later a redo would make it anew: a send would run again. Where no driver
 * has said that it performed the end, as those never do that have not parked, it is taken for performed by then; one that
 * stands in the open index still was left by a dead one, whatever its age: a table may be restored after days.
 */
function hasExpiredEffects({ clock }: Engine, { invocation: { standing }, hold }: Loaded): boolean {
  if (hold?.lookAtMs !== undefined && hold.status !== "completed") return false;
  return standing.status === "completed" && clock.nowMs() - standing.endedAtMs >= REDO_MAX_MS;
}

/**
 * Without its commands, and without the order to kill calls.
 * @param keepsState changes of state stay: under an older grant they count for nothing, however late
 */
function tellingOnly(segment: Segment, keepsState: boolean): Segment {
  const entries = keepsState ? segment.entries.filter(isStateChange) : [];
  const { after } = segment;
  return { ...segment, entries, after: after.kind === "completed" ? { ...after, killed: false } : after };
}

function isStateChange(entry: Entry): boolean {
  return entry.kind === "command" && entry.command.kind === "change-state";
}
