/** Works on all messages of a batch at the same time, after it has sent those of slow services to the slow lane. */
import type { Engine } from "../engine.ts";
import type { Delivery } from "../ports/queue.ts";
import { hideLonger, VisibilityExtender, workThrough } from "./worker-loop.ts";
import { admitMessage } from "../admission/admission.ts";
import { slowServicesGoTo } from "../ports/store-ownership.ts";

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
async function putOff(engine: Engine, delivery: Delivery): Promise<void> {
  await hideLonger(engine, delivery, PAUSE_MAX_MS);
}

/** The messages of one batch from the main lane: `staying` messages belong there, `failed` messages could not be forwarded. */
export interface Sorted<D extends Delivery> {
  readonly staying: readonly D[];
  readonly failed: readonly D[];
}

/**
 * Forwards messages of slow services. A message is deleted after its replacement is sent. If the sending fails, the message
 * comes again (I11).
 */
export async function sendSlowOn<D extends Delivery>(engine: Engine, deliveries: readonly D[]): Promise<Sorted<D>> {
  if (slowServicesGoTo(engine.settings) !== "slow-lane") return { staying: deliveries, failed: [] };
  await freshen(engine);
  // One loop fills both lists. With two loops, a slow note that is read between them could keep a message out of both lists.
  const [slow, staying, failed]: [D[], D[], D[]] = [[], [], []];
  for (const delivery of deliveries) {
    (admitMessage(engine, delivery.wake).kind === "go" ? staying : slow).push(delivery);
  }
  await Promise.all(
    slow.map(async (delivery) => {
      if (!(await sendOn(engine, delivery))) failed.push(delivery);
    }),
  );
  return { staying, failed };
}

/**
 * Makes the cached registry at most a second old. If the read fails, the cached registry stays in use, and the work on the
 * messages may later meet the same failure.
 */
async function freshen(engine: Engine): Promise<void> {
  await engine.registry.services().catch((error: unknown) => {
    engine.log.write("service.lookup-failed", { error: String(error) });
  });
}

async function sendOn(engine: Engine, delivery: Delivery): Promise<boolean> {
  const { wake, receipt } = delivery;
  try {
    await engine.queue.send({ ...wake, delayMs: 0 });
  } catch (error) {
    const { invocationId } = wake;
    engine.log.write("wake.handover-failed", { invocationId, error: String(error) });
    await putOff(engine, delivery);
    return false;
  }
  // If the deletion fails, the message is deleted with the batch, or it comes again and is forwarded again.
  await engine.queue.ack(receipt).catch(() => undefined);
  return true;
}
