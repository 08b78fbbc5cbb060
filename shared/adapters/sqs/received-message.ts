/** Messages as SQS gives them out, to a receiver or in the event of a function, read into deliveries. */
import type { Delivery } from "../../engine/ports/queue.ts";
import { wakeOfBody } from "../../engine/ports/wake-body.ts";

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

export interface ReadMessages {
  readonly deliveries: readonly MessageDelivery[];
  readonly unreadable: readonly UnreadableMessage[];
}

export function readMessages(messages: readonly ReceivedMessage[]): ReadMessages {
  const deliveries: MessageDelivery[] = [];
  const unreadable: UnreadableMessage[] = [];
  for (const { messageId, receipt, body, receiveCount } of messages) {
    const read = wakeOfBody(body);
    if ("wake" in read) {
      deliveries.push({ messageId, receipt, wake: read.wake, receiveCount: Math.max(1, Number(receiveCount) || 1) });
    } else {
      unreadable.push({ messageId, receipt, reason: read.wrong });
    }
  }
  return { deliveries, unreadable };
}
