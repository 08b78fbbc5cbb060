/** Handles an SQS event: works on its messages and slices, and answers with the messages that failed. */
import {
  type BatchResponse,
  type SqsEvent,
  batchFailures,
  deliveriesOfEvent,
  laneOfEvent,
} from "../adapters/sqs/event-deliveries.ts";
import type { MessageDelivery, SliceMessage } from "../adapters/sqs/received-message.ts";
import { atMost } from "../engine/bulkheads/at-most.ts";
import type { Engine } from "../engine/engine.ts";
import { sendSlowOn, workBatch } from "../engine/consume/work-batch.ts";
import { ofSlowLane } from "../engine/ports/store-ownership.ts";
import { runSlice } from "../engine/sweep/slices.ts";

/** The number of slices that run at a time. It is low, because each slice loads as many invocations at once as a pass. */
const SLICES_TOGETHER = 2;

export type WorkEvent = SqsEvent;
export type WorkAnswer = BatchResponse;

/** @param slowQueueUrl the queue of the slow lane, if there is one */
export async function workEvent(engine: Engine, event: WorkEvent, slowQueueUrl?: string): Promise<WorkAnswer> {
  const lane = laneOfEvent(event, slowQueueUrl);
  const driver = lane === "slow" ? { ...engine, settings: ofSlowLane(engine.settings) } : engine;
  const { deliveries, slices, unreadable } = deliveriesOfEvent(event, lane);
  for (const { messageId, reason } of unreadable) {
    engine.log.write("message.discarded", { messageId, reason });
  }
  const [failed] = await Promise.all([workDeliveries(driver, deliveries), workSlices(engine, slices)]);
  return batchFailures(failed);
}

/** @returns the messages that SQS must deliver again */
async function workDeliveries<D extends MessageDelivery>(
  engine: Engine,
  deliveries: readonly D[],
): Promise<readonly D[]> {
  const { staying, failed } = await sendSlowOn(engine, deliveries);
  // Each wake is logged before the work, so that the log names the invocations if the function dies.
  for (const { messageId, wake, receiveCount } of staying) {
    engine.log.write("wake.received", { invocationId: wake.invocationId, messageId, receiveCount });
  }
  return [...failed, ...(await workBatch(engine, staying))];
}

/** A failed slice is not retried here. Its message is only a hint (I8), and the next pass of the sweeper sends it again. */
async function workSlices(engine: Engine, slices: readonly SliceMessage[]): Promise<void> {
  await atMost(SLICES_TOGETHER, slices, async ({ slice }) => {
    await runSlice(engine, slice).catch((error: unknown) =>
      engine.log.write("sweeper.slice-failed", { slice, error: String(error) }),
    );
  });
}
