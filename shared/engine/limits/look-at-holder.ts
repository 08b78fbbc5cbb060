/** Looks at one who has a place of a full pool: a process that died may have left a place with an invocation that does not run. */
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import { invocationPk, leaseRecordKey } from "../store/item-keys.ts";
import { readLeaseRecord } from "../store/lease-record.ts";
import { isLeased, load, type Loaded } from "../store/load.ts";
import { TooLargeError } from "../store/read-partition.ts";
import { wakeNow } from "../messaging/wake.ts";
import { giveBackHeld } from "./give-back.ts";
import { holdersOf } from "./holders.ts";
import { isWaitedFor, type PoolState } from "./pool-state.ts";
import { holderOf } from "../store/pool-items.ts";

/** The most bytes of a holder that a look loads: each that comes to a full pool makes such a look. */
const LOOKED_AT_MAX_BYTES = 4 << 20;

/** Invocations in these statuses give their places back before they are parked. */
const HAS_NONE: ReadonlySet<string> = new Set(["scheduled", "suspended", "paused", "backing-off", "completed"]);

/**
 * Frees the place of one holder, chosen at random, if it has ended, is parked or does not exist, and wakes it if no process drives
 * it. The holder was read before its lease record: one that has come back since has another stamp on its place.
 */
export async function lookAtOneHolder(engine: Engine, pool: string, places: number): Promise<void> {
  const holders = await holdersOf(engine, pool, places);
  const one = holders[Math.floor((engine.ids.random(1)[0]! / 256) * holders.length)];
  if (one === undefined || engine.activeInvocations.find(one.id) !== undefined) return;
  const record = await engine.table.get(leaseRecordKey(invocationPk(engine.settings.keyPrefix, one.id), one.nonce));
  const nowMs = engine.clock.nowMs();
  if (record !== undefined) {
    const { status, untilMs, token } = readLeaseRecord(record);
    if (isLeased(engine, { lease: { token, untilMs } }, nowMs)) return;
    if (HAS_NONE.has(status)) return await giveBackHeld(engine, pool, places, one.held);
  }
  const loaded = await loadSmall(engine, one.id);
  if (loaded === "too large") return await wakeNow(engine, one);
  const isGone = loaded?.invocation.acceptance.nonce !== one.nonce || loaded.invocation.phase.status === "completed";
  if (isGone) return await giveBackHeld(engine, pool, places, one.held);
  if (!isLeased(engine, loaded!, nowMs)) await wakeNow(engine, loaded!.invocation.acceptance);
}

/** The most holders that one such look reads: each end of an invocation is looked at once more. */
const IDLE_MAX = 4;

/**
 * Wakes those who have a place and wait for it. A process that died, or failed, after it had given them the place may have sent them no
 * message. Costs nothing for a pool without a line.
 * @param state the pool as it was read
 */
export async function wakeIdleHolders(engine: Engine, pool: string, state: PoolState): Promise<void> {
  if (!isWaitedFor(state)) return;
  const holders = [...state.taken.values()]
    .map(holderOf)
    .filter(({ id }) => engine.activeInvocations.find(id) === undefined);
  const from = Math.floor((engine.ids.random(1)[0]! / 256) * holders.length);
  const some = [...holders.slice(from), ...holders.slice(0, from)].slice(0, IDLE_MAX);
  await atMost(AT_ONCE, some, async (one) => {
    const record = await engine.table.get(leaseRecordKey(invocationPk(engine.settings.keyPrefix, one.id), one.nonce));
    if (record === undefined) return;
    const { waitsAt, untilMs } = readLeaseRecord(record);
    if (untilMs === 0 && waitsAt === `place ${pool}`) await wakeNow(engine, one);
  });
}

async function loadSmall(engine: Engine, id: Parameters<typeof load>[1]): Promise<Loaded | undefined | "too large"> {
  try {
    return await load(engine, id, LOOKED_AT_MAX_BYTES);
  } catch (error) {
    if (error instanceof TooLargeError) return "too large";
    throw error;
  }
}
