/** What the rule book answers: where the invocation stands next, what to write, and what the driver does then. */
import type { AttemptFailure } from "../model/attempt-failure.ts";
import type { Invocation } from "./invocation.ts";
import type { Segment, Consumption } from "./segment.ts";

export type ParkedStatus = "scheduled" | "pending" | "ready" | "backing-off" | "suspended" | "paused";

export type Step =
  /** Send the journal and these fresh notifications to the deployment; `dueSleeps` are completed by the clock. */
  | { readonly kind: "attempt"; readonly take: readonly Consumption[]; readonly dueSleeps: readonly number[] }
  /** It must hold the lock of its key first: take it, or wait for it. */
  | { readonly kind: "acquire" }
  /** Nothing to do before `wakeAtMs`, or before something arrives. */
  | { readonly kind: "park"; readonly status: ParkedStatus; readonly wakeAtMs?: number }
  /** The state changed: look again, with what arrived meanwhile. */
  | { readonly kind: "poll" }
  /** It has ended: perform the final effects and leave. */
  | { readonly kind: "end" }
  /** Nothing follows from this event here. */
  | { readonly kind: "ignore"; readonly why: string };

export interface Transition {
  readonly next: Invocation;
  /** To be written before anything else happens; its loss is the loss of the whole transition (I1, I2). */
  readonly segment?: Segment;
  /** A failure that no segment tells of, for the list of events. */
  readonly failure?: AttemptFailure;
  readonly step: Step;
}

export function ignore(invocation: Invocation, why: string): Transition {
  return { next: invocation, step: { kind: "ignore", why } };
}
