/** The JSON shape of `GET /internal/overview`: what needs an operator, and the counts of the environment. */
import type { InvocationSummaryBody, PauseBody, WaitBody } from "./invocation.ts";

export interface OverviewBody {
  /** At most twelve, worst first. */
  readonly attention: readonly AttentionBody[];
  /** Paused and failing invocations by handler and cause: paused ones first, the largest targets first; at most 24. */
  readonly causes: readonly CauseBody[];
  /** The open circuits with the number of invocations that wait for them. */
  readonly circuits: readonly HeldBody[];
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

/** Invocations of one handler that are stuck by one cause. */
export interface CauseBody {
  readonly kind: "paused" | "failing";
  readonly service: string;
  readonly handler: string;
  /** The value of `cause` of `GET /invocations`. Absent if no failure is stored, as after a pause by order. */
  readonly cause?: string;
  /** The code and the first line of the message, without ids and numbers. */
  readonly text?: string;
  /** The error of one of them. */
  readonly error?: { readonly code: string; readonly message: string };
  /** The earliest last failure. */
  readonly since: string;
  /** The invocations with this cause, among those that were read. */
  readonly count: number;
  /** How many invocations of the handler in this state were read, of how many. If the two are equal, `count` is exact. */
  readonly looked_at: number;
  readonly among: number;
}

export interface HeldBody {
  readonly deployment_id: string;
  readonly service: string;
  readonly open_since: string;
  readonly next_attempt_at: string;
  readonly reason: string;
  /** The invocations whose next attempt waits for the circuit. */
  readonly waiting: number;
}

/** The JSON shape of `GET /internal/service-counts`. A service without any count may be missing. */
export interface ServiceCountsBody {
  readonly services: readonly ServiceCountBody[];
  /** Present if more invocations are open than were read, so that each count of open ones is a lower bound. */
  readonly at_least?: true;
  /** Since when `failed` is counted: the start of the process, or an hour ago if that is later. */
  readonly failed_since?: string;
}

export interface ServiceCountBody {
  readonly service: string;
  readonly open: number;
  /** Among the open ones, those whose last attempt failed, and that are tried again. */
  readonly failing: number;
  /** Among the open ones. */
  readonly paused: number;
  /** Those that ended with a failure since `failed_since`; absent if several processes end invocations. */
  readonly failed?: number;
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
