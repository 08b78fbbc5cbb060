/** Parses the messages of a poll, or of the event of a function: wakes of invocations or schedules, and slices of a walk. */
import type { Delivery, Wake } from "../../engine/ports/queue.ts";
import { scheduleWakeOfBody } from "../../engine/ports/schedule-wake-body.ts";
import type { ScheduleWake } from "../../engine/ports/schedules.ts";
import { wakeOfBody } from "../../engine/ports/wake-body.ts";
import { sliceOfBody } from "./sqs-slices.ts";

export interface ReceivedMessage {
  readonly messageId: string;
  /** The receipt handle of this delivery. */
  readonly receipt: string;
  readonly body: string;
  /** A number as text, as SQS returns it. */
  readonly receiveCount: string | undefined;
  /** When SQS accepted the message, as text in milliseconds. */
  readonly sentTimestamp?: string | undefined;
}

/** How far the clock of a sender may be ahead of SQS's clock. */
const CLOCKS_APART_MS = 60_000;

/** A delivery with its message id, by which a function names the failed deliveries of its batch. */
export interface MessageDelivery extends Delivery {
  readonly messageId: string;
}

/** A message whose body is none of these. It must be deleted, or SQS would deliver it again and again. */
export interface UnreadableMessage {
  readonly messageId: string;
  readonly receipt: string;
  readonly reason: string;
}

/** A message that names a slice of a walk. */
export interface SliceMessage {
  readonly messageId: string;
  readonly receipt: string;
  readonly slice: string;
}

/** A message that wakes a schedule. */
export interface ScheduleMessage {
  readonly messageId: string;
  readonly receipt: string;
  readonly wake: ScheduleWake;
  readonly receiveCount: number;
}

export interface ReadMessages {
  readonly deliveries: readonly MessageDelivery[];
  readonly schedules: readonly ScheduleMessage[];
  readonly slices: readonly SliceMessage[];
  readonly unreadable: readonly UnreadableMessage[];
}

export function readMessages(messages: readonly ReceivedMessage[]): ReadMessages {
  const deliveries: MessageDelivery[] = [];
  const slices: SliceMessage[] = [];
  const schedules: ScheduleMessage[] = [];
  const unreadable: UnreadableMessage[] = [];
  for (const { messageId, receipt, body, receiveCount, sentTimestamp } of messages) {
    const slice = sliceOfBody(body);
    if (slice !== undefined) {
      slices.push({ messageId, receipt, slice });
      continue;
    }
    const count = Math.max(1, Number(receiveCount) || 1);
    const ofSchedule = scheduleWakeOfBody(body);
    if (ofSchedule !== undefined) {
      schedules.push({ messageId, receipt, wake: ofSchedule, receiveCount: count });
      continue;
    }
    const read = wakeOfBody(body);
    if ("wake" in read) {
      const wake = sentByNow(read.wake, Number(sentTimestamp));
      deliveries.push({ messageId, receipt, wake, receiveCount: count });
    } else {
      unreadable.push({ messageId, receipt, reason: read.wrong });
    }
  }
  return { deliveries, slices, schedules, unreadable };
}

/** Corrects a wake that claims to be sent in the future: such a wake would look young at every delivery. */
function sentByNow(wake: Wake, takenAtMs: number): Wake {
  return wake.sentAtMs > takenAtMs + CLOCKS_APART_MS ? { ...wake, sentAtMs: takenAtMs } : wake;
}
