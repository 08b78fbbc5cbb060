/** The queue as a function's event source: the event becomes deliveries, and those that failed become its answer. */
import type { MessageDelivery, ReadMessages } from "./received-message.ts";
import { readMessages } from "./received-message.ts";

/** What of the event matters here. */
export interface SqsEvent {
  readonly Records: readonly {
    readonly messageId: string;
    readonly receiptHandle: string;
    readonly body: string;
    readonly attributes?: { readonly ApproximateReceiveCount?: string; readonly SentTimestamp?: string };
  }[];
}

export interface BatchResponse {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/**
 * Receipts are those of the queue, so that its `extend` and `ack` take them. What is unreadable is deleted like all
 * that the answer does not name; it is for the caller to tell the log.
 */
export function deliveriesOfEvent({ Records }: SqsEvent): ReadMessages {
  return readMessages(
    Records.map(({ messageId, receiptHandle, body, attributes }) => ({
      messageId,
      body,
      receipt: receiptHandle,
      receiveCount: attributes?.ApproximateReceiveCount,
      sentTimestamp: attributes?.SentTimestamp,
    })),
  );
}

/** Lambda deletes every message of the batch that is not named here; one that is acked already may be named or not. */
export function batchFailures(failed: readonly Pick<MessageDelivery, "messageId">[]): BatchResponse {
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}
