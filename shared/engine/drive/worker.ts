/** The worker: takes messages from the queue and drives what they name, many at a time. */
import type { Engine } from "../engine.ts";
import { KeptHidden } from "./kept-hidden.ts";
import type { Delivery } from "../ports/queue.ts";
import { takeWake } from "./take-wake.ts";

const RECEIVE_WAIT_MS = 20_000;
const FAILURE_PAUSE_MS = 1_000;

export interface WorkerLimits {
  /** Invocations that are driven at the same time. */
  readonly concurrencyMax: number;
}

/** Runs until the signal aborts, then waits for what it has begun. */
export async function runWorker(engine: Engine, signal: AbortSignal, { concurrencyMax }: WorkerLimits): Promise<void> {
  const hidden = new KeptHidden(engine);
  const running = new Running();
  while (!signal.aborted) {
    const room = concurrencyMax - running.count;
    if (room <= 0) {
      await running.oneEnds();
      continue;
    }
    for (const delivery of await receive(engine, room, signal)) void running.add(work(engine, hidden, delivery));
  }
  while (running.count > 0) await running.oneEnds();
}

/** Counts what runs. To race all of it each time that one ends would cost as much again for every one of them. */
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

  /** Resolves when something has ended; for one who waits at a time. */
  async oneEnds(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#ended = resolve;
    });
    this.#ended = undefined;
  }
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
async function work(engine: Engine, hidden: KeptHidden, { wake, receipt, receiveCount }: Delivery): Promise<void> {
  hidden.add(receipt);
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
    hidden.remove(receipt);
  }
}
