/**
 * Takes the lock of a key before the first attempt of an exclusive invocation or a workflow's run. If the key has a holder,
 * the exclusive invocation queues.
 */
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { isLeased, isParked, load, type Loaded } from "../store/load.ts";
import type { Target } from "../../core/model/target.ts";
import { EMPTY_STATE } from "../../core/object/keyed-state.ts";
import { passOn } from "./give-back.ts";
import { EDITOR, type Lock, packState, readLock } from "../store/lock-record.ts";
import { lockKey } from "../store/object-keys.ts";
import { ticketAt } from "./hand-over.ts";
import { isGivenUp, lockInTurn } from "./leave-queue.ts";
import { isHeldBy, takeOrQueue } from "./object-lock.ts";
import { lockAt, objectPartition } from "../store/object-partition.ts";
import { withoutPendingEdit } from "./state-edits.ts";
import { reserveKey } from "./lock-with-segment.ts";
import { existingAcceptance } from "../store/acceptance-record.ts";
import { TooLargeError } from "../store/read-partition.ts";
import type { Condition, Update } from "../ports/table.ts";
import { wakeNow } from "../messaging/wake.ts";

/** `lost`: a later life of the same workflow id has begun. */
export type Acquired = "held" | "waits" | "lost";

/**
 * After `held`, `active.lock` contains the lock; after `waits`, `active.lease` contains the ticket. If the key is not reserved,
 * the function first waits until the acceptance is durable, because a lock must name a durable invocation (I6).
 */
export async function acquire(engine: Engine, active: ActiveInvocation): Promise<Acquired> {
  const { lease, invocation } = active;
  const { acceptance, segmentIndex, leftQueueAt } = invocation;
  const pk = objectPartition(engine, acceptance.target);
  if (await reserveKey(engine, active, pk)) return "held";
  await active.ownAcceptance?.settle();
  if (acceptance.handlerType === "workflow") return await beginLife(engine, active, pk);
  // No other process can have taken the lock for an invocation that this process has just accepted.
  const isNew = segmentIndex === 0 && lease.record === undefined && lease.ticket === undefined;
  if (!isNew) {
    const lock = await lockInTurn(engine, pk, invocation);
    if (isHeldBy(lock, acceptance)) return nowHeld(active, lock);
    const { ticket } = lease;
    if (ticket !== undefined && lock.holder !== undefined && ticket > lock.head) {
      await lookAtHolder(engine, pk, acceptance.target, lock);
      return "waits";
    }
  }
  const { id, nonce } = acceptance;
  for (;;) {
    const taking = await takeOrQueue(engine, pk, { id, nonce, ...(leftQueueAt !== undefined && { leftQueueAt }) });
    if (taking.kind === "waits") {
      lease.drawTicket(taking.ticket);
      active.lock.notePlace();
      await lookIfStale(engine, pk, acceptance.target, taking);
      return "waits";
    }
    if (!isGivenUp(taking.lock, invocation)) return nowHeld(active, taking.lock);
    await passOn(engine, pk, acceptance.target, taking.lock, taking.lock.state);
  }
}

/** On behalf of the first waiter, a process looks at a holder that has held the key for longer than this many leases. */
const STALE_LEASES = 2;

/**
 * Looks at the holder of a lock that was taken long ago, on behalf of the first waiter in the queue: a late take may have given
 * the lock to an ended invocation, and without this look no process would notice that before the sweeper's next look. If an
 * operator's edit holds the lock, any process passes the lock on, because the process that began the edit may have died.
 * `passOn` then applies the edit from its ticket.
 */
export async function lookIfStale(
  engine: Engine,
  pk: string,
  target: Pick<Target, "service">,
  { ticket, lock }: { readonly ticket: number; readonly lock: Lock },
): Promise<void> {
  const isStale = engine.clock.nowMs() - lock.sinceMs > STALE_LEASES * engine.settings.leaseMs;
  if (lock.holder?.id === EDITOR || (isStale && (await isFirst(engine, pk, ticket, lock))))
    await lookAtHolder(engine, pk, target, lock);
}

/** The most tickets before an own one that are read to find out who waits first. */
const BEFORE_MAX = 32;

/**
 * True if no invocation waits before this ticket. An edit looks at no holder, and neither does a ticket that is void, or was drawn and
 * never written: its invocation may have drawn a later one.
 */
async function isFirst(engine: Engine, pk: string, ticket: number, { head }: Lock): Promise<boolean> {
  for (let before = head + 1; before < ticket && before <= head + BEFORE_MAX; before++)
    if ((await ticketAt(engine, pk, before))?.kind === "waiter") return false;
  return true;
}

function nowHeld(active: ActiveInvocation, lock: Lock): "held" {
  active.lock.remember(lock);
  return "held";
}

/**
 * Called after the write of a park. True if the invocation holds the lock by now: the wake after the hand-over may have come
 * while the driver was still parking the invocation (I4).
 */
export async function hasComeToHold(
  engine: Engine,
  { invocation: { acceptance } }: { readonly invocation: Pick<ActiveInvocation["invocation"], "acceptance"> },
): Promise<boolean> {
  return isHeldBy(await lockAt(engine, objectPartition(engine, acceptance.target)), acceptance);
}

/** True if the invocation that a wake names is still waiting in the queue of its key. */
export async function stillWaits(
  engine: Engine,
  { invocation, leaseRecord }: Pick<Loaded, "invocation" | "leaseRecord">,
): Promise<boolean> {
  if (leaseRecord?.status !== "pending" || leaseRecord.ticket === undefined) return false;
  const lock = await lockAt(engine, objectPartition(engine, invocation.acceptance.target));
  return !isHeldBy(lock, invocation.acceptance) && lock.holder !== undefined && leaseRecord.ticket > lock.head;
}

/** The most bytes of a holder that a look loads: every edit that waits makes such a look. */
const LOOKED_AT_MAX_BYTES = 4 << 20;

/**
 * Looks at the holder on behalf of an invocation that waits for long, or of an edit. If the holder's life no longer exists, or a
 * pause made the holder give up the key, the function passes the lock on. If the holder has ended or has no driver, or is too large
 * to be loaded here, the function wakes the holder.
 */
export async function lookAtHolder(
  engine: Engine,
  pk: string,
  target: Pick<Target, "service">,
  lock: Lock,
): Promise<void> {
  const { holder } = lock;
  if (holder === undefined) return;
  if (holder.id === EDITOR) return await passOn(engine, pk, target, lock, lock.state);
  const loaded = await load(engine, holder.id, LOOKED_AT_MAX_BYTES).catch((error: unknown) => {
    if (error instanceof TooLargeError) return "too large" as const;
    throw error;
  });
  if (loaded === "too large") return await wakeNow(engine, { id: holder.id, target });
  if (loaded === undefined || loaded.invocation.acceptance.nonce !== holder.nonce)
    await passOn(engine, pk, target, lock, lock.state);
  else if (loaded.invocation.phase.status === "completed" || isLeft(engine, loaded))
    await wakeNow(engine, loaded.invocation.acceptance);
  else if (loaded.invocation.phase.status === "paused" && isGivenUp(lock, loaded.invocation))
    await passOn(engine, pk, target, lock, lock.state);
}

/** True if the driver died: its lease is over, and it has not parked the invocation. */
function isLeft(engine: Engine, loaded: Loaded): boolean {
  return !isParked(loaded) && !isLeased(engine, loaded, engine.clock.nowMs());
}

/**
 * True if no later life has replaced this one. Called after the read of the lock, because a later life takes the lock only
 * after its acceptance has replaced the acceptance of this life. The moments of the two
 * acceptances come from two clocks, so they do not show which life is later.
 */
async function stillStands(
  engine: Engine,
  { id, nonce }: ActiveInvocation["invocation"]["acceptance"],
): Promise<boolean> {
  return (await existingAcceptance(engine, id))?.["n"] === nonce;
}

/** A workflow's run begins a new life of the key; the state and the promises of a former life are not its own (I12). */
async function beginLife(engine: Engine, active: ActiveInvocation, pk: string): Promise<Acquired> {
  const { acceptance, segmentIndex } = active.invocation;
  const { id, nonce, createdAtMs } = acceptance;
  if (segmentIndex > 0) {
    // The lock is taken before the first attempt, so after a segment the lock usually names this life already. A read then
    // costs less than a refused write.
    const lock = await lockAt(engine, pk);
    if (isHeldBy(lock, acceptance)) return nowHeld(active, await withoutPendingEdit(engine, pk, lock));
  }
  const set = { held: 1, holder: id, holderNonce: nonce, applied: 0, sinceMs: createdAtMs };
  const counters = { head: 0, tail: 0, edits: 0 };
  // The lock of a purged run expires, and must not while a new run holds it.
  const first: Update = {
    set: { ...set, grant: createdAtMs },
    add: { ...counters, life: 0 },
    remove: ["expiresAtS"],
  };
  const neverRun: Condition = { kind: "any", of: [{ kind: "absent" }, { kind: "equal", attribute: "held", value: 0 }] };
  const begun = await engine.table.update(lockKey(pk), first, neverRun);
  if (begun.written) return nowHeld(active, await withoutPendingEdit(engine, pk, readLock(begun.item)));
  for (let lock = readLock(begun.existing); ;) {
    if (isHeldBy(lock, acceptance)) return nowHeld(active, await withoutPendingEdit(engine, pk, lock));
    if (lock.holder === undefined || !(await stillStands(engine, acceptance))) return "lost";
    const nextLife = { life: lock.life + 1, lifeFromMs: lock.goneAtMs ?? createdAtMs };
    const next: Update = {
      set: { ...set, ...nextLife, grant: lock.grant + 1, st: packState(EMPTY_STATE) },
      add: counters,
      remove: ["goneAtMs", "expiresAtS", "pendingEdit"],
    };
    const isHolder: Condition = { kind: "equal", attribute: "holderNonce", value: lock.holder.nonce };
    const outcome = await engine.table.update(lockKey(pk), next, isHolder);
    lock = readLock(outcome.written ? outcome.item : outcome.existing);
  }
}
