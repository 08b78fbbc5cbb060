/** Reads deliveries from the event of a function, and writes the function's answer, which names the failed deliveries. */
import { slowReceipt } from "./laned-queue.ts";
import { readMessages, type MessageDelivery, type ReadMessages } from "./received-message.ts";

/** The parts of Lambda's SQS event that Stepwell reads. */
export interface SqsEvent {
  readonly Records: readonly {
    readonly messageId: string;
    readonly receiptHandle: string;
    readonly body: string;
    /** The ARN of the queue, whose last part is the queue's name. */
    readonly eventSourceARN?: string;
    readonly attributes?: { readonly ApproximateReceiveCount?: string; readonly SentTimestamp?: string };
  }[];
}

export interface BatchResponse {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

export type Lane = "main" | "slow";

/** All messages of an event come from one queue. @param slowQueueUrl the queue of the slow lane, if the environment has one */
export function laneOfEvent({ Records: [first] }: SqsEvent, slowQueueUrl: string | undefined): Lane {
  const name = first?.eventSourceARN?.split(":").at(-1);
  return name !== undefined && name === slowQueueUrl?.split("/").at(-1) ? "slow" : "main";
}

/**
 * The receipts are for the queue's `extend` and `ack`. The caller logs unreadable messages and does not report them as
 * failed, so Lambda deletes them.
 */
export function deliveriesOfEvent({ Records }: SqsEvent, lane: Lane = "main"): ReadMessages {
  return readMessages(
    Records.map(({ messageId, receiptHandle, body, attributes }) => ({
      messageId,
      body,
      receipt: lane === "slow" ? slowReceipt(receiptHandle) : receiptHandle,
      receiveCount: attributes?.ApproximateReceiveCount,
      sentTimestamp: attributes?.SentTimestamp,
    })),
  );
}

/** Lambda deletes every message of the batch that this answer does not name. The answer may name an acked message. */
export function batchFailures(failed: readonly Pick<MessageDelivery, "messageId">[]): BatchResponse {
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}
