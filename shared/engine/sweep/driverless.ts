/** A message where no driver drives what should be driven (I8), and the deeds that an end has left undone (I2). */
import type { Engine } from "../engine.ts";
import { checkIntervalMs } from "../engine-settings.ts";
import { finishCompleted } from "../drive/finish-completed.ts";
import { isLeftUndone } from "../drive/left-undone.ts";
import { noteOpen } from "../drive/note-open.ts";
import { unlistTombstone } from "../drive/unlist.ts";
import { type Recipient, sendWake } from "../drive/wake.ts";
import { forgetInTime } from "../operate/purge.ts";
import { hasExpired, isHeld, isParked, type Loaded } from "../ledger/load.ts";

/** Of the interval of checks: a message that no worker has received by then is replaced by one more. */
const REPLACED_AFTER_SHARE = 0.5;

/** @returns whether a message was sent, or something done */
export type Waking = (engine: Engine, loaded: Loaded, nowMs: number) => Promise<boolean>;

/**
 * The one look that the rule gives to the listing: an invocation that is still open stands in the open index from then on, or it
 * would be lost together with the driver and the message that it has just now (I8).
 */
export async function wakeOrNote(engine: Engine, loaded: Loaded, nowMs: number): Promise<boolean> {
  const open = await noteOpen(engine, loaded, nowMs + checkIntervalMs(engine.settings));
  if (open === undefined) return false;
  const stoodThere = loaded.hold?.lookAtMs !== undefined;
  if (stoodThere || open.invocation.standing.status === "completed") return await wakeDriverless(engine, open, nowMs);
  return !isHeld(engine, open, nowMs) && (await wakeLoaded(engine, open, nowMs));
}

/**
 * Finds what was accepted and then left: not ended, not parked, held by no driver. An invocation that has ended may have
 * effects to be performed, which is done at once, also where its result is not kept any longer, and a journal to drop.
 * @returns whether a message was sent, or something done
 */
export async function wakeDriverless(engine: Engine, loaded: Loaded, nowMs: number): Promise<boolean> {
  if (loaded.invocation.standing.status === "completed") {
    const isUndone = await isLeftUndone(engine, loaded);
    if (isUndone) await finishLate(engine, loaded);
    else await unlistTombstone(engine, loaded.invocation);
    if (loaded.hold?.lookAtMs === undefined && !hasExpired(loaded, nowMs)) await forgetInTime(engine, loaded);
    return isUndone;
  }
  if (isHeld(engine, loaded, nowMs) || isParked(loaded)) return false;
  return await wakeLoaded(engine, loaded, nowMs);
}

/** Here and not by a message, which might be lost as the first was: no other walk comes to it again. */
async function finishLate(engine: Engine, loaded: Loaded): Promise<void> {
  engine.log.info("what an end asked for was left undone, and is done now", {
    invocationId: loaded.invocation.acceptance.id,
  });
  await finishCompleted(engine, loaded);
}

export async function wakeLoaded(engine: Engine, { invocation, lease }: Loaded, nowMs: number): Promise<boolean> {
  return await wakeOnce(engine, invocation.acceptance, `${lease.token}.${invocation.segmentIndex}`, nowMs);
}

/**
 * Under a backlog the message that an earlier pass sent still waits in the queue: one for each state is enough for a while.
 * @param state changes whenever a driver takes or parks the invocation
 */
export async function wakeOnce(engine: Engine, to: Recipient, state: string, nowMs: number): Promise<boolean> {
  const { woken } = engine.drives;
  const sinceMs = nowMs - REPLACED_AFTER_SHARE * checkIntervalMs(engine.settings);
  if (woken.isKnown(to.id, state, sinceMs)) return false;
  await sendWake(engine, to, 0);
  woken.note(to.id, state, nowMs, sinceMs);
  return true;
}
