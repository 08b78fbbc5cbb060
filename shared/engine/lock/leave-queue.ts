/**
 * Takes a paused invocation out of the queue of its key, and passes on a key that the invocation is granted after it
 * has left the queue (I6).
 */
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import type { Lock } from "../store/lock-record.ts";
import { lockAt, objectPartition } from "../store/object-partition.ts";
import { passOn, wakeSuccessor } from "./give-back.ts";
import { ALL_APPLIED } from "./hand-over.ts";
import { isHeldBy } from "./object-lock.ts";
import { voidTicket } from "./ticket.ts";

type Leaving = Pick<Invocation, "acceptance" | "leftQueueAt" | "grant">;

/**
 * Voids the ticket. The invocation draws another one when it is resumed. If the ticket was served before it became void, the
 * driver passes the key on after the park (`passOver`).
 */
export async function leaveQueue(
  engine: Engine,
  { invocation, lease, lock }: Pick<ActiveInvocation, "invocation" | "lease" | "lock">,
): Promise<void> {
  lock.forget();
  const { ticket } = lease;
  if (ticket === undefined) return;
  await voidTicket(engine, objectPartition(engine, invocation.acceptance.target), ticket);
  lease.dropTicket();
}

/**
 * True if the invocation holds the key by a take or a ticket from before the pause that took it out of the queue. No attempt
 * runs under such a grant: the segment of the pause fences earlier drivers, and a resumed invocation takes the key or queues
 * anew. A take or a ticket after the pause sets `applied` of the lock to `leftQueueAt`, and then the function returns false, so
 * that a late process does not pass on a key that is in use.
 */
export function isGivenUp(lock: Lock, { acceptance, leftQueueAt, grant }: Leaving): boolean {
  // An invocation that has run under a grant never leaves the queue again.
  if (leftQueueAt === undefined || grant !== undefined || !isHeldBy(lock, acceptance)) return false;
  return lock.applied < leftQueueAt || lock.applied === ALL_APPLIED;
}

/** Reads the lock for a driver that wants the key, and passes on a key that the invocation has given up. */
export async function lockInTurn(engine: Engine, pk: string, invocation: Leaving): Promise<Lock> {
  for (;;) {
    const lock = await lockAt(engine, pk);
    if (!isGivenUp(lock, invocation)) return lock;
    await passOn(engine, pk, invocation.acceptance.target, lock, lock.state);
  }
}

/**
 * Called for a paused invocation after its park, at each of its messages, and at the looks of the sweeper: a ticket may have
 * been served before it was made void, and an acceptor that died may have left a ticket that no record names. A repeated call
 * wakes the direct successor, as a repeated give-back does.
 */
export async function passOver(engine: Engine, invocation: Leaving): Promise<void> {
  const { acceptance, leftQueueAt } = invocation;
  if (leftQueueAt === undefined) return;
  const lock = await lockInTurn(engine, objectPartition(engine, acceptance.target), invocation);
  if (!isHeldBy(lock, acceptance)) await wakeSuccessor(engine, acceptance.target, acceptance.nonce, lock);
}
