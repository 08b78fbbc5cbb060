/** The worker: takes messages from the queue and drives their invocations, many at a time. */
import type { Engine } from "../engine.ts";
import { Lag } from "../bulkheads/lag.ts";
import { VisibilityExtender } from "./visibility-extender.ts";
import type { Delivery } from "../ports/queue.ts";
import { consumeWake } from "./consume-wake.ts";
import { type Slot, type WorkerLimits, WorkerSlots } from "./worker-slots.ts";

const RECEIVE_WAIT_MS = 20_000;
const FAILURE_PAUSE_MS = 1_000;

/** Runs until the signal aborts, then waits for the work in progress. */
export async function runWorker(engine: Engine, signal: AbortSignal, limits: WorkerLimits): Promise<void> {
  const hidden = new VisibilityExtender(engine);
  const running = new Running();
  const slots = new WorkerSlots(engine.registry, limits);
  let look = new AbortController();
  const stop = (): void => look.abort();
  signal.addEventListener("abort", stop);
  const lag = new Lag(engine.clock, limits.concurrencyMax, (count) => {
    slots.want(count);
    if (slots.hasRefused) look.abort();
  });
  const watching = limits.heedsLag === true ? lag.watch(signal) : undefined;
  const workInSlot = async (delivery: Delivery, slot: Slot | undefined): Promise<void> => {
    await work(engine, hidden, delivery);
    if (slot === undefined) return;
    slots.give(slot);
    // A refused message is already due, so only this abort makes `receive` look again.
    if (slots.hasRefused) look.abort();
  };
  while (!signal.aborted) {
    const room = limits.concurrencyMax - running.count;
    if (room <= 0) {
      await running.oneEnds();
      continue;
    }
    look = new AbortController();
    const deliveries = await receive(engine, room, look.signal, slots);
    const admitted = slots.admitted();
    for (const [at, delivery] of deliveries.entries()) void running.add(workInSlot(delivery, admitted[at]));
  }
  signal.removeEventListener("abort", stop);
  await watching;
  while (running.count > 0) await running.oneEnds();
}

/** Counts work in progress. A `Promise.race` over all of it would cost O(n) each time that one piece ends. */
class Running {
  count = 0;
  #ended: (() => void) | undefined;

  /** @param run never rejects */
  async add(run: Promise<void>): Promise<void> {
    this.count++;
    await run;
    this.count--;
    this.#ended?.();
  }

  /** Resolves when one piece of work has ended. Only one caller may wait at a time. */
  async oneEnds(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#ended = resolve;
    });
    this.#ended = undefined;
  }
}

async function receive(
  engine: Engine,
  limit: number,
  signal: AbortSignal,
  slots: WorkerSlots,
): Promise<readonly Delivery[]> {
  try {
    const { leaseMs } = engine.settings;
    return await engine.queue.receive(Math.min(limit, 64), leaseMs, RECEIVE_WAIT_MS, signal, slots);
  } catch (error) {
    engine.log.write("queue.read-failed", { error: String(error) });
    await engine.clock.sleep(FAILURE_PAUSE_MS, signal);
    return [];
  }
}

/** Keeps the message hidden meanwhile; a message whose work failed comes again (I11). */
async function work(engine: Engine, hidden: VisibilityExtender, delivery: Delivery): Promise<void> {
  const { wake, receipt, receiveCount } = delivery;
  const { suspects } = engine.activeInvocations;
  hidden.add(receipt);
  try {
    if (suspects?.includes(delivery) === true) await suspects.try(wake, () => consumeWake(engine, wake));
    else await consumeWake(engine, wake);
    await engine.queue.ack(receipt);
  } catch (error) {
    engine.log.write("wake.failed", {
      invocationId: wake.invocationId,
      receiveCount,
      error: String(error),
    });
    const pauseMs = Math.min(FAILURE_PAUSE_MS * 2 ** Math.min(receiveCount, 6), engine.settings.leaseMs);
    await engine.queue.extend(receipt, pauseMs).catch(() => undefined);
  } finally {
    hidden.remove(receipt);
  }
}
