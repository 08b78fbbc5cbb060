/**
 * The functions of a shared table as on AWS: each request, each batch of messages and each pass of the sweeper has a bounded time
 * and an engine that serves nothing else meanwhile.
 */
import { withinTime } from "../../../shared/engine/consume/time-budget.ts";
import { workBatch } from "../../../shared/engine/consume/work-batch.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { type Delivery, type Queue, QUEUE_DELAY_MAX_MS, type Wake } from "../../../shared/engine/ports/queue.ts";
import type { ScheduleWakes } from "../../../shared/engine/ports/schedules.ts";
import { advanceSchedule } from "../../../shared/engine/schedules/advance-schedule.ts";
import { drainDeadLetters } from "../../../shared/engine/sweep/dead-letters.ts";
import { runSlice } from "../../../shared/engine/sweep/slices.ts";
import { sweepAll, sweepOnce } from "../../../shared/engine/sweep/sweep.ts";

/** The time of a request. */
const ANSWERED_MS = 25_000;
/** The time of a batch of messages, and of a slice. */
export const WORKED_MS = 20_000;
/** The time of a pass; the walks get a part of it, and the dead letters the rest. */
const PASS_MS = 50_000;
const WALKED_MS = 40_000;
const SWEEP_EVERY_MS = 60_000;
const BATCH_MESSAGES = 10;
/** The time for which the queue hides a batch: longer than any batch takes. */
const HIDDEN_MS = 120_000;
const RECEIVE_MS = 20_000;

/** The engines of one process: those of functions that have nothing to do, and new ones. */
export class Environments {
  readonly #make: (name: string) => Engine;
  readonly #idle: Engine[] = [];
  readonly #role: string;
  #made = 0;

  constructor(role: string, make: (name: string) => Engine) {
    this.#role = role;
    this.#make = make;
  }

  /** Does the work on an engine of its own, within the time. */
  async within<T>(ms: number, work: (engine: Engine) => Promise<T>): Promise<T> {
    const engine = this.#idle.pop() ?? this.#make(`${this.#role}${++this.#made}`);
    const done = await withinTime(engine, engine.clock.nowMs() + ms, () => work(engine));
    this.#idle.push(engine);
    return done;
  }
}

export function answered<T>(requests: Environments, work: (engine: Engine) => Promise<T>): Promise<T> {
  return requests.within(ANSWERED_MS, work);
}

export async function runWorkers(workers: Environments, queue: Queue, workedMs = WORKED_MS): Promise<never> {
  return await eachBatch(queue, BATCH_MESSAGES, async (batch) => {
    const failed = await workers.within(workedMs, (engine) => workBatch(engine, batch));
    return batch.filter((delivery) => !failed.includes(delivery));
  });
}

/** A failed slice is not tried again here: the next pass sends its message again. */
export async function runSlices(workers: Environments, slices: Queue): Promise<never> {
  return await eachBatch(slices, 1, async (batch) => {
    const [{ wake }] = batch as readonly [Delivery];
    await workers.within(WORKED_MS, (engine) => runSlice(engine, wake.invocationId)).catch(() => undefined);
    return batch;
  });
}

/** The wakes of schedules as messages of a queue. A message names its schedule in place of an invocation. */
export function wakesOver(queue: Queue, clock: Engine["clock"]): ScheduleWakes {
  return {
    at: async ({ schedule, atMs }) => {
      const delayMs = Math.min(QUEUE_DELAY_MAX_MS, Math.max(0, atMs - clock.nowMs()));
      const invocationId = schedule as Wake["invocationId"];
      await queue.send({ invocationId, sentAtMs: clock.nowMs(), delayMs, wakeAtMs: atMs });
    },
  };
}

export async function runScheduleWakes(workers: Environments, queue: Queue): Promise<never> {
  return await eachBatch(queue, 1, async (batch) => {
    const [{ wake, receiveCount, receipt }] = batch as readonly [Delivery];
    const { invocationId: schedule, wakeAtMs: atMs = 0 } = wake;
    const how = { wake: { schedule, atMs }, isAgain: receiveCount > 1 };
    return await workers
      .within(WORKED_MS, (engine) => advanceSchedule(engine, schedule, how))
      .then(() => batch)
      .catch(async () => {
        await queue.extend(receipt, 1_000);
        return [];
      });
  });
}

/** @param work resolves with the messages that are done; the others come again */
async function eachBatch(
  queue: Queue,
  limit: number,
  work: (batch: readonly Delivery[]) => Promise<readonly Delivery[]>,
): Promise<never> {
  for (;;) {
    const batch = await queue.receive(limit, HIDDEN_MS, RECEIVE_MS).catch(() => []);
    if (batch.length === 0) continue;
    void work(batch)
      .then((done) => Promise.all(done.map(({ receipt }) => queue.ack(receipt))))
      .catch(() => undefined);
  }
}

export async function runPasses(sweepers: Environments, letters: Queue, clock: Engine["clock"]): Promise<never> {
  for (;;) {
    await clock.sleep(SWEEP_EVERY_MS);
    await pass(sweepers, letters).catch(() => undefined);
  }
}

async function pass(sweepers: Environments, letters: Queue): Promise<void> {
  await sweepers.within(PASS_MS, async (engine) => {
    const nowMs = engine.clock.nowMs();
    await sweepOnce(engine, nowMs + WALKED_MS);
    await drainDeadLetters(engine, letters, nowMs + PASS_MS);
  });
}

/** One pass by an operator's order, over everything. */
export async function orderedPass(sweepers: Environments): Promise<void> {
  await sweepers.within(PASS_MS, (engine) => sweepAll(engine, engine.clock.nowMs() + WALKED_MS));
}
