/** Tells whether a wake would let an invocation advance: the check costs less than a message, a claim and a park. */
import { advance } from "../../core/invocation/advance.ts";
import type { Engine } from "../engine.ts";
import { checkIntervalMs } from "../ports/engine-settings.ts";
import { untilNextCheckMs } from "../lease/lease.ts";
import { isHeldBy } from "../lock/object-lock.ts";
import { lookIfStale } from "../lock/acquire.ts";
import { holdKey, openKeys } from "../store/item-keys.ts";
import type { Hold } from "../store/lease-record.ts";
import type { Loaded } from "../store/load.ts";
import { lockAt, placeOf } from "../store/object-partition.ts";

/**
 * @param loaded a parked invocation, whose hold shows what it waits for
 * @param isDue false skips the read of the lock for an invocation in the queue of a key, where thousands may wait
 */
export async function wouldAdvance(engine: Engine, loaded: Loaded, nowMs: number, isDue: boolean): Promise<boolean> {
  const { invocation, hold } = loaded;
  const arrivals = [...loaded.arrivals.values()];
  if (hold === undefined || arrivals.some(({ kind }) => kind === "kill")) return true;
  const { step, segment } = advance(invocation, { kind: "look", atMs: nowMs, arrivals });
  if (segment !== undefined) return true;
  if (step.kind === "park") return step.status !== hold.status || step.wakeAtMs !== hold.wakeAtMs;
  if (step.kind !== "acquire" || hold.status !== "pending") return true;
  return isDue && (await comesToItsKey(engine, loaded, hold));
}

/**
 * True where the invocation has the lock of its key or is out of the queue. The first in line also checks a stale
 * holder.
 */
async function comesToItsKey(engine: Engine, { invocation }: Loaded, { ticket }: Hold): Promise<boolean> {
  const { acceptance } = invocation;
  const pk = placeOf(engine, acceptance.target);
  const lock = await lockAt(engine, pk);
  const isInLine = ticket !== undefined && lock.holder !== undefined && ticket > lock.head;
  if (!isInLine || isHeldBy(lock, acceptance)) return true;
  await lookIfStale(engine, pk, acceptance.target, { ticket, lock });
  return false;
}

/**
 * Puts off the next look at a parked invocation that would not advance, with one write instead of a message, a claim
 * and a park. Writes nothing where a driver has claimed or parked the invocation since the load.
 */
export async function postpone(engine: Engine, { invocation, hold, pk }: Loaded, nowMs: number): Promise<void> {
  if (hold === undefined) return;
  const { id, nonce } = invocation.acceptance;
  const intervalMs = checkIntervalMs(engine.settings);
  const waitsOutside = hold.status === "suspended" || hold.status === "paused";
  const lookAtMs = nowMs + (waitsOutside ? untilNextCheckMs(nowMs - invocation.modifiedAtMs, intervalMs) : intervalMs);
  const set = { lookAtMs, ...openKeys(engine.settings, id, lookAtMs) };
  const unchanged = { kind: "equal", attribute: "token", value: hold.token } as const;
  await engine.table.update(holdKey(pk, nonce), { set }, unchanged);
}
