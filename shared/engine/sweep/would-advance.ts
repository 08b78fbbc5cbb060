/** Decides whether a parked invocation would advance after a wake. This costs less than a message, a claim and a park. */
import { advance } from "../../core/invocation/advance.ts";
import type { Engine } from "../engine.ts";
import { untilNextCheckMs } from "../lease/release.ts";
import { passOver } from "../lock/leave-queue.ts";
import { isHeldBy } from "../lock/object-lock.ts";
import { lookIfStale } from "../lock/acquire.ts";
import { leaseRecordKey, openKeys } from "../store/item-keys.ts";
import type { LeaseRecord } from "../store/lease-record.ts";
import type { Loaded } from "../store/load.ts";
import { pollOf } from "../store/poll-of.ts";
import { lockAt, objectPartition } from "../store/object-partition.ts";

/**
 * @param loaded a parked invocation
 * @param isDue whether the time of the next look has come. If not, `wouldAdvance` does not read the lock for an invocation in the
 *   queue of a key, because thousands may wait there
 */
export async function wouldAdvance(engine: Engine, loaded: Loaded, nowMs: number, isDue: boolean): Promise<boolean> {
  const { invocation, leaseRecord } = loaded;
  const poll = pollOf(loaded, nowMs);
  if (leaseRecord === undefined || poll.arrivals.some(({ kind }) => kind === "kill")) return true;
  const { step, segment } = advance(invocation, poll);
  if (segment !== undefined) return true;
  if (step.kind === "park") {
    if (isDue && step.status === "paused") await passOver(engine, invocation);
    return step.status !== leaseRecord.status || step.wakeAtMs !== leaseRecord.wakeAtMs;
  }
  if (step.kind !== "acquire" || leaseRecord.status !== "pending") return true;
  return isDue && (await comesToItsKey(engine, loaded, leaseRecord));
}

/**
 * True if the invocation holds its key or is no longer in the queue. If it is the first in the queue, also looks at a stale
 * holder.
 */
async function comesToItsKey(engine: Engine, { invocation }: Loaded, { ticket }: LeaseRecord): Promise<boolean> {
  const { acceptance } = invocation;
  const pk = objectPartition(engine, acceptance.target);
  const lock = await lockAt(engine, pk);
  const isInLine = ticket !== undefined && lock.holder !== undefined && ticket > lock.head;
  if (!isInLine || isHeldBy(lock, acceptance)) return true;
  await lookIfStale(engine, pk, acceptance.target, { ticket, lock });
  return false;
}

/**
 * Postpones the next look at a parked invocation that would not advance, with one write instead of a message, a claim and
 * a park. Writes nothing if a driver has claimed or parked the invocation since the load.
 */
export async function postpone(engine: Engine, { invocation, leaseRecord, pk }: Loaded, nowMs: number): Promise<void> {
  if (leaseRecord === undefined) return;
  const { id, nonce } = invocation.acceptance;
  const intervalMs = engine.settings.checkIntervalMs;
  const waitsOutside = leaseRecord.status === "suspended" || leaseRecord.status === "paused";
  const lookAtMs = nowMs + (waitsOutside ? untilNextCheckMs(nowMs - invocation.modifiedAtMs, intervalMs) : intervalMs);
  const set = { lookAtMs, ...openKeys(engine.settings, id, lookAtMs) };
  const unchanged = { kind: "equal", attribute: "token", value: leaseRecord.token } as const;
  await engine.table.update(leaseRecordKey(pk, nonce), { set }, unchanged);
}
