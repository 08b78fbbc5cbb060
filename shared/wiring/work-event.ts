/** The worker's event: messages of the queue, worked on as a batch and answered by naming those that failed. */
import { batchFailures, deliveriesOfEvent } from "../adapters/sqs/event-deliveries.ts";
import type { BatchResponse, SqsEvent } from "../adapters/sqs/event-deliveries.ts";
import type { SliceMessage } from "../adapters/sqs/received-message.ts";
import { atMost } from "../engine/at-most.ts";
import type { Engine } from "../engine/engine.ts";
import { runSlice } from "../engine/sweep/run-slice.ts";
import { workBatch } from "../engine/drive/work-batch.ts";

/** Each brings as many looks into memory as a pass does. */
const SLICES_TOGETHER = 2;

export type WorkEvent = SqsEvent;
export type WorkAnswer = BatchResponse;

export async function workEvent(engine: Engine, event: WorkEvent): Promise<WorkAnswer> {
  const { deliveries, slices, unreadable } = deliveriesOfEvent(event);
  for (const { messageId, reason } of unreadable) {
    engine.log.error("a message that is no wake is deleted", { messageId, reason });
  }
  // Before the work, so that a function that ends in the middle of it has told what it was working on.
  for (const { messageId, wake, receiveCount } of deliveries) {
    engine.log.info("a wake is taken up", { invocationId: wake.invocationId, messageId, receiveCount });
  }
  const [failed] = await Promise.all([workBatch(engine, deliveries), workSlices(engine, slices)]);
  return batchFailures(failed);
}

/** A slice that fails is left to the next pass of the sweeper, which sends it again: its message is only a hint (I8). */
async function workSlices(engine: Engine, slices: readonly SliceMessage[]): Promise<void> {
  await atMost(SLICES_TOGETHER, slices, async ({ slice }) => {
    await runSlice(engine, slice).catch((error: unknown) =>
      engine.log.error("a slice of a walk failed", { slice, error: String(error) }),
    );
  });
}
