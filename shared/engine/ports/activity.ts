/** The port that reports ends of invocations: a terminal shows them, and a process counts them. */
import type { EndOutcome } from "../../core/invocation/end-outcome.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import type { Target } from "../../core/model/target.ts";

export interface EndedInvocation {
  readonly id: InvocationId;
  readonly target: Target;
  readonly outcome: EndOutcome;
  /** Since the acceptance, or since the moment for which the start was scheduled. */
  readonly durationMs: number;
  /** The message of a failure, in any length. */
  readonly reason?: string;
}

/** `ended` never throws. */
export interface Activity {
  /** Called once by the process that ends the invocation; a crash right after the end loses the call. */
  ended(end: EndedInvocation): void;
}
