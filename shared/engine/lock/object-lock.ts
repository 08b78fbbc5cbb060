/** Takes the lock of a key, and queues for it: single conditional writes, no transaction and no read (I6, I10, ADR 0011). */
import { type Acceptance, needsLock } from "../../core/invocation/acceptance.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { Engine } from "../engine.ts";
import { extendEdits, ticketExpiryS } from "./ticket.ts";
import { inboxKey, lockKey } from "../store/object-keys.ts";
import { type Lock, readLock } from "../store/lock-record.ts";
import type { Condition, ItemValue, Update } from "../ports/table.ts";
import { mayReserveKeys } from "../ports/store-ownership.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import { lockAt, objectPartition } from "../store/object-partition.ts";

export type Claimant = Pick<Acceptance, "id" | "nonce"> & Pick<Invocation, "leftQueueAt">;

/**
 * The holder is one life of an invocation, not a process. The nonce alone does not identify the life: a restart that keeps
 * the beginning of a journal keeps the nonce.
 */
export function isHeldBy({ holder }: Lock, { id, nonce }: Claimant): boolean {
  return holder?.id === id && holder.nonce === nonce;
}

/** The condition that the stored lock still has this holder and this grant. */
export function underGrant(
  { nonce }: Pick<Claimant, "nonce">,
  grant: number,
  more: readonly Condition[] = [],
): Condition {
  const mine: Condition[] = [
    { kind: "equal", attribute: "holderNonce", value: nonce },
    { kind: "equal", attribute: "grant", value: grant },
  ];
  return { kind: "all", of: [...mine, ...more] };
}

export type Taking =
  | { readonly kind: "held"; readonly lock: Lock }
  /** `lock` as it was when the ticket was drawn. */
  | { readonly kind: "waits"; readonly ticket: number; readonly lock: Lock };

/**
 * Takes the lock of a free key, with the state that is packed in; if the key is taken, queues at the end. An invocation that
 * queues twice gets the lock twice, and gives it back at once the second time.
 * @param more further attributes of the ticket
 */
export async function takeOrQueue(
  engine: Engine,
  pk: string,
  claimant: Claimant,
  more: Readonly<Record<string, ItemValue>> = {},
): Promise<Taking> {
  return await besideReservations(engine, pk, () => takeOrQueueInTurn(engine, pk, claimant, more));
}

/**
 * Changes the lock of a key that may be free. In a process that owns its store alone, a driver may have reserved the key,
 * which the table does not show: the change waits for the end of the reservation.
 */
export async function besideReservations<T>(
  { settings, activeInvocations }: Engine,
  pk: string,
  change: () => Promise<T>,
): Promise<T> {
  if (!mayReserveKeys(settings)) return await change();
  const turn = await activeInvocations.keyTurns.together(pk);
  try {
    return await change();
  } finally {
    turn.leave();
  }
}

async function takeOrQueueInTurn(
  engine: Engine,
  pk: string,
  claimant: Claimant,
  more: Readonly<Record<string, ItemValue>>,
): Promise<Taking> {
  let grant = engine.clock.nowMs();
  for (;;) {
    const current = await take(engine, pk, claimant, grant);
    if (isHeldBy(current, claimant)) return { kind: "held", lock: current };
    if (current.holder === undefined) {
      // The key is free, but its last grant came from a clock that is ahead of this one.
      grant = current.grant + 1;
      continue;
    }
    const lock = await queueUp(engine, pk, claimant, more);
    if (lock !== undefined) return { kind: "waits", ticket: lock.tail, lock };
  }
}

/**
 * @param grant the new grant, which comes from the clock, so that grants grow even if a lock was deleted and created again
 * @returns the stored lock afterwards
 */
async function take(
  engine: Engine,
  pk: string,
  { id, nonce, leftQueueAt: applied = 0 }: Claimant,
  grant: number,
): Promise<Lock> {
  const free: Condition = {
    kind: "all",
    of: [
      { kind: "equal", attribute: "held", value: 0 },
      { kind: "less", attribute: "grant", than: grant },
    ],
  };
  const outcome = await engine.table.update(
    lockKey(pk),
    takenBy({ id, nonce }, { grant, applied, sinceMs: engine.clock.nowMs() }),
    { kind: "any", of: [{ kind: "absent" }, free] },
  );
  return readLock(outcome.written ? outcome.item : outcome.existing);
}

/** The change of a free lock that makes the claimant its holder. */
export function takenBy(
  { id, nonce }: Pick<Claimant, "id" | "nonce">,
  { grant, applied, sinceMs }: Pick<Lock, "grant" | "applied" | "sinceMs">,
): Update {
  return {
    set: { held: 1, holder: id, holderNonce: nonce, grant, applied, sinceMs },
    add: { head: 0, tail: 0, edits: 0 },
    remove: ["expiresAtS"],
  };
}

/**
 * Draws a ticket and writes it. If a pause has taken the invocation out of the queue before, the ticket names the segment of
 * that pause (`isGivenUp`).
 * @returns the lock, whose tail is the ticket; undefined if the key has become free
 */
export async function queueUp(
  engine: Engine,
  pk: string,
  { id, nonce, leftQueueAt }: Claimant,
  more: Readonly<Record<string, ItemValue>>,
): Promise<Lock | undefined> {
  for (;;) {
    const drawn = await engine.table.update(
      lockKey(pk),
      { add: { tail: 1 } },
      { kind: "equal", attribute: "held", value: 1 },
    );
    if (!drawn.written) return undefined;
    const lock = readLock(drawn.item);
    const laid = await engine.table.put(
      {
        ...more,
        ...inboxKey(pk, lock.tail),
        id,
        n: nonce,
        ...(leftQueueAt !== undefined && { applied: leftQueueAt }),
        drawnAtMs: engine.clock.nowMs(),
        expiresAtS: ticketExpiryS(engine),
      },
      { kind: "absent" },
    );
    // The give-back of the holder voids a ticket that is drawn but not written yet. The invocation then draws another ticket.
    if (laid.written || laid.existing?.["n"] === nonce) return lock;
  }
}

interface Place {
  readonly id: InvocationId;
  readonly nonce: Nonce;
  /** The place in the queue, if the invocation waits or waited there. */
  readonly ticket: number | undefined;
}

/**
 * Called when an open invocation is extended, so at least every 29 days, for the holder of a key or one that waits for it. It extends
 * its own ticket and the edits directly behind it: it stays open until these are served. Costs a read of the lock and one of the queue.
 */
export async function extendQueue(engine: Engine, pk: string, { id, nonce, ticket }: Place): Promise<void> {
  const lock = await lockAt(engine, pk);
  if (ticket !== undefined && ticket > lock.head) {
    const own = { kind: "equal", attribute: "n", value: nonce } as const;
    await engine.table.update(inboxKey(pk, ticket), { set: { expiresAtS: ticketExpiryS(engine) } }, own);
    await extendEdits(engine, pk, ticket);
  } else if (isHeldBy(lock, { id, nonce })) await extendEdits(engine, pk, lock.head);
}

/**
 * The final segment is durable a moment before the state of the key is written and the lock is handed on. Costs one read of
 * the lock for an invocation that needed the lock, and nothing for any other.
 */
export async function isResultVisible(engine: Engine, { acceptance, phase }: Invocation): Promise<boolean> {
  if (phase.status !== "completed") return false;
  if (!needsLock(acceptance)) return true;
  const lock = await lockAt(engine, objectPartition(engine, acceptance.target));
  // The run of a workflow still holds its key after its end. `closeWorkflow` writes the state and then sets `goneAtMs`.
  return !isHeldBy(lock, acceptance) || lock.goneAtMs !== undefined;
}
