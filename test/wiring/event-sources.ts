/** Lambda's event sources over the lanes of a queue: a limited number of batches at once for each lane. */
import { LanedQueue } from "../../shared/adapters/sqs/laned-queue.ts";
import type { Engine } from "../../shared/engine/engine.ts";
import type { EngineSettings } from "../../shared/engine/ports/engine-settings.ts";
import type { Queue } from "../../shared/engine/ports/queue.ts";
import type { SharedStore } from "../../shared/engine/ports/store-ownership.ts";
import { bodyOfWake } from "../../shared/engine/ports/wake-body.ts";
import { workEvent, type WorkEvent } from "../../shared/wiring/work-event.ts";
import type { Stage } from "../harness/engine/engine-fixture.ts";
import { MemoryQueue } from "../simulation/memory-queue.ts";

export const SLOW_URL = "https://sqs.eu-west-1.amazonaws.com/111122223333/slow-wakes";
const ARN = "arn:aws:sqs:eu-west-1:111122223333:";
const BATCH_MESSAGES = 10;
const HIDDEN_MS = 900_000;

export interface Lanes {
  readonly main: MemoryQueue;
  readonly slow: MemoryQueue;
  /** Makes the engine of a separate process. With lanes, the engine sends to both queues. */
  engine(): Engine;
  /** Starts the workers of each lane, each a process that takes one batch at a time. */
  start(workers: { readonly main: number; readonly slow: number }): void;
}

/** @param hasSlowLane false for a queue without lanes, as before ADR 0029 */
export function lanesOn(stage: Stage, hasSlowLane = true): Lanes {
  const [main, slow] = [new MemoryQueue(stage.pulse), new MemoryQueue(stage.pulse)];
  const engine = (): Engine => {
    const { engine: own } = stage.actor();
    const { registry } = own;
    const { slowFromMs } = own.settings.ownership as SharedStore;
    const ownership: SharedStore = { kind: "shared", slowFromMs, slowServices: hasSlowLane ? "slow-lane" : "here" };
    const settings: EngineSettings = { ...own.settings, ownership };
    const laned = new LanedQueue({ main, slow, isSlow: (service) => registry.isSlow(service) });
    return { ...own, queue: hasSlowLane ? laned : main, settings };
  };
  const work = async (queue: MemoryQueue, name: string): Promise<never> => {
    for (const worker = engine(); ;) {
      const event = await nextEvent(queue, name);
      const { batchItemFailures } = await workEvent(worker, event, hasSlowLane ? SLOW_URL : undefined);
      const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      for (const { messageId, receiptHandle } of event.Records) {
        if (!failed.has(messageId)) await queue.ack(receiptHandle);
      }
    }
  };
  return {
    main,
    slow,
    engine,
    start(workers) {
      for (let n = 0; n < workers.main; n++) void work(main, "wakes");
      for (let n = 0; n < workers.slow; n++) void work(slow, "slow-wakes");
    },
  };
}

/** The next batch of a queue, as its event source hands it over. */
export async function nextEvent(queue: Queue, name: string): Promise<WorkEvent> {
  for (;;) {
    const deliveries = await queue.receive(BATCH_MESSAGES, HIDDEN_MS, 20_000);
    if (deliveries.length === 0) continue;
    return {
      Records: deliveries.map(({ wake, receipt, receiveCount }, at) => ({
        messageId: `m${at}`,
        receiptHandle: receipt,
        body: bodyOfWake(wake),
        eventSourceARN: ARN + name,
        attributes: { ApproximateReceiveCount: String(receiveCount) },
      })),
    };
  }
}
