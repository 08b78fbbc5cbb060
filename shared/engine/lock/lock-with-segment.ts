/**
 * In a process that owns its store alone: a free key is reserved in memory, and one transaction writes a segment and the lock (I6, I10,
 * ADR 16).
 */
import { stateEffectOf } from "../../core/invocation/effects.ts";
import type { Segment } from "../../core/invocation/segment.ts";
import { type KeyedState, isEmpty, place } from "../../core/object/keyed-state.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import type { StateChange } from "../../core/model/state-change.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import type { Reservation } from "../local/lock-handle.ts";
import type { Condition, Update, Write, Written } from "../ports/table.ts";
import { type Lock, packState, readLock } from "../store/lock-record.ts";
import { lockKey } from "../store/object-keys.ts";
import { lockAt, objectPartition } from "../store/object-partition.ts";
import { counts } from "./give-back.ts";
import { freed, servedTo, ticketAt, whileNextIs, whileNoneWaits } from "./hand-over.ts";
import { isHeldBy, takenBy } from "./object-lock.ts";
import { acceptanceWaitMs, mayReserveKeys } from "../ports/store-ownership.ts";
import type { Acceptance } from "../../core/invocation/acceptance.ts";

/** `lock-refused`: nothing was written, because the lock was not as the write expected it. */
export type WrittenWithLock = Written | "lock-refused";

const REFUSED: Written = { written: false, existing: undefined };

/**
 * The write of a lock, with its outcome in `after`: the lock that the invocation still holds, or the successor that gets the key.
 * The successor is undefined if no invocation waits for the key.
 */
interface LockWrite {
  readonly write: Write;
  readonly after: Lock | { readonly successor: InvocationId | undefined };
}

/**
 * @param write writes the segment and, if there is one, the lock: both or neither
 * @returns the outcome of the segment; if the write of a reserved lock was refused, the segment counts as refused
 */
export async function withLock(
  engine: Engine,
  active: ActiveInvocation,
  segment: Segment,
  write: (lock: Write | undefined) => Promise<WrittenWithLock>,
): Promise<Written> {
  const { reservation } = active.lock;
  if (reservation?.taking !== undefined) await reservation.taking;
  if (active.lease.isLost) return REFUSED;
  if (reservation !== undefined && active.lock.reservation === reservation) {
    const writing = writeReserved(engine, active, segment, reservation, write);
    reservation.taking = writing.then(() => undefined);
    await reservation.taking;
    return await writing;
  }
  const giveBack = await giveBackWith(engine, active, segment);
  const outcome = giveBack && (await write(giveBack.write));
  if (giveBack === undefined || outcome === undefined || outcome === "lock-refused") return await alone(write);
  if (outcome.written) note(active, giveBack);
  return outcome;
}

/** True for a write of `withLock` that frees the lock. False if it hands the lock to a successor, which has to be woken. */
export function freesLock(lock: Write): boolean {
  return lock.kind === "update" && lock.update.set?.["held"] === 0;
}

async function alone(write: (lock: undefined) => Promise<WrittenWithLock>): Promise<Written> {
  const outcome = await write(undefined);
  return outcome === "lock-refused" ? REFUSED : outcome;
}

async function writeReserved(
  engine: Engine,
  active: ActiveInvocation,
  segment: Segment,
  reservation: Reservation,
  write: (lock: Write) => Promise<WrittenWithLock>,
): Promise<Written> {
  const taken = takenWith(engine, active, segment, reservation);
  const outcome = await write(taken.write);
  // This is not expected, because no other party takes a reserved key. The segment then counts as refused, and a worker begins
  // anew.
  if (outcome === "lock-refused") return REFUSED;
  if (outcome.written) note(active, taken);
  return outcome;
}

function note({ lock }: ActiveInvocation, { after }: LockWrite): void {
  if ("successor" in after) lock.noteGivenBack(after.successor);
  else lock.noteTaken(after);
}

/**
 * The write of a reserved lock. If all values are packed in the lock, this one write takes the lock, changes the state and, after
 * the last segment, gives the lock back. Otherwise it only takes the lock, and the effects of the segment do the rest.
 */
function takenWith(
  engine: Engine,
  { invocation, lock }: ActiveInvocation,
  segment: Segment,
  { pk, free }: Reservation,
): LockWrite {
  const held = lock.known!;
  const effect = stateEffectOf(invocation, segment);
  const state = effect && packedIn(held.state, effect.changes.inOrder);
  const write = (update: Update): Write => ({
    kind: "update",
    key: lockKey(pk),
    update,
    condition: whileFree(free),
  });
  if (state === undefined) return { write: write(takenBy(invocation.acceptance, held)), after: held };
  if (effect?.kind === "give-back") {
    const { set, remove } = freed(engine, state);
    const { grant, applied, sinceMs } = held;
    const isKept = set["expiresAtS"] === undefined;
    const update: Update = {
      set: { ...set, grant, applied, sinceMs },
      add: { head: 0, tail: 0, edits: 0 },
      remove: isKept ? [...remove, "expiresAtS"] : remove,
    };
    return { write: write(update), after: { successor: undefined } };
  }
  const after = { ...held, state, applied: segment.index };
  const { set, ...rest } = takenBy(invocation.acceptance, after);
  return { write: write({ set: { ...set, st: packState(state) }, ...rest }), after };
}

/**
 * The give-back of a lock that the table shows as held: the key comes free, or goes to the next in line.
 * @returns undefined if the give-back needs further writes; the effects of the segment then perform it
 */
async function giveBackWith(
  engine: Engine,
  { invocation, lock: { known } }: ActiveInvocation,
  segment: Segment,
): Promise<LockWrite | undefined> {
  const { acceptance } = invocation;
  const mayJoin = mayReserveKeys(engine.settings) && acceptance.handlerType === "exclusive";
  if (!mayJoin || known === undefined || segment.after.kind !== "completed") return undefined;
  const pk = objectPartition(engine, acceptance.target);
  const lock = await lockAt(engine, pk);
  const effect = stateEffectOf(invocation, segment);
  if (effect === undefined || !isHeldBy(lock, acceptance) || lock.grant !== known.grant) return undefined;
  const { changes } = effect;
  const state = counts(lock, invocation, changes) ? packedIn(lock.state, changes.inOrder) : lock.state;
  if (state === undefined) return undefined;
  const key = lockKey(pk);
  if (lock.head === lock.tail) {
    const write = { kind: "update", key, update: freed(engine, state), condition: whileNoneWaits(lock) } as const;
    return { write, after: { successor: undefined } };
  }
  const next = await ticketAt(engine, pk, lock.head + 1);
  if (next?.kind !== "waiter") return undefined;
  const update = servedTo(engine, lock, state, next);
  return { write: { kind: "update", key, update, condition: whileNextIs(lock) }, after: { successor: next.id } };
}

/** @returns undefined if the changes write or remove values beside the lock */
function packedIn(state: KeyedState, changes: readonly StateChange[]): KeyedState | undefined {
  const { next, put, remove, removesAll } = place(state, changes);
  return put.size > 0 || remove.length > 0 || removesAll ? undefined : next;
}

/**
 * Waits until no other driver of this process has the key, and reserves it if the table shows it as free. If the handler
 * takes longer than a moment, the lock is taken in the table meanwhile.
 * @returns false if the key has to be taken in the table
 */
export async function reserveKey(engine: Engine, active: ActiveInvocation, pk: string): Promise<boolean> {
  if (!mayReserveKeys(engine.settings) || !isFirstDrive(active)) return false;
  const turn = await engine.activeInvocations.keyTurns.alone(pk);
  const free = await lockAt(engine, pk).catch((error: unknown) => {
    turn.leave();
    throw error;
  });
  if (free.holder !== undefined || active.isStopping || active.lease.isLost) {
    turn.leave();
    return false;
  }
  active.lock.reserve({ pk, free, turn }, heldLock(engine, active.invocation.acceptance, free));
  takeLater(engine, active, acceptanceWaitMs(engine.settings));
  return true;
}

/** Takes the key in the table after the wait, and not before the write of the acceptance has begun. */
function takeLater(engine: Engine, active: ActiveInvocation, waitMs: number): void {
  engine.activeInvocations.delayed.add(waitMs, () => {
    if (active.lock.reservation === undefined) return;
    if (active.ownAcceptance?.waits === true) takeLater(engine, active, waitMs);
    else takeReserved(engine, active)?.catch(() => active.lose());
  });
}

/**
 * True only for an invocation that its acceptor drives for the first time. A child takes its key in the
 * table, because its caller acquires the keys of several children before the first of them runs: the reservation of one child
 * would hold up another child that has the same key.
 */
function isFirstDrive({ invocation, lease, origin, ownAcceptance }: ActiveInvocation): boolean {
  const isNew = invocation.segmentIndex === 0 && lease.ticket === undefined && ownAcceptance !== undefined;
  return isNew && origin.caller === undefined && invocation.acceptance.handlerType === "exclusive";
}

function heldLock(engine: Engine, { id, nonce }: Acceptance, free: Lock): Lock {
  const nowMs = engine.clock.nowMs();
  return { ...free, holder: { id, nonce }, grant: Math.max(nowMs, free.grant + 1), applied: 0, sinceMs: nowMs };
}

/** Takes a reserved key in the table, if no write does so already. @returns undefined if no key is reserved */
export function takeReserved(engine: Engine, active: ActiveInvocation): Promise<void> | undefined {
  const { reservation } = active.lock;
  if (reservation === undefined) return undefined;
  return (reservation.taking ??= takeAlone(engine, active, reservation));
}

async function takeAlone(engine: Engine, active: ActiveInvocation, { pk, free }: Reservation): Promise<void> {
  // A lock must name a durable acceptance (I6).
  await active.ownAcceptance?.settle();
  const { acceptance } = active.invocation;
  const { known } = active.lock;
  const outcome = await engine.table.update(lockKey(pk), takenBy(acceptance, known!), whileFree(free));
  const lock = readLock(outcome.written ? outcome.item : outcome.existing);
  // If the answer to a write is lost, the write is sent again, and the item that the first write left refuses the second one.
  if (isHeldBy(lock, acceptance) && lock.grant === known!.grant) active.lock.noteTaken(lock);
  else active.lose();
}

/** True for the lock as it was read. A lock without state may have expired since. */
export function whileFree({ grant, state }: Lock): Condition {
  const unchanged: Condition = {
    kind: "all",
    of: [
      { kind: "equal", attribute: "held", value: 0 },
      { kind: "equal", attribute: "grant", value: grant },
    ],
  };
  return isEmpty(state) ? { kind: "any", of: [{ kind: "absent" }, unchanged] } : unchanged;
}
