/** Messages as SQS gives them out, to a receiver or in the event of a function, read into deliveries. */
import type { Delivery } from "../../engine/ports/queue.ts";
import { wakeOfBody } from "../../engine/ports/wake-body.ts";
import { sliceOfBody } from "./slice-body.ts";

export interface ReceivedMessage {
  readonly messageId: string;
  /** The receipt handle of this delivery. */
  readonly receipt: string;
  readonly body: string;
  /** SQS gives it as text. */
  readonly receiveCount: string | undefined;
}

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
  for (const { messageId, receipt, body, receiveCount } of messages) {
    const slice = sliceOfBody(body);
    if (slice !== undefined) {
      slices.push({ messageId, receipt, slice });
      continue;
    }
    const read = wakeOfBody(body);
    if ("wake" in read) {
      deliveries.push({ messageId, receipt, wake: read.wake, receiveCount: Math.max(1, Number(receiveCount) || 1) });
    } else {
      unreadable.push({ messageId, receipt, reason: read.wrong });
    }
  }
  return { deliveries, slices, unreadable };
}
