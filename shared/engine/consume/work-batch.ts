/** Works on a batch of messages at the same time, keeps them hidden meanwhile, and answers for all of them together. */
import type { Engine } from "../engine.ts";
import type { Delivery } from "../ports/queue.ts";
import { consumeWake } from "./consume-wake.ts";

const PAUSE_MIN_MS = 1_000;
const PAUSE_MAX_MS = 300_000;
/** Share of a lease: the interval at which messages are hidden again, and the time beyond a lease for which they are hidden. */
const ROUND_SHARE = 0.25;

/**
 * The queue hides a batch for as long as a function can run. This function hides each message for little more than a lease
 * at a time, so that the messages of a dead process come again when its leases are over, not minutes later
 * (docs/design.md#a-message-is-the-backstop-of-its-driver). They do not come earlier either: a message that met the lease of
 * a dead driver would be put back as a new message, and the queue's receive count, which finds dead letters, would restart.
 * @returns the messages that must come again; the others may be deleted, and some are deleted already
 */
export async function workBatch<D extends Delivery>(engine: Engine, deliveries: readonly D[]): Promise<readonly D[]> {
  const open = new Set(deliveries);
  const finished = new Set<D>();
  const failed: D[] = [];
  const over = new AbortController();
  const hidden = keepHidden(engine, open, finished, over.signal);
  await Promise.all(
    deliveries.map(async (delivery) => {
      if (await work(engine, delivery)) finished.add(delivery);
      else failed.push(delivery);
      open.delete(delivery);
    }),
  );
  over.abort();
  // No request may stay under way, because the process freezes after its reply.
  await hidden;
  await Promise.all(failed.map((delivery) => putOff(engine, delivery)));
  return failed;
}

/** @returns false where the message must come again (I11) */
async function work(engine: Engine, { wake, receiveCount }: Delivery): Promise<boolean> {
  try {
    await consumeWake(engine, wake);
    return true;
  } catch (error) {
    const { invocationId } = wake;
    engine.log.write("wake.failed", { invocationId, receiveCount, error: String(error) });
    return false;
  }
}

/** Also deletes finished messages: they would come again before the whole batch is answered. */
async function keepHidden<D extends Delivery>(
  engine: Engine,
  open: ReadonlySet<D>,
  finished: Set<D>,
  over: AbortSignal,
): Promise<void> {
  const { leaseMs } = engine.settings;
  const roundMs = leaseMs * ROUND_SHARE;
  do {
    const done = [...finished];
    await Promise.all([
      ...[...open].map((delivery) => hideFor(engine, delivery, leaseMs + roundMs)),
      ...done.map(async (delivery) => {
        finished.delete(delivery);
        await engine.queue.ack(delivery.receipt).catch(() => undefined);
      }),
    ]);
  } while (await engine.clock.sleep(roundMs, over));
}

/** Lets a failed message come again, later each time. */
export async function putOff(engine: Engine, delivery: Delivery): Promise<void> {
  await hideFor(engine, delivery, pauseMs(delivery));
}

async function hideFor(engine: Engine, { receipt, wake }: Delivery, ms: number): Promise<void> {
  try {
    await engine.queue.extend(receipt, ms);
  } catch (error) {
    engine.log.write("message.extension-failed", { invocationId: wake.invocationId, error: String(error) });
  }
}

/** The pause doubles each time, so that an outage of the store does not turn its messages into dead letters. */
function pauseMs({ receiveCount }: Delivery): number {
  return Math.min(PAUSE_MIN_MS * 2 ** Math.min(receiveCount, 20), PAUSE_MAX_MS);
}
