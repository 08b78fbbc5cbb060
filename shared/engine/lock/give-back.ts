/** Changes of state under the lock, and the give-back, which hands the lock to the next ticket or frees it (I6, ADR 0011). */
import type { StateChanges } from "../../core/invocation/effects.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { KeyedState } from "../../core/object/keyed-state.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import type { Target } from "../../core/model/target.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { load } from "../store/load.ts";
import { type LeaseRecord, readLeaseRecord } from "../store/lease-record.ts";
import { leaseRecordKey, invocationPk } from "../store/item-keys.ts";
import { type Lock, packState, readLock } from "../store/lock-record.ts";
import { inboxKey, lockKey } from "../store/object-keys.ts";
import { isHeldBy, underGrant } from "./object-lock.ts";
import { ticketExpiryS, voidTicket } from "./ticket.ts";
import { lockAt, objectPartition } from "../store/object-partition.ts";
import { freed, type Next, nextOf, servedTo, ticketAt, whileNextIs, whileNoneWaits } from "./hand-over.ts";
import { writeBeside } from "./object-state.ts";
import { applyEdit, withoutPendingEdit } from "./state-edits.ts";
import { wakeNow } from "../messaging/wake.ts";

/** Makes the changes visible and keeps the lock. A repeated call and a call under an older grant change nothing. */
export async function applyState(
  engine: Engine,
  active: Pick<ActiveInvocation, "invocation" | "lock">,
  changes: StateChanges,
): Promise<void> {
  const { acceptance } = active.invocation;
  const pk = objectPartition(engine, acceptance.target);
  let lock = active.lock.known ?? (await lockAt(engine, pk));
  // An operator's edit of a workflow may come in between: the changes are then made to the edited state.
  for (;;) {
    if (lock.pendingEdit !== undefined) lock = await withoutPendingEdit(engine, pk, lock);
    if (!counts(lock, active.invocation, changes)) break;
    const state = await writeBeside(engine, pk, lock.life, lock.state, changes.inOrder, stampOf(lock, changes));
    const outcome = await engine.table.update(
      lockKey(pk),
      { set: { st: packState(state), applied: changes.segmentIndex } },
      underGrant(acceptance, lock.grant, [
        { kind: "less", attribute: "applied", than: changes.segmentIndex },
        { kind: "equal", attribute: "edits", value: lock.edits },
      ]),
    );
    lock = readLock(outcome.written ? outcome.item : outcome.existing);
  }
  if (active.lock.known !== undefined && isHeldBy(lock, acceptance)) active.lock.remember(lock);
}

/** True if the segment ran under this grant, and its changes are not in the state yet. */
export function counts(lock: Lock, { acceptance }: Invocation, { grant, segmentIndex }: StateChanges): boolean {
  return isHeldBy(lock, acceptance) && lock.grant === grant && lock.applied < segmentIndex;
}

function stampOf({ grant, edits }: Lock, { segmentIndex }: StateChanges) {
  return { grant, edits, segmentIndex };
}

/**
 * Called for an exclusive invocation that has ended, and that may hold the lock, wait for the lock, or have given the lock
 * back already. A repeated give-back wakes the direct successor, because the process of the first give-back may have died
 * before this wake. If the last segment was written together with the give-back, only the wake is left.
 */
export async function giveBack(
  engine: Engine,
  active: Pick<ActiveInvocation, "invocation" | "lock" | "lease">,
  changes: StateChanges,
): Promise<void> {
  const { acceptance } = active.invocation;
  const { givenBack } = active.lock;
  if (givenBack !== undefined) {
    const { successor } = givenBack;
    if (successor !== undefined) await wakeHolder(engine, { id: successor, target: acceptance.target });
    return;
  }
  const pk = objectPartition(engine, acceptance.target);
  const { ticket } = active.lease;
  let lock = active.lock.known;
  if (lock === undefined) {
    if (ticket !== undefined) await voidTicket(engine, pk, ticket);
    lock = await lockAt(engine, pk);
  }
  active.lock.forget();
  if (!isHeldBy(lock, acceptance)) {
    if (await isGhost(engine, acceptance, lock)) return await passOn(engine, pk, acceptance.target, lock, lock.state);
    return await wakeSuccessor(engine, acceptance.target, acceptance.nonce, lock);
  }
  const state = counts(lock, active.invocation, changes)
    ? await writeBeside(engine, pk, lock.life, lock.state, changes.inOrder, stampOf(lock, changes))
    : lock.state;
  await passOn(engine, pk, acceptance.target, lock, state);
}

/**
 * True if the holder is a life of this id that no longer exists. A slow acceptor may take the lock for such a life. A wake to the
 * id would lead to this give-back again, and so on without end.
 */
async function isGhost(engine: Engine, { id }: { readonly id: InvocationId }, { holder }: Lock): Promise<boolean> {
  if (holder?.id !== id) return false;
  const loaded = await load(engine, id);
  return loaded?.invocation.acceptance.nonce !== holder.nonce;
}

/** The holder and the waiters of a key belong to the key's service. */
type KeyOwner = Pick<Target, "service">;

/**
 * Hands the lock to the next in the queue, or frees it.
 * @param lock the lock as last read; it names the holder that gives the key back
 */
export async function passOn(
  engine: Engine,
  pk: string,
  target: KeyOwner,
  lock: Lock,
  state: KeyedState,
): Promise<void> {
  let seen = lock;
  let shown = state;
  for (;;) {
    const { holder } = seen;
    if (holder === undefined || holder.nonce !== lock.holder?.nonce || seen.grant !== lock.grant)
      return await wakeSuccessor(engine, target, lock.holder?.nonce, seen);
    if (seen.head === seen.tail) {
      const freed = await free(engine, pk, seen, shown);
      if (freed === undefined) return;
      seen = freed;
      continue;
    }
    const next = await nextInLine(engine, pk, seen.head + 1);
    if (next.kind === "edit") shown = await applyEdit(engine, pk, seen, shown, next.item);
    const { served, lock: stored } = await serve(engine, pk, seen, shown, next);
    if (served && next.kind === "waiter") return await wakeHolder(engine, { id: next.id, target });
    // If another process has served the ticket, the state that it wrote contains these changes, and perhaps a later edit.
    if (stored.head !== seen.head) shown = stored.state;
    seen = stored;
  }
}

/** @returns undefined if the key is free now, else the stored lock */
async function free(engine: Engine, pk: string, lock: Lock, state: KeyedState): Promise<Lock | undefined> {
  const outcome = await engine.table.update(lockKey(pk), freed(engine, state), whileNoneWaits(lock));
  return outcome.written ? undefined : readLock(outcome.existing);
}

/** A ticket that was drawn but not written belongs to a process that died, or that is slow and will draw another ticket. */
async function nextInLine(engine: Engine, pk: string, ticket: number): Promise<Next> {
  const found = await ticketAt(engine, pk, ticket);
  if (found !== undefined) return found;
  const gone = { ...inboxKey(pk, ticket), void: true, expiresAtS: ticketExpiryS(engine) };
  const voided = await engine.table.put(gone, { kind: "absent" });
  return voided.written ? { kind: "none" } : nextOf(voided.existing);
}

async function serve(engine: Engine, pk: string, lock: Lock, state: KeyedState, next: Next) {
  const outcome = await engine.table.update(lockKey(pk), servedTo(engine, lock, state, next), whileNextIs(lock));
  return { served: outcome.written, lock: readLock(outcome.written ? outcome.item : outcome.existing) };
}

/**
 * Wakes the invocation that has just got the key. If its driver waits in this process, the driver looks at the lock at once
 * and needs no message, because the driver has a backstop.
 */
async function wakeHolder(engine: Engine, to: { readonly id: InvocationId; readonly target: KeyOwner }): Promise<void> {
  const waiting = engine.activeInvocations.find(to.id);
  if (waiting?.lock.waitsInLine === true) waiting.inbox.interrupt();
  else await wakeNow(engine, to);
}

/**
 * Wakes the holder if this give-back has handed it the key, unless a driver has claimed the holder since. Any other holder
 * took a free key, or got the key from another give-back, which wakes it. If this give-back woke such a
 * holder too, the holder could repeat its own give-back, which wakes a further holder, and so on without end. The function costs
 * a read if the direct successor still holds the key.
 */
export async function wakeSuccessor(
  engine: Engine,
  target: KeyOwner,
  giver: Nonce | undefined,
  lock: Lock,
): Promise<void> {
  const { holder, givenBy } = lock;
  if (holder === undefined || givenBy === undefined || givenBy !== giver) return;
  const key = leaseRecordKey(invocationPk(engine.settings.keyPrefix, holder.id), holder.nonce);
  const record = await engine.table.get(key);
  if (record === undefined || mayBeUnaware(readLeaseRecord(record))) await wakeNow(engine, { id: holder.id, target });
}

/**
 * True if the holder may not have been driven since it got the key: according to its lease record it waits, is paused, has
 * not begun, or has ended.
 */
function mayBeUnaware({ status }: LeaseRecord): boolean {
  return status === "pending" || status === "paused" || status === "ready" || status === "completed";
}
