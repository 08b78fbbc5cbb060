/** The worker: takes messages from the queue and drives what they name, many at a time. */
import type { Engine } from "./engine.ts";
import type { Delivery } from "./ports/queue.ts";
import { takeWake } from "./take-wake.ts";

const RECEIVE_WAIT_MS = 20_000;
const FAILURE_PAUSE_MS = 1_000;

export interface WorkerLimits {
  /** Invocations that are driven at the same time. */
  readonly concurrencyMax: number;
}

/** Runs until the signal aborts, then waits for what it has begun. */
export async function runWorker(engine: Engine, signal: AbortSignal, { concurrencyMax }: WorkerLimits): Promise<void> {
  const running = new Set<Promise<void>>();
  while (!signal.aborted) {
    const room = concurrencyMax - running.size;
    if (room <= 0) {
      await Promise.race(running);
      continue;
    }
    for (const delivery of await receive(engine, room, signal)) {
      const run = work(engine, delivery).finally(() => running.delete(run));
      running.add(run);
    }
  }
  await Promise.all(running);
}

async function receive(engine: Engine, limit: number, signal: AbortSignal): Promise<readonly Delivery[]> {
  try {
    return await engine.queue.receive(Math.min(limit, 64), engine.settings.leaseMs, RECEIVE_WAIT_MS, signal);
  } catch (error) {
    engine.log.error("the queue could not be read", { error: String(error) });
    await engine.clock.sleep(FAILURE_PAUSE_MS, signal);
    return [];
  }
}

/** The message stays hidden while it is worked on; one whose work failed comes again (I11). */
async function work(engine: Engine, { wake, receipt, receiveCount }: Delivery): Promise<void> {
  const over = new AbortController();
  void keepHidden(engine, receipt, over.signal);
  try {
    await takeWake(engine, wake);
    await engine.queue.ack(receipt);
  } catch (error) {
    engine.log.error("a message could not be worked on", {
      invocationId: wake.invocationId,
      receiveCount,
      error: String(error),
    });
    const pauseMs = Math.min(FAILURE_PAUSE_MS * 2 ** Math.min(receiveCount, 6), engine.settings.leaseMs);
    await engine.queue.extend(receipt, pauseMs).catch(() => undefined);
  } finally {
    over.abort();
  }
}

/** A dead worker's message comes back when the lease is over, and not before. */
async function keepHidden(engine: Engine, receipt: string, over: AbortSignal): Promise<void> {
  const { leaseMs } = engine.settings;
  while (await engine.clock.sleep(leaseMs / 2, over))
    await engine.queue.extend(receipt, leaseMs).catch(() => undefined);
}
