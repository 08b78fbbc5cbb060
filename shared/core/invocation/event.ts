/** What can happen to an invocation. Time, randomness and everything read from outside come in with the event. */
import type { AttemptFailure } from "../model/attempt-failure.ts";
import type { Await } from "../model/await-tree.ts";
import type { DeploymentId } from "../model/ids.ts";
import type { RetryPolicy } from "../model/service.ts";
import type { Entry } from "./entry.ts";
import type { AttemptSpan, Pin, Consumption } from "./segment.ts";

/** An operator's order; the segment that obeys it lists its key. */
export type Order =
  | { readonly kind: "pause"; readonly atMs: number; readonly key: string }
  /** `deploymentId` where it is to go on elsewhere. */
  | { readonly kind: "resume"; readonly atMs: number; readonly key: string; readonly deploymentId?: DeploymentId };

/** A notification that no segment lists yet, or an order. */
export type Arrival =
  | { readonly kind: "notification"; readonly atMs: number; readonly consumption: Consumption }
  | { readonly kind: "kill"; readonly atMs: number }
  | Order;

/** A driver holds the invocation and asks what to do next. */
export interface Poll {
  readonly kind: "poll";
  readonly atMs: number;
  /** Every arrival that was read and that no segment lists. */
  readonly arrivals: readonly Arrival[];
  /** Whether the driver knows that the invocation holds the lock of its key; for those that need none it says nothing. */
  readonly holdsLock?: boolean;
}

export type AttemptOutcome =
  | { readonly kind: "ended" }
  | { readonly kind: "suspended"; readonly awaiting: Await }
  | {
      readonly kind: "failed";
      readonly failure: AttemptFailure;
      readonly behavior: "retry" | "pause" | "fail";
      /** Overrides one delay and consumes no attempt of the policy. */
      readonly nextRetryDelayMs?: number;
      /** False for failures that say nothing of the handler's progress: 415, no deployment, an unreadable journal. */
      readonly countsSinceEntry: boolean;
      /** The failure is this server's own and says nothing about the deployment. */
      readonly ownFault?: true;
    }
  /** The driver let go of the exchange for reasons of its own: time, or shutdown. Counts against nothing. */
  | { readonly kind: "cut" };

/** An attempt is over; what it returned before its end is kept in every case (I9). */
export interface AttemptEnded {
  readonly kind: "attempt-ended";
  readonly atMs: number;
  readonly attempt: AttemptSpan;
  readonly pin: Pin;
  /** Under which grant of its lock it ran, where it needs one. */
  readonly grant?: number;
  /** What the request held beyond the journal, in the order it was sent. */
  readonly sent: readonly Consumption[];
  /** Commands and completions in order, each command followed by what its commit completes at once. */
  readonly entries: readonly Entry[];
  readonly ending: AttemptOutcome;
  readonly policy: RetryPolicy;
  /** 0 to 1: spreads the delay of a retry. */
  readonly jitter: number;
}

/** An operator wants it ended now, whatever it is doing. */
export interface Kill {
  readonly kind: "kill";
  readonly atMs: number;
}

export type Event = Poll | AttemptEnded | Kill;
