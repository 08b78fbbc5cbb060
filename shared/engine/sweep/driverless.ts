/** One look at one entry of an index: a message where nobody drives what should be driven (I8). */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { checkIntervalMs } from "../engine-settings.ts";
import { extendOpen } from "../drive/extend.ts";
import { finishCompleted } from "../drive/finish-completed.ts";
import { noteOpen } from "../drive/note-open.ts";
import { forgetInTime } from "../operate/purge.ts";
import { idOf } from "../ledger/index-walk.ts";
import { belongsTo } from "../ledger/item-keys.ts";
import { isToBeExtended } from "../ledger/keep.ts";
import { hasExpired, isHeld, isParked, load, type Loaded } from "../ledger/load.ts";
import type { Item } from "../ports/table.ts";
import { isLeftUndone } from "../drive/left-undone.ts";
import { TooLargeError } from "../ledger/read-partition.ts";
import { wouldAdvance } from "../drive/take-wake.ts";
import { sendWake } from "../drive/wake.ts";
import { wakeAwaited } from "../drive/wake-awaited.ts";

/** Of the interval of checks: a message that nobody has received by then is replaced by one more. */
const REPLACED_AFTER_SHARE = 0.5;

/** Read for what arrived by one pass, at most: where many are of an age, who is left out is read a doubling later. */
export const READS_MAX = 5_000;

/** What is stored of more than that is looked at alone: a pass has no more memory than a worker, which drives a few at a time. */
const LARGE_BYTES = 4 << 20;

/** What one pass has come to so far. */
export class Tally {
  woken = 0;
  extended = 0;
  readsLeft = READS_MAX;
  #alone: Promise<unknown> = Promise.resolve();
  /** The listing has too much that cannot be looked at. */
  isStuck = false;
  /** Since when the oldest of those that are parked and due has been due. */
  dueSinceMs: number;

  /** @param dueSinceMs as far as earlier passes of the same walk tell */
  constructor(dueSinceMs = Infinity) {
    this.dueSinceMs = dueSinceMs;
  }

  /** Once all that were to be looked at alone before have been. */
  async alone<T>(look: () => Promise<T>): Promise<T> {
    const looked = this.#alone.then(() => look());
    this.#alone = looked.catch(() => undefined);
    return await looked;
  }
}

/**
 * Wakes what is due and held by nobody, and extends what would expire while it is open.
 * @param item of the open index
 * @param isRead whether what arrived is read although the clock is far away: the wake of an arrival may be lost
 * @returns undefined where the entry tells that there is nothing to do; never rejects
 */
export function lookAtOpen(engine: Engine, item: Item, tally: Tally, isRead: boolean): Promise<boolean> | undefined {
  const nowMs = engine.clock.nowMs();
  // Who drives keeps the entry where it stood, so that the end of a lease is known to the hold alone.
  const isDue = item["status"] === "running" || Number(item["lookAtMs"]) <= nowMs;
  const isOld = isToBeExtended(engine.settings, Number(item["keepUntilS"]), nowMs);
  if (!isDue && !isOld && !isRead) return undefined;
  if (isRead && !isDue) tally.readsLeft--;
  return spared(engine, idOf(item), tally, async (loaded) => {
    if (!belongsTo(item.sk, loaded.invocation.acceptance.nonce)) return await removeGhost(engine, item);
    if (item["status"] === "completed") return await forgetInTime(engine, loaded);
    if (isOld && (await extendOpen(engine, loaded.invocation.acceptance.id, loaded.invocation.acceptance.nonce)))
      tally.extended++;
    if (isHeld(engine, loaded, nowMs)) return;
    // Whom it waits for may have ended without a word: its driver is dead, and its message lost.
    if (!isDue && !(isRead && wouldAdvance(loaded, nowMs)))
      return isRead ? await wakeAwaited(engine, loaded) : undefined;
    if (isDue && isParked(loaded)) tally.dueSinceMs = Math.min(tally.dueSinceMs, Number(item["lookAtMs"]));
    if (await wakeOnce(engine, loaded, nowMs)) tally.woken++;
  });
}

/** @returns whether a message was sent, or something done */
export type Waking = (engine: Engine, loaded: Loaded, nowMs: number) => Promise<boolean>;

/** @returns false where it could not be looked at; never rejects */
export function lookAtListed(engine: Engine, id: InvocationId, tally: Tally, wake: Waking): Promise<boolean> {
  const nowMs = engine.clock.nowMs();
  return spared(engine, id, tally, async (loaded) => {
    if (await wake(engine, loaded, nowMs)) tally.woken++;
  });
}

/**
 * The one look that the rule gives to the listing: who is still open stands in the open index from then on, or it would be lost
 * together with the driver and the message that it has just now (I8).
 */
export async function wakeOrNote(engine: Engine, loaded: Loaded, nowMs: number): Promise<boolean> {
  const open = await noteOpen(engine, loaded, nowMs + checkIntervalMs(engine.settings));
  if (open === undefined) return false;
  const stoodThere = loaded.hold?.lookAtMs !== undefined;
  if (stoodThere || open.invocation.standing.status === "completed") return await wakeDriverless(engine, open, nowMs);
  return !isHeld(engine, open, nowMs) && (await wakeOnce(engine, open, nowMs));
}

/**
 * Finds what was accepted and then left: not ended, not parked, held by nobody. What has ended may have something to be done,
 * which is done at once, also of what is not kept any longer, and a journal to drop.
 * @returns whether somebody was helped
 */
export async function wakeDriverless(engine: Engine, loaded: Loaded, nowMs: number): Promise<boolean> {
  if (loaded.invocation.standing.status === "completed") {
    const isUndone = await isLeftUndone(engine, loaded);
    if (isUndone) await finishLate(engine, loaded);
    if (loaded.hold?.lookAtMs === undefined && !hasExpired(loaded, nowMs)) await forgetInTime(engine, loaded);
    return isUndone;
  }
  if (isHeld(engine, loaded, nowMs) || isParked(loaded)) return false;
  return await wakeOnce(engine, loaded, nowMs);
}

/** Here and not by a message, which might be lost as the first was: nobody comes to it again. */
async function finishLate(engine: Engine, loaded: Loaded): Promise<void> {
  engine.log.info("what an end asked for was left undone, and is done now", {
    invocationId: loaded.invocation.acceptance.id,
  });
  await finishCompleted(engine, loaded);
}

/** Under a backlog the message that an earlier pass sent still waits in the queue: one for each state is enough for a while. */
async function wakeOnce(engine: Engine, { invocation, lease }: Loaded, nowMs: number): Promise<boolean> {
  const { acceptance } = invocation;
  const { id } = acceptance;
  const { woken } = engine.drives;
  const sinceMs = nowMs - REPLACED_AFTER_SHARE * checkIntervalMs(engine.settings);
  const state = `${lease.token}.${invocation.segmentIndex}`;
  if (woken.isKnown(id, state, sinceMs)) return false;
  await sendWake(engine, acceptance, 0);
  woken.note(id, state, nowMs, sinceMs);
  return true;
}

/** The hold of a former life, which expired before it had left the index: nobody reads it any more (I12). */
async function removeGhost(engine: Engine, { pk, sk }: Item): Promise<void> {
  await engine.table.delete({ pk, sk });
}

/** One invocation that cannot be read must not keep the sweeper from all others. @returns whether it could be looked at */
async function spared(
  engine: Engine,
  invocationId: InvocationId,
  tally: Tally,
  look: (loaded: Loaded) => Promise<void>,
): Promise<boolean> {
  const lookWithin = async (sizeMaxBytes?: number): Promise<void> => {
    const loaded = await load(engine, invocationId, sizeMaxBytes);
    if (loaded !== undefined) await look(loaded);
  };
  try {
    await lookWithin(LARGE_BYTES).catch(async (error: unknown) => {
      if (!(error instanceof TooLargeError)) throw error;
      await tally.alone(lookWithin);
    });
    return true;
  } catch (error) {
    engine.log.error("the sweeper could not look at an invocation", { invocationId, error: String(error) });
    return false;
  }
}
