/** Whether a wake would find something to do: a message, a claim and a park cost more than the question. */
import { advance } from "../../core/invocation/advance.ts";
import type { Engine } from "../engine.ts";
import { checkIntervalMs } from "../engine-settings.ts";
import { untilNextCheckMs } from "../drive/grasp.ts";
import { isHeldBy } from "../keyed/object-lock.ts";
import { lookIfStale } from "../keyed/acquire.ts";
import { holdKey, openKeys } from "../ledger/item-keys.ts";
import type { Hold } from "../ledger/hold-record.ts";
import type { Loaded } from "../ledger/load.ts";
import { lockAt, placeOf } from "../ledger/object-place.ts";

/**
 * @param loaded parked: its hold says what it waits for
 * @param isDue an invocation in line for a key asks for the lock only when it is due, because thousands may wait where one is served
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

/** The first in line asks in passing whether the holder can ever give back. */
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
 * Moves the next look at a parked invocation that would not advance: one write instead of a message, a claim and a park.
 * Nothing is written where a driver has taken or parked it since it was loaded.
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
