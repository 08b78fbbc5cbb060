/** The JSON shape of `GET /internal/overview`: what needs an operator, and the counts of the environment. */
import type { InvocationSummaryBody, PauseBody, WaitBody } from "./invocation.ts";

export interface OverviewBody {
  /** At most twelve, worst first. */
  readonly attention: readonly AttentionBody[];
  /**
   * The open invocations by status. One that was accepted within the last minutes is missing until it is parked, driven by the
   * process that answers, or seen by the sweeper.
   */
  readonly open: Readonly<Record<string, number>>;
  /** How many open invocations are overdue. */
  readonly overdue: number;
  /** Present if more invocations are open than were read, so that each count is a lower bound. */
  readonly at_least?: true;
  /** How invocations ended in the last hour; absent if several processes end invocations. */
  readonly ended?: EndedBody;
}

/** An invocation that needs an operator. */
export interface AttentionBody extends Omit<InvocationSummaryBody, "waits_for"> {
  /** `paused`, `failing`, `overdue`, `silent` or `waiting`. */
  readonly kind: string;
  /** The moment since which the word in `kind` describes the invocation. */
  readonly since: string;
  readonly waits_for: readonly WaitBody[];
  readonly pause?: PauseBody;
}

export interface EndedBody {
  /** When the counting began: the start of the process, or the beginning of the first of `minutes` if that is later. */
  readonly since: string;
  /** Sixty minutes, oldest first. */
  readonly minutes: readonly EndedMinuteBody[];
}

export interface EndedMinuteBody {
  /** The beginning of the minute. */
  readonly at: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly killed: number;
}
