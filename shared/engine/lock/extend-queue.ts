/**
 * Extends the time to live of what waits in the queue of a key. Without its ticket a call would queue again behind calls that came later,
 * and an edit would be lost, because it exists in its ticket alone.
 */
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { inboxKey } from "../store/object-keys.ts";
import { lockAt } from "../store/object-partition.ts";
import { isHeldBy } from "./object-lock.ts";
import { extendEdits, ticketExpiryS } from "./ticket.ts";

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
