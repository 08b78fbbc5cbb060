/** The worker's event: messages of the queue, worked on as a batch and answered by naming those that failed. */
import { batchFailures, deliveriesOfEvent } from "../adapters/sqs/event-deliveries.ts";
import type { BatchResponse, SqsEvent } from "../adapters/sqs/event-deliveries.ts";
import type { Engine } from "../engine/engine.ts";
import { workBatch } from "../engine/drive/work-batch.ts";

export type WorkEvent = SqsEvent;
export type WorkAnswer = BatchResponse;

export async function workEvent(engine: Engine, event: WorkEvent): Promise<WorkAnswer> {
  const { deliveries, unreadable } = deliveriesOfEvent(event);
  for (const { messageId, reason } of unreadable) {
    engine.log.error("a message that is no wake is deleted", { messageId, reason });
  }
  // Before the work, so that a function that ends in the middle of it has told what it was working on.
  for (const { messageId, wake, receiveCount } of deliveries) {
    engine.log.info("a wake is taken up", { invocationId: wake.invocationId, messageId, receiveCount });
  }
  return batchFailures(await workBatch(engine, deliveries));
}
