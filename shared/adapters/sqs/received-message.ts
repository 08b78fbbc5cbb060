/** Messages as SQS gives them out, to a receiver or in the event of a function, read into deliveries. */
import type { Delivery, Wake } from "../../engine/ports/queue.ts";
import { wakeOfBody } from "../../engine/ports/wake-body.ts";
import { sliceOfBody } from "./slice-body.ts";

export interface ReceivedMessage {
  readonly messageId: string;
  /** The receipt handle of this delivery. */
  readonly receipt: string;
  readonly body: string;
  /** SQS gives it as text. */
  readonly receiveCount: string | undefined;
  /** When SQS took the message, as text in milliseconds. */
  readonly sentTimestamp?: string | undefined;
}

/** How far the clock of a sender may be ahead of SQS's clock. */
const CLOCKS_APART_MS = 60_000;

/** A delivery that still knows its message, by which a function names those of its batch that failed. */
export interface MessageDelivery extends Delivery {
  readonly messageId: string;
}

/** A body that is no wake can never become one: it is told to the log and deleted, or it would come for ever. */
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

export interface ReadMessages {
  readonly deliveries: readonly MessageDelivery[];
  readonly slices: readonly SliceMessage[];
  readonly unreadable: readonly UnreadableMessage[];
}

export function readMessages(messages: readonly ReceivedMessage[]): ReadMessages {
  const deliveries: MessageDelivery[] = [];
  const slices: SliceMessage[] = [];
  const unreadable: UnreadableMessage[] = [];
  for (const { messageId, receipt, body, receiveCount, sentTimestamp } of messages) {
    const slice = sliceOfBody(body);
    if (slice !== undefined) {
      slices.push({ messageId, receipt, slice });
      continue;
    }
    const read = wakeOfBody(body);
    if ("wake" in read) {
      const wake = sentByNow(read.wake, Number(sentTimestamp));
      deliveries.push({ messageId, receipt, wake, receiveCount: Math.max(1, Number(receiveCount) || 1) });
    } else {
      unreadable.push({ messageId, receipt, reason: read.wrong });
    }
  }
  return { deliveries, slices, unreadable };
}

/** A body may claim any moment, and a message with a moment in the future would look young at every delivery. */
function sentByNow(wake: Wake, takenAtMs: number): Wake {
  return wake.sentAtMs > takenAtMs + CLOCKS_APART_MS ? { ...wake, sentAtMs: takenAtMs } : wake;
}
