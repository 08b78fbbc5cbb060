/** The result of a decision: the next invocation, the segment to write, and the driver's next step. */
import type { AttemptFailure } from "../model/attempt-failure.ts";
import type { Invocation } from "./invocation.ts";
import type { Segment, Consumption } from "./segment.ts";

export type ParkedStatus = "scheduled" | "pending" | "ready" | "backing-off" | "suspended" | "paused";

export type Step =
  /** Send the journal and these fresh notifications to the deployment, and complete `dueSleeps`, whose time has come. */
  | { readonly kind: "attempt"; readonly take: readonly Consumption[]; readonly dueSleeps: readonly number[] }
  /** The invocation must hold the lock of its key first: take the lock, or wait for it. */
  | { readonly kind: "acquire" }
  /** There is nothing to do before `wakeAtMs`, or before the next arrival. */
  | { readonly kind: "park"; readonly status: ParkedStatus; readonly wakeAtMs?: number }
  /** The state changed: poll again, with the arrivals since then. */
  | { readonly kind: "poll" }
  /** The attempt goes on: perform the effects, and send the notifications of the segment on the open exchange. */
  | { readonly kind: "read-on" }
  /** The invocation has ended: perform the final effects and stop. */
  | { readonly kind: "end" }
  /** The event has no effect in this status. */
  | { readonly kind: "ignore"; readonly why: string };

export interface Transition {
  readonly next: Invocation;
  /** Written before any effect; if the write is refused, the whole transition is void (I1, I2). */
  readonly segment?: Segment;
  /** A failure that no segment records, for the failure events. */
  readonly failure?: AttemptFailure;
  readonly step: Step;
}

export function ignore(invocation: Invocation, why: string): Transition {
  return { next: invocation, step: { kind: "ignore", why } };
}
