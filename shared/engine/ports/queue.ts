/** The port of hints: messages that come at least once, maybe late, maybe twice, in no order (I8). */
import type { InvocationId } from "../../core/model/ids.ts";

/** "Look at invocation X." Nothing but hints travels: truth is in the table. */
export interface Wake {
  readonly invocationId: InvocationId;
  /** When the message was first sent, so that a worker can tell a young orphan from an old one. */
  readonly sentAtMs: number;
  /** The delay it was sent with. */
  readonly delayMs: number;
  /**
   * Present on a message that stands for a timer and was sent ahead of its time on purpose: whoever finds the
   * invocation still waiting for exactly this moment sends it on (I11). For any other it is a hint like all others.
   */
  readonly wakeAtMs?: number;
  /**
   * The service of the invocation's target, where whoever sends knows it: a queue that can serves one service beside a
   * flood of messages for another. It names a share of the queue and no more, so that none is as good as a wrong one.
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

/** Names a message to the one who sent it. */
export type MessageHandle = string;

export const QUEUE_DELAY_MAX_MS = 900_000;

export interface Queue {
  /** @param delayMs 0 to 900,000; fractions of the adapter's unit are rounded up */
  send(wake: Wake): Promise<MessageHandle>;
  /** Forgets a message that nobody has received yet, where the queue can do that. Never fails: a hint for nothing does no harm. */
  recall(ticket: MessageHandle): Promise<void>;
  /**
   * Waits up to `waitMs` for at least one message; those received stay invisible for `visibilityMs`.
   * @param admission ignored by a queue whose receivers cannot choose
   */
  receive(
    limit: number,
    visibilityMs: number,
    waitMs: number,
    signal?: AbortSignal,
    admission?: Admission,
  ): Promise<readonly Delivery[]>;
  /** Makes a received message invisible for `visibilityMs` from now; 0 gives it back at once. */
  extend(receipt: string, visibilityMs: number): Promise<void>;
  /** Forgets the message. Never fails for one that is gone already. */
  ack(receipt: string): Promise<void>;
}
