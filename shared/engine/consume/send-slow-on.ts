/** Messages for slow services that came by the main lane go on into theirs, before anything of them is loaded. */
import type { Engine } from "../engine.ts";
import type { Delivery } from "../ports/queue.ts";
import { putOff } from "./work-batch.ts";

/** What came by the main lane: messages that stay there, and those that could be neither sent on nor worked on. */
export interface Sorted<D extends Delivery> {
  readonly staying: readonly D[];
  readonly failed: readonly D[];
}

/**
 * Sends messages for slow services on, by a queue that has a lane for them. A message is deleted when another stands for it
 * (I8), and comes again where none could be sent.
 */
export async function sendSlowOn<D extends Delivery>(engine: Engine, deliveries: readonly D[]): Promise<Sorted<D>> {
  if (engine.settings.hasSlowLane !== true) return { staying: deliveries, failed: [] };
  await freshen(engine);
  // Looked at once: what memory learns meanwhile must not drop a message between the two.
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

/** Memory is as of a second ago at most. A store that cannot be read leaves it as it is: the work itself will fail by that. */
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
  // One that stays is deleted with the batch, or comes again and is sent again.
  await engine.queue.ack(receipt).catch(() => undefined);
  return true;
}
