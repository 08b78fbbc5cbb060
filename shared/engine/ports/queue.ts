/** The port of hints: each message comes at least once, possibly late, possibly twice, in no order (I8). */
import type { InvocationId } from "../../core/model/ids.ts";

/** A hint to look at an invocation; the table alone holds the facts. */
export interface Wake {
  readonly invocationId: InvocationId;
  /** When the message was first sent: a worker keeps a message without an acceptance while it is young, and drops an old one. */
  readonly sentAtMs: number;
  /** The delay with which the message was sent, in milliseconds. */
  readonly delayMs: number;
  /**
   * Present on a message that stands for a timer and was sent early on purpose. A worker that finds the invocation waiting for
   * exactly this moment sends the message on (I11); for any other invocation the message is a plain hint.
   */
  readonly wakeAtMs?: number;
  /**
   * The service of the target, if the sender has it: a queue can serve one service beside a flood of messages for another. It
   * only picks a share of the queue, so a wrong or missing name does no harm.
   */
  readonly service?: string;
}

export interface Delivery {
  readonly wake: Wake;
  /** 1 at the first delivery. */
  readonly receiveCount: number;
  /** Names this delivery, for `extend` and `ack`. */
  readonly receipt: string;
}

/** Decides by service which messages a receiver takes, in a queue that lets the receiver choose. */
export interface Admission {
  /**
   * Called before the queue hands out a message, in the order of the deliveries.
   * @returns false if the receiver can take no message of this service now; the queue keeps it, and offers others
   */
  admit(service: string | undefined): boolean;
}

/** Names a message for its sender. */
export type MessageHandle = string;

export const QUEUE_DELAY_MAX_MS = 900_000;

export interface Queue {
  /** @param delayMs 0 to 900,000; fractions of the adapter's unit are rounded up */
  send(wake: Wake): Promise<MessageHandle>;
  /** Removes a message that was not yet received, where the queue can. Never fails: an unneeded hint does no harm. */
  recall(ticket: MessageHandle): Promise<void>;
  /**
   * Waits up to `waitMs` for at least one message; received messages stay invisible for `visibilityMs`.
   * @param admission ignored by a queue whose receivers cannot choose
   */
  receive(
    limit: number,
    visibilityMs: number,
    waitMs: number,
    signal?: AbortSignal,
    admission?: Admission,
  ): Promise<readonly Delivery[]>;
  /** Makes a received message invisible for `visibilityMs` from now; 0 makes it visible at once. */
  extend(receipt: string, visibilityMs: number): Promise<void>;
  /** Removes the message. Does not fail if the message no longer exists. */
  ack(receipt: string): Promise<void>;
}
