/** Forwards messages of slow services from the main lane to the slow lane, before the worker loads anything. */
import { admitMessage } from "../admission/admission.ts";
import type { Engine } from "../engine.ts";
import type { Delivery } from "../ports/queue.ts";
import { putOff } from "./work-batch.ts";

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
  if (engine.settings.hasSlowLane !== true) return { staying: deliveries, failed: [] };
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
