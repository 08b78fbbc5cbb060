/**
 * Reserves the free key of an exclusive invocation in a process that owns its store alone (ADR 16): the handler runs before
 * the table names the invocation as the holder, and one transaction then writes the first segment and the lock (I6).
 */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import { isEmpty } from "../../core/object/keyed-state.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import type { Reservation } from "../local/lock-handle.ts";
import type { Condition } from "../ports/table.ts";
import { type Lock, readLock } from "../store/lock-record.ts";
import { lockKey } from "../store/object-keys.ts";
import { lockAt } from "../store/object-partition.ts";
import { isHeldBy, takenBy } from "./object-lock.ts";
import { acceptanceWaitMs, mayReserveKeys } from "../ports/store-ownership.ts";

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
