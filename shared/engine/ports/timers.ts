/**
 * The port of far wake-ups: one-time timers with names of our choosing, each ending as a message in the queue. A filling
 * may send its message early; the message then carries the moment it stands for, and whoever takes it sets the rest.
 */
import type { InvocationId } from "../../core/model/ids.ts";

export interface Timer {
  /** Derived from (invocation, nonce, moment): setting the same name twice is setting it once (I7). */
  readonly name: string;
  readonly invocationId: InvocationId;
  readonly wakeAtMs: number;
  /** Of the invocation's target, for the message in which the timer ends. */
  readonly service?: string;
}

export interface Timers {
  /**
   * Durable when it resolves. A time in the past fires at once. A name that is set already keeps its first time, where
   * the filling knows names; where it knows none, the second is one hint more.
   */
  at(timer: Timer): Promise<void>;
  /** Forgets the timer where the filling knows names; one that is gone already is no error. */
  cancel(name: string): Promise<void>;
}
