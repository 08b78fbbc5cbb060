/** Ends a workflow's life. Its state and promises expire together with the result of its run; a purge deletes them. */
import type { Effect } from "../../core/invocation/effects.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import { EMPTY_STATE } from "../../core/object/keyed-state.ts";
import type { Engine } from "../engine.ts";
import { applyState } from "./give-back.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { packState, readLock } from "../store/lock-record.ts";
import { isHeldBy, underGrant } from "./object-lock.ts";
import { lockKey } from "../store/object-keys.ts";
import { lockAt, objectPartition } from "../store/object-partition.ts";
import { dropLife, expireLife } from "./stored-state.ts";
import { withoutPendingEdit } from "./state-edits.ts";
import { expiryS } from "./promises.ts";

type Close = Extract<Effect, { kind: "close-workflow" }>;

/** The run keeps the lock. The lock gets the moment until which this life is readable. The next run begins another life. */
export async function closeWorkflow(
  engine: Engine,
  active: Pick<ActiveInvocation, "invocation" | "lock">,
  { changes, endedAtMs }: Close,
): Promise<void> {
  if (changes.inOrder.length > 0) await applyState(engine, active, changes);
  active.lock.forget();
  const { acceptance } = active.invocation;
  const pk = objectPartition(engine, acceptance.target);
  const lock = await withoutPendingEdit(engine, pk, await lockAt(engine, pk));
  if (!isHeldBy(lock, acceptance)) return;
  const goneAtMs = endedAtMs + acceptance.completionRetentionMs;
  const set = { goneAtMs, expiresAtS: expiryS(goneAtMs) };
  await engine.table.update(lockKey(pk), { set }, underGrant(acceptance, lock.grant));
  await expireLife(engine, pk, lock.life, expiryS(goneAtMs));
}

/** Deletes the life of a purged run. The next run under its key finds an empty state and no promises (I12). */
export async function wipeWorkflow(engine: Engine, { acceptance }: Pick<Invocation, "acceptance">): Promise<void> {
  if (acceptance.handlerType !== "workflow") return;
  const pk = objectPartition(engine, acceptance.target);
  const lock = await lockAt(engine, pk);
  if (!isHeldBy(lock, acceptance)) {
    // An earlier try of this purge may have ended before all items of the life were deleted.
    if (lock.holder === undefined && lock.life > 0) await dropLife(engine, pk, lock.life - 1);
    return;
  }
  const nowMs = engine.clock.nowMs();
  const nextLife = { life: lock.life + 1, lifeFromMs: nowMs };
  const outcome = await engine.table.update(
    lockKey(pk),
    {
      set: { held: 0, ...nextLife, st: packState(EMPTY_STATE), expiresAtS: expiryS(nowMs) },
      remove: ["holder", "holderNonce", "goneAtMs", "pendingEdit"],
    },
    underGrant(acceptance, lock.grant),
  );
  // The number of the life only grows. A greater number in the lock means that this life is over, even if the answer to
  // this update was lost.
  const stored = readLock(outcome.written ? outcome.item : outcome.existing);
  if (stored.life > lock.life) await dropLife(engine, pk, lock.life);
}
