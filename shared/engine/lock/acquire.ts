/** Before the first attempt of what runs one at a time: the driver takes the lock of the key, or finds its place in the queue. */
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { isLeased, isParked, load, type Loaded } from "../store/load.ts";
import type { Target } from "../../core/model/target.ts";
import { EMPTY_STATE } from "../../core/object/keyed-state.ts";
import { passOn } from "./give-back.ts";
import { EDITOR, type Lock, packState, readLock } from "../store/lock-record.ts";
import { lockKey } from "../store/object-keys.ts";
import { isHeldBy, takeOrQueue } from "./object-lock.ts";
import { lockAt, objectPartition } from "../store/object-partition.ts";
import { existingAcceptance } from "../store/existing-acceptance.ts";
import type { Condition, Update } from "../ports/table.ts";
import { wakeNow } from "../messaging/wake.ts";

/** `lost`: a later life of the same workflow id has begun. */
export type Acquired = "held" | "waits" | "lost";

/**
 * Afterwards `held.lock` is what the lock shows, or `held.ticket` the place in the queue. Only what is durable may
 * stand in a lock (I6): the acceptance is waited for.
 */
export async function acquire(engine: Engine, active: ActiveInvocation): Promise<Acquired> {
  if (active.durable !== undefined) {
    await active.durable;
    delete active.durable;
  }
  const { acceptance, segmentIndex } = active.invocation;
  const pk = objectPartition(engine, acceptance.target);
  if (acceptance.handlerType === "workflow") return await beginLife(engine, active, pk);
  // Who has accepted it just now knows that nobody can have taken the lock for it.
  const isNew = segmentIndex === 0 && active.leaseRecord === undefined && active.ticket === undefined;
  if (!isNew) {
    const lock = await lockAt(engine, pk);
    if (isHeldBy(lock, acceptance)) return grasped(active, lock);
    const ticket = active.ticket ?? active.leaseRecord?.ticket;
    if (ticket !== undefined && lock.holder !== undefined && ticket > lock.head) {
      active.ticket = ticket;
      await lookAtHolder(engine, pk, acceptance.target, lock);
      return "waits";
    }
  }
  const taking = await takeOrQueue(engine, pk, acceptance);
  if (taking.kind === "held") return grasped(active, taking.lock);
  active.ticket = taking.ticket;
  await lookIfStale(engine, pk, acceptance.target, taking);
  return "waits";
}

/** So many leases a holder may take before the first in line looks at it: a driver that is alive has renewed by then. */
const STALE_LEASES = 2;

/**
 * The first in line behind a lock that was taken long ago looks at its holder, once: a take that came late may have left
 * it to an invocation that has ended, and nobody else would notice before the next interval. What an operator's edit
 * holds is passed on by whoever comes: it is done in the queue, and its editor may have died.
 */
export async function lookIfStale(
  engine: Engine,
  pk: string,
  target: Pick<Target, "service">,
  { ticket, lock }: { readonly ticket: number; readonly lock: Lock },
): Promise<void> {
  const heldMs = engine.clock.nowMs() - lock.sinceMs;
  const isStale = ticket === lock.head + 1 && heldMs > STALE_LEASES * engine.settings.leaseMs;
  if (isStale || lock.holder?.id === EDITOR) await lookAtHolder(engine, pk, target, lock);
}

function grasped(active: ActiveInvocation, lock: Lock): "held" {
  active.lock = lock;
  return "held";
}

/** After a park was written: whether the lock came to it meanwhile, whose wake met a driver that was just leaving (I4). */
export async function hasComeToHold(
  engine: Engine,
  { invocation: { acceptance } }: { readonly invocation: Pick<ActiveInvocation["invocation"], "acceptance"> },
): Promise<boolean> {
  return isHeldBy(await lockAt(engine, objectPartition(engine, acceptance.target)), acceptance);
}

/** True where a wake found an invocation that still waits in the queue of its key. */
export async function stillWaits(
  engine: Engine,
  { invocation, leaseRecord }: Pick<ActiveInvocation, "invocation" | "leaseRecord">,
): Promise<boolean> {
  if (leaseRecord?.status !== "pending" || leaseRecord.ticket === undefined) return false;
  const lock = await lockAt(engine, objectPartition(engine, invocation.acceptance.target));
  return !isHeldBy(lock, invocation.acceptance) && lock.holder !== undefined && leaseRecord.ticket > lock.head;
}

/** Who waits for long looks whether the holder is one that can ever give back: a ghost is passed over, and one that nobody drives is woken. */
async function lookAtHolder(engine: Engine, pk: string, target: Pick<Target, "service">, lock: Lock): Promise<void> {
  const { holder } = lock;
  if (holder === undefined) return;
  if (holder.id === EDITOR) return await passOn(engine, pk, target, lock, lock.state);
  const loaded = await load(engine, holder.id);
  if (loaded === undefined || loaded.invocation.acceptance.nonce !== holder.nonce)
    await passOn(engine, pk, target, lock, lock.state);
  else if (loaded.invocation.phase.status === "completed" || isLeft(engine, loaded))
    await wakeNow(engine, loaded.invocation.acceptance);
}

/** Its driver has died: the lease is over, and it was not put down. */
function isLeft(engine: Engine, loaded: Loaded): boolean {
  return !isParked(loaded) && !isLeased(engine, loaded, engine.clock.nowMs());
}

/**
 * Asked after the lock was read: a later life takes the lock only once its acceptance stands in place of this one. The
 * moments of two lives come from two clocks, and tell nothing of their order.
 */
async function stillStands(
  engine: Engine,
  { id, nonce }: ActiveInvocation["invocation"]["acceptance"],
): Promise<boolean> {
  return (await existingAcceptance(engine, id))?.["n"] === nonce;
}

/** The run of a workflow has its id for itself; what a former life left of state and promises is not its own (I12). */
async function beginLife(engine: Engine, active: ActiveInvocation, pk: string): Promise<Acquired> {
  const { acceptance, segmentIndex } = active.invocation;
  const { id, nonce, createdAtMs } = acceptance;
  if (segmentIndex > 0) {
    // Its life began with its first attempt: looking costs less than a write that is refused.
    const lock = await lockAt(engine, pk);
    if (isHeldBy(lock, acceptance)) return grasped(active, lock);
  }
  const set = { held: 1, holder: id, holderNonce: nonce, applied: 0, sinceMs: createdAtMs };
  const counters = { head: 0, tail: 0, edits: 0 };
  const first: Update = { set: { ...set, grant: createdAtMs }, add: { ...counters, life: 0 } };
  const neverRun: Condition = { kind: "any", of: [{ kind: "absent" }, { kind: "equal", attribute: "held", value: 0 }] };
  const begun = await engine.table.update(lockKey(pk), first, neverRun);
  if (begun.written) return grasped(active, readLock(begun.item));
  for (let lock = readLock(begun.existing); ;) {
    if (isHeldBy(lock, acceptance)) return grasped(active, lock);
    if (lock.holder === undefined || !(await stillStands(engine, acceptance))) return "lost";
    const nextLife = { life: lock.life + 1, lifeFromMs: lock.goneAtMs ?? createdAtMs };
    const next: Update = {
      set: { ...set, ...nextLife, grant: lock.grant + 1, st: packState(EMPTY_STATE) },
      add: counters,
      remove: ["goneAtMs", "expiresAtS"],
    };
    const standing: Condition = { kind: "equal", attribute: "holderNonce", value: lock.holder.nonce };
    const outcome = await engine.table.update(lockKey(pk), next, standing);
    lock = readLock(outcome.written ? outcome.item : outcome.existing);
  }
}
