/** The events of the rule book. Time, randomness and everything read from outside are part of the event. */
import type { AttemptFailure } from "../model/attempt-failure.ts";
import type { Failure } from "../model/failure.ts";
import type { Await } from "../model/await-tree.ts";
import type { DeploymentId } from "../model/ids.ts";
import type { RetryPolicy } from "../model/service.ts";
import type { Entry, NotificationEntry } from "./entry.ts";
import type { AttemptSpan, Pin, Consumption } from "./segment.ts";

/** An operator's order to pause or to resume; the segment that obeys the order lists the key of the order. */
export type Order =
  | { readonly kind: "pause"; readonly atMs: number; readonly key: string }
  /** `move` is present if the invocation must go on at another deployment. */
  | { readonly kind: "resume"; readonly atMs: number; readonly key: string; readonly move?: Move };

/** A deployment for the next attempts. Only an invocation that has stored no entry yet, and so has no version, takes the version. */
export interface Move {
  readonly deploymentId: DeploymentId;
  /** Absent if this server and the deployment share no version; the version of a journal then stays. */
  readonly protocolVersion?: number;
}

/** An arrival that no segment lists yet: a notification or an order. */
export type Arrival =
  | { readonly kind: "notification"; readonly atMs: number; readonly consumption: Consumption }
  | { readonly kind: "kill"; readonly atMs: number }
  /**
   * A later request with the same singleton key became the invocation `by`. Without a grace, the arrival only ends an invocation that
   * waits for its start; with one, it also cancels a started one.
   */
  | { readonly kind: "replaced"; readonly atMs: number; readonly by: string; readonly graceMs?: number }
  | Order;

/** A driver with the lease asks what to do next. */
export interface Poll {
  readonly kind: "poll";
  readonly atMs: number;
  /** Every arrival that was read and that no segment lists. */
  readonly arrivals: readonly Arrival[];
  /** True if arrivals are left in the table for lack of room; every order and cancel is among those that were read. */
  readonly isCut?: boolean;
  /** True if the invocation certainly holds the lock of its key; meaningless for handlers that need no lock. */
  readonly holdsLock?: boolean;
}

export type AttemptOutcome =
  | { readonly kind: "ended" }
  | { readonly kind: "suspended"; readonly awaiting: Await }
  | {
      readonly kind: "failed";
      readonly failure: AttemptFailure;
      readonly behavior: "retry" | "pause" | "fail";
      /** Overrides one delay of the policy; the failure then does not count against the policy. */
      readonly nextRetryDelayMs?: number;
      /** False for failures unrelated to the handler's progress: 415, no deployment, an unreadable journal. */
      readonly countsSinceEntry: boolean;
      /** Present if this server itself caused the failure, which then says nothing about the deployment. */
      readonly ownFault?: true;
    }
  /** The driver aborted the exchange because its time was up or its process shuts down. A cut is not a failure. */
  | { readonly kind: "cut" };

/** The additions of an attempt since its last segment. */
interface AttemptNews {
  readonly atMs: number;
  readonly attempt: AttemptSpan;
  readonly pin: Pin;
  /** The grant of the lock under which the attempt ran, if the handler needs the lock. */
  readonly grant?: number;
  /** The notifications that the request or the open exchange carried in addition to the journal, in the order of sending. */
  readonly sent: readonly Consumption[];
  /** Commands and completions in order; each command is followed by the notifications that its commit creates at once. */
  readonly entries: readonly Entry[];
}

/** An attempt on an open exchange has returned entries. The driver writes them as a segment, and the attempt goes on. */
export interface AttemptGrew extends AttemptNews {
  readonly kind: "attempt-grew";
}

/** An attempt is over; the entries that it returned before its end are kept in every case (I9). */
export interface AttemptEnded extends AttemptNews {
  readonly kind: "attempt-ended";
  /**
   * The notifications that an open exchange carried after its request. A handler that suspends by itself may not have read
   * them. Empty if the exchange was half-closed at once.
   */
  readonly carried?: readonly NotificationEntry[];
  readonly ending: AttemptOutcome;
  readonly policy: RetryPolicy;
  /** 0 to 1; spreads the delay of a retry. */
  readonly jitter: number;
}

/** The invocation must end now, whatever its status. */
export interface Kill {
  readonly kind: "kill";
  readonly atMs: number;
  /** The failure that the caller gets; by default it says that the invocation was killed. */
  readonly failure?: Failure;
}

export type Event = Poll | AttemptGrew | AttemptEnded | Kill;
