/** Forwards messages of slow services from the main lane to the slow lane, before the worker loads anything. */
import type { Engine } from "../engine.ts";
import type { Delivery } from "../ports/queue.ts";
import { putOff } from "./work-batch.ts";

/** The messages of an event of the main lane: those that stay there, and those that could not be forwarded. */
export interface Sorted<D extends Delivery> {
  readonly staying: readonly D[];
  readonly failed: readonly D[];
}

/**
 * Forwards messages of slow services through a queue with a lane for them. A message is deleted once another one replaces it
 * (I8), and comes again if no other could be sent.
 */
export async function sendSlowOn<D extends Delivery>(engine: Engine, deliveries: readonly D[]): Promise<Sorted<D>> {
  if (engine.settings.hasSlowLane !== true) return { staying: deliveries, failed: [] };
  await freshen(engine);
  // One look decides: a note that memory reads meanwhile must not drop a message between the two lists.
  const [slow, staying, failed]: [D[], D[], D[]] = [[], [], []];
  for (const delivery of deliveries) {
    const { service } = delivery.wake;
    (service !== undefined && engine.registry.isSlow(service) ? slow : staying).push(delivery);
  }
  await Promise.all(
    slow.map(async (delivery) => {
      if (!(await sendOn(engine, delivery))) failed.push(delivery);
    }),
  );
  return { staying, failed };
}

/** Memory is then at most a second old. A failed read leaves memory unchanged: the work itself then fails on the same store. */
async function freshen(engine: Engine): Promise<void> {
  await engine.registry.services().catch((error: unknown) => {
    engine.log.warn("slow services could not be looked up", { error: String(error) });
  });
}

async function sendOn(engine: Engine, delivery: Delivery): Promise<boolean> {
  const { wake, receipt } = delivery;
  try {
    await engine.queue.send({ ...wake, delayMs: 0 });
  } catch (error) {
    const { invocationId } = wake;
    engine.log.warn("a message could not be sent into the slow lane", { invocationId, error: String(error) });
    await putOff(engine, delivery);
    return false;
  }
  // If the deletion fails, the message is deleted with the batch, or comes again and is forwarded again.
  await engine.queue.ack(receipt).catch(() => undefined);
  return true;
}
