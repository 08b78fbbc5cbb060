/** The port of the queue. Each message is a hint; it comes at least once, maybe late or repeatedly, in no order (I8). */
import type { InvocationId } from "../../core/model/ids.ts";

/** A hint to look at an invocation. Only the table has the facts. */
export interface Wake {
  readonly invocationId: InvocationId;
  /** When the message was first sent. Without an acceptance under the id, a worker keeps a young message and drops an old one. */
  readonly sentAtMs: number;
  /** The delay with which the message was sent, in milliseconds. */
  readonly delayMs: number;
  /**
   * Present on the message of a timer, which comes early on purpose: the moment for which the timer is set. If the invocation
   * waits for exactly this moment, the worker sends the message again (I11). Otherwise the message is a plain hint.
   */
  readonly wakeAtMs?: number;
  /**
   * The service of the target, if the sender has it. A queue can use it so that no service waits behind a flood of messages
   * for another. The name only picks a share of the queue, so a wrong or missing name does no harm.
   */
  readonly service?: string;
}

export interface Delivery {
  readonly wake: Wake;
  /** The number of deliveries of the message; 1 at the first. */
  readonly receiveCount: number;
  /** Names this delivery, for `extend` and `ack`. */
  readonly receipt: string;
}

/** Decides by service which messages a receiver takes. Only some queues allow this choice. */
export interface Intake {
  /**
   * Called before the queue hands out a message, in the order of the deliveries.
   * @returns false if the receiver can take no message of this service now; the queue then keeps the message and offers
   *   others
   */
  admit(service: string | undefined): boolean;
}

/** Names a message for its sender. */
export type MessageHandle = string;

export const QUEUE_DELAY_MAX_MS = 900_000;

export interface Queue {
  /** @param wake the message; its `delayMs` is from 0 to 900,000, and the adapter rounds the delay up to its unit of time */
  send(wake: Wake): Promise<MessageHandle>;
  /** Removes a message that was not yet received, if the queue can. Never fails, because a needless hint does no harm. */
  recall(handle: MessageHandle): Promise<void>;
  /**
   * Waits up to `waitMs` for at least one message; received messages stay invisible for `visibilityMs`.
   * @param intake ignored by a queue whose receivers cannot choose
   */
  receive(
    limit: number,
    visibilityMs: number,
    waitMs: number,
    signal?: AbortSignal,
    intake?: Intake,
  ): Promise<readonly Delivery[]>;
  /** Makes a received message invisible for `visibilityMs` from now; 0 makes it visible at once. */
  extend(receipt: string, visibilityMs: number): Promise<void>;
  /** Removes the message. Does not fail if the message no longer exists. */
  ack(receipt: string): Promise<void>;
}

export interface SliceQueue {
  /** @param name the name in the slice's item: at most 200 ASCII characters */
  send(name: string): Promise<void>;
}
