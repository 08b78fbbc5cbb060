/** Durable promises of a workflow. A promise is completed once; every handler can read it, and its waiters get its result. */
import type { Effect } from "../../core/invocation/effects.ts";
import type { Result } from "../../core/model/failure.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import { decode } from "../../core/model/proto3-decode.ts";
import { encode } from "../../core/model/proto3-encode.ts";
import type { Target } from "../../core/model/target.ts";
import { DAY_S } from "../../core/model/time-units.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import { complete, completionOf, deliverResult } from "../messaging/deliver.ts";
import { CLOCKS_DIFFER_MAX_MS } from "../messaging/later-life.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { arrivalKey, completionArrival, invocationPk } from "../store/item-keys.ts";
import { chunkForPut, reassemble } from "../store/large-record.ts";
import { type Lock, lifeAt } from "../store/lock-record.ts";
import { lockKey, promiseKey, waiterKey, waitersOf } from "../store/object-keys.ts";
import { lockAt, objectPartition, shortenWith } from "../store/object-partition.ts";
import type { Condition, Item, Key } from "../ports/table.ts";
import { readPartition } from "../store/read-partition.ts";
import { ENVELOPE_BYTES, opened, sealed } from "../store/record-envelope.ts";
import { resultFromStored, resultToStored, StoredResult } from "../store/stored-values.ts";

const COMPLETED: Result = { kind: "failure", failure: { code: 409, message: "promise was already completed" } };

/** The key of a promise, and its life: number, beginning and, once the workflow has ended, expiry. */
interface PromiseKey {
  readonly key: Key;
  readonly life: number;
  readonly fromMs: number;
  readonly expiresAtS?: number;
}

/** @returns undefined while the promise is not completed */
export async function readPromise(engine: Engine, target: Target, name: string): Promise<Result | undefined> {
  const promise = await promiseAt(engine, target, name);
  return await resultAt(engine, promise);
}

/**
 * Decides whether a redo of the command `by` of an ended invocation has nothing left to do.
 * @returns true if another command completed the promise; or if `by` did and every waiter has its arrival; or if a later life
 *   of the workflow has begun since, which has its own promises
 */
export async function isCompletedAndNotified(
  engine: Engine,
  target: Target,
  { name, by }: Pick<Extract<Effect, { kind: "complete-promise" }>, "name" | "by">,
  endedAtMs: number,
): Promise<boolean> {
  const { table, settings } = engine;
  const promise = await promiseAt(engine, target, name);
  if (await isOfLaterLife(engine, promise, { name, by }, endedAtMs)) return true;
  const { key } = promise;
  const existing = await itemAt(engine, key);
  if (existing === undefined) return false;
  if (existing["by"] !== by) return true;
  const waiters = await readPartition(table, key.pk, waitersOf(key));
  const arrivals = await atMost(AT_ONCE, waiters, async ({ to, toNonce, completionId }) => {
    const waiter = invocationPk(settings.keyPrefix, String(to));
    return await table.get(arrivalKey(waiter, toNonce as Nonce, completionArrival(Number(completionId))));
  });
  return arrivals.every((arrival) => arrival !== undefined);
}

async function resultAt(engine: Engine, { key, life }: PromiseKey): Promise<Result | undefined> {
  const item = await itemAt(engine, key);
  if (item === undefined) return undefined;
  const [readable] = await reassemble(engine, [item], String(life) as Nonce);
  return resultFromStored(decode(StoredResult, opened(readable?.["b"], "a promise")));
}

/**
 * A shared table deletes expired items in any order. If the lock goes first, the next run begins with life 0 again, and must not
 * meet a promise of a former run (I12). No run reads its own promise that late, because `expiryS` is a day after the end of the life.
 */
async function itemAt({ table, clock }: Engine, key: Key): Promise<Item | undefined> {
  const item = await table.get(key);
  const expiresAtS = item?.["expiresAtS"];
  return typeof expiresAtS === "number" && expiresAtS <= clock.nowMs() / 1000 ? undefined : item;
}

/** The condition of the first completion: `itemAt` finds nothing. */
function whileNone({ clock }: Engine): Condition {
  const expired = { kind: "less", attribute: "expiresAtS", than: Math.floor(clock.nowMs() / 1000) + 1 } as const;
  return { kind: "any", of: [{ kind: "absent" }, expired] };
}

/**
 * Registers a waiter, and takes the result if there is one. The waiter is written before the promise is read, and a
 * completion reads the waiters after its write, so no waiter is missed (I3, I4).
 */
export async function awaitPromise(
  engine: Engine,
  active: Pick<ActiveInvocation, "invocation" | "inbox">,
  { name, completionId }: Extract<Effect, { kind: "get-promise" }>,
): Promise<void> {
  const { id, nonce, target } = active.invocation.acceptance;
  const promise = await promiseToWrite(engine, target, name);
  const waiter = waiterKey(promise.key, { id, nonce, completionId });
  await engine.table.put({ ...waiter, to: id, toNonce: nonce, completionId, ...expiryOf(promise) }, { kind: "absent" });
  const result = await resultAt(engine, promise);
  if (result !== undefined) await complete(engine, active, completionId, result);
}

/**
 * Completes a promise. The first of several completions counts. A repetition by the same command counts as the first (I2).
 * @param redoOfMs in a redo, the moment when the segment with the command was written. If the life of the workflow began later,
 *   the function does not complete the promise of that life
 */
export async function completePromise(
  engine: Engine,
  active: Pick<ActiveInvocation, "invocation" | "inbox">,
  { name, result, completionId, by }: Extract<Effect, { kind: "complete-promise" }>,
  redoOfMs?: number,
): Promise<void> {
  const { target } = active.invocation.acceptance;
  const promise = await promiseToWrite(engine, target, name);
  if (redoOfMs !== undefined && (await isOfLaterLife(engine, promise, { name, by }, redoOfMs)))
    return completionOf(active, completionId, undefined, engine.clock.nowMs());
  const b = sealed(encode(StoredResult, resultToStored(result), ENVELOPE_BYTES));
  const item: Item = { ...promise.key, name, by, b, ...expiryOf(promise) };
  const put = await engine.table.put(await chunkForPut(engine, item, String(promise.life)), whileNone(engine));
  const isOurs = put.written || put.existing?.["by"] === by;
  completionOf(active, completionId, isOurs ? undefined : COMPLETED, engine.clock.nowMs());
  if (isOurs) await notifyWaiters(engine, promise.key, target, result);
}

/** @param target the target of the completing invocation; all waiters belong to the same workflow */
async function notifyWaiters(engine: Engine, promise: Key, target: Target, result: Result): Promise<void> {
  const waiters = await readPartition(engine.table, promise.pk, waitersOf(promise));
  await atMost(AT_ONCE, waiters, async ({ to, toNonce, completionId }) => {
    const waiter = { id: to as InvocationId, nonce: toNonce as Nonce, target };
    await deliverResult(engine, waiter, Number(completionId), result);
  });
}

/**
 * True if a redo would complete the promise of a life that began after the command. Clocks differ, so the moments may be too
 * close to show an order. The promise of the previous life then decides: the result is true if the same command completed that
 * promise (ADR 0021).
 */
async function isOfLaterLife(
  engine: Engine,
  { key, life, fromMs }: PromiseKey,
  { name, by }: { readonly name: string; readonly by: string },
  askedAtMs: number,
): Promise<boolean> {
  const laterByMs = fromMs - askedAtMs;
  if (life === 0 || laterByMs <= -CLOCKS_DIFFER_MAX_MS) return false;
  if (laterByMs > 0) return true;
  const former = await engine.table.get(promiseKey(key.pk, life - 1, name, shortenWith(engine)));
  return former?.["by"] === by;
}

/** Like `promiseAt`, for a writer: the lock keeps the number of the life for as long as the promise is kept. */
async function promiseToWrite(engine: Engine, target: Target, name: string): Promise<PromiseKey> {
  const pk = objectPartition(engine, target);
  for (;;) {
    const lock = await lockAt(engine, pk);
    const { life } = lifeAt(lock, engine.clock.nowMs());
    // The lock of a key that has run, and that no run holds now, expires. Without it, the next run would begin with life 0.
    const mayExpire = life > 0 && (lock.holder === undefined || life > lock.life);
    if (!mayExpire) return promiseUnder(engine, pk, lock, name);
    const isSame = { kind: "equal", attribute: "life", value: lock.life } as const;
    const kept = await engine.table.update(lockKey(pk), { remove: ["expiresAtS"] }, isSame);
    if (kept.written) return promiseUnder(engine, pk, lock, name);
  }
}

async function promiseAt(engine: Engine, target: Target, name: string): Promise<PromiseKey> {
  const pk = objectPartition(engine, target);
  return promiseUnder(engine, pk, await lockAt(engine, pk), name);
}

function promiseUnder(engine: Engine, pk: string, lock: Lock, name: string): PromiseKey {
  const { life, over } = lifeAt(lock, engine.clock.nowMs());
  const { goneAtMs, lifeFromMs } = lock;
  const kept = goneAtMs === undefined || over ? {} : { expiresAtS: expiryS(goneAtMs) };
  const fromMs = over && goneAtMs !== undefined ? goneAtMs : lifeFromMs;
  return { key: promiseKey(pk, life, name, shortenWith(engine)), life, fromMs, ...kept };
}

function expiryOf({ expiresAtS }: PromiseKey): { expiresAtS?: number } {
  return expiresAtS === undefined ? {} : { expiresAtS };
}

/** The expiry is a day after the end of the life, so that a read at the very end of the life finds all items. */
export function expiryS(goneAtMs: number): number {
  return Math.ceil(goneAtMs / 1000) + DAY_S;
}
