/** Handles an SQS event: works on its messages and slices, and answers with the messages that failed. */
import {
  type BatchResponse,
  type SqsEvent,
  batchFailures,
  deliveriesOfEvent,
  laneOfEvent,
} from "../adapters/sqs/event-deliveries.ts";
import { advanceSchedule } from "../engine/schedules/advance-schedule.ts";
import type { MessageDelivery, ScheduleMessage, SliceMessage } from "../adapters/sqs/received-message.ts";
import { atMost } from "../engine/bulkheads/at-most.ts";
import type { Engine } from "../engine/engine.ts";
import { sendSlowOn, workBatch } from "../engine/consume/work-batch.ts";
import { ofSlowLane } from "../engine/ports/store-ownership.ts";
import { runSlice } from "../engine/sweep/slices.ts";

/** The number of slices that run at a time. It is low, because each slice loads as many invocations at once as a pass. */
const SLICES_TOGETHER = 2;
const SCHEDULES_TOGETHER = 10;
const SCHEDULE_AGAIN_MAX_MS = 60_000;

export type WorkEvent = SqsEvent;
export type WorkAnswer = BatchResponse;

/** @param slowQueueUrl the queue of the slow lane, if there is one */
export async function workEvent(engine: Engine, event: WorkEvent, slowQueueUrl?: string): Promise<WorkAnswer> {
  const lane = laneOfEvent(event, slowQueueUrl);
  const driver = lane === "slow" ? { ...engine, settings: ofSlowLane(engine.settings) } : engine;
  const { deliveries, slices, schedules, unreadable } = deliveriesOfEvent(event, lane);
  for (const { messageId, reason } of unreadable) {
    engine.log.write("message.discarded", { messageId, reason });
  }
  const [failed, late] = await Promise.all([
    workDeliveries(driver, deliveries),
    workSchedules(engine, schedules),
    workSlices(engine, slices),
  ]);
  return batchFailures([...failed, ...late]);
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

/** @returns the messages that SQS must deliver again */
async function workSchedules(
  engine: Engine,
  messages: readonly ScheduleMessage[],
): Promise<readonly ScheduleMessage[]> {
  const failed: ScheduleMessage[] = [];
  await atMost(SCHEDULES_TOGETHER, messages, async (message) => {
    const { wake, receiveCount } = message;
    try {
      await advanceSchedule(engine, wake.schedule, { wake, isAgain: receiveCount > 1 });
    } catch (error) {
      engine.log.write("schedule.advance-failed", { schedule: wake.schedule, error: String(error) });
      failed.push(message);
      // Otherwise the message would come again only after the time for which the queue hides a batch.
      const pauseMs = Math.min(SCHEDULE_AGAIN_MAX_MS, 1_000 * 2 ** Math.min(receiveCount, 10));
      await engine.queue.extend(message.receipt, pauseMs).catch(() => undefined);
    }
  });
  return failed;
}

/** A failed slice is not retried here. Its message is only a hint (I8), and the next pass of the sweeper sends it again. */
async function workSlices(engine: Engine, slices: readonly SliceMessage[]): Promise<void> {
  await atMost(SLICES_TOGETHER, slices, async ({ slice }) => {
    await runSlice(engine, slice).catch((error: unknown) =>
      engine.log.write("sweeper.slice-failed", { slice, error: String(error) }),
    );
  });
}
