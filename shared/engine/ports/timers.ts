/**
 * The port of far wakes: one-time timers with derived names, each of which ends as a message in the queue. An adapter may send
 * the message early; the message then contains the due moment, and a worker that receives it early sends a new wake for the
 * remaining time.
 */
import type { InvocationId } from "../../core/model/ids.ts";

export interface Timer {
  /** Derived from (invocation, nonce, moment), so that setting a timer twice sets it once (I7). */
  readonly name: string;
  readonly invocationId: InvocationId;
  readonly wakeAtMs: number;
  /** The service of the target, for the message in which the timer ends. */
  readonly service?: string;
}

export interface Timers {
  /**
   * Resolves when the timer is durable. A timer for a moment in the past fires at once. If a timer with the same name is
   * already set, an adapter that stores timers by name keeps the first moment; any other adapter only sends one more wake.
   */
  at(timer: Timer): Promise<void>;
  /** Removes the timer if the adapter stores timers by name; a timer that no longer exists causes no error. */
  cancel(name: string): Promise<void>;
}
