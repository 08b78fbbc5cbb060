/** The port of far wake-ups: one-time timers with names of our choosing, each ending as a message in the queue. */
import type { InvocationId } from "../../core/model/ids.ts";

export interface Timer {
  /** Derived from (invocation, nonce, cause): setting the same name twice is setting it once (I7). */
  readonly name: string;
  readonly invocationId: InvocationId;
  readonly wakeAtMs: number;
}

export interface Timers {
  /** Durable when it resolves. A name that is set already keeps its first time. A time in the past fires at once. */
  at(timer: Timer): Promise<void>;
  /** Forgets the timer; one that is gone already is no error. */
  cancel(name: string): Promise<void>;
}
