/** Works on all messages of a batch at the same time, and returns those that must come again. */
import type { Engine } from "../engine.ts";
import type { Delivery } from "../ports/queue.ts";
import { VisibilityExtender } from "./visibility-extender.ts";
import { hideLonger, workThrough } from "./worker-loop.ts";

const PAUSE_MAX_MS = 300_000;
/** The time beyond a lease for which messages are hidden, as a share of the lease. */
const BEYOND_LEASE_SHARE = 0.25;

/**
 * The queue hides a batch for as long as a function on AWS can run. `workBatch` hides each message for little more than a lease
 * at a time, so that the messages of a dead process come again when its leases are over, not minutes later
 * (docs/design.md#a-message-is-the-backstop-of-its-driver). They must not come earlier: a worker would find the lease of the
 * dead driver, and put the message back as a new one. The receive count, by which the queue finds dead letters, would restart.
 * `workBatch` awaits all its requests, because the process freezes after its reply.
 * @returns the messages that must come again; the others may be deleted, and some are deleted already
 */
export async function workBatch<D extends Delivery>(engine: Engine, deliveries: readonly D[]): Promise<readonly D[]> {
  const hideMs = engine.settings.leaseMs * (1 + BEYOND_LEASE_SHARE);
  const hidden = new VisibilityExtender(engine, { hideMs, atOnce: true });
  const batches = [deliveries];
  const failed: D[] = [];
  await workThrough<D>(engine, hidden, {
    next: async () => batches.pop(),
    // The reply of the function deletes finished messages. But nothing hides a finished message any more, so it would come again
    // before the reply if the rest of the batch takes long. Therefore the next round of `hidden`, if there is one, deletes it.
    ack: (delivery) => hidden.ackInRound(delivery),
    putOff: (delivery) => void failed.push(delivery),
  });
  await Promise.all(failed.map((delivery) => putOff(engine, delivery)));
  return failed;
}

/** Hides a failed message until its next try; the delay grows with each try. */
export async function putOff(engine: Engine, delivery: Delivery): Promise<void> {
  await hideLonger(engine, delivery, PAUSE_MAX_MS);
}
