/** A segment: what one attempt added to the journal, written once and never changed (I1). */
import type { AttemptFailure } from "../model/attempt-failure.ts";
import type { Await } from "../model/await-tree.ts";
import type { Result } from "../model/failure.ts";
import type { DeploymentId } from "../model/ids.ts";
import type { Entry, NotificationEntry } from "./entry.ts";

/**
 * A deployment and a protocol version: fixed for an invocation with the first entry that it stores. An order to resume
 * elsewhere changes the deployment, never the version.
 */
export interface Pin {
  readonly deploymentId: DeploymentId;
  readonly protocolVersion: number;
}

/** A notification that an attempt was sent and that no earlier segment lists: listing it makes it journal (I12). */
export interface Consumption {
  /** The unique part of its arrival's sort key: `c7` for completion 7, a sender's own key for signals. */
  readonly key: string;
  readonly entry: NotificationEntry;
  /** False where an arrival item holds it, so that the segment needs only the key. */
  readonly inline: boolean;
}

/** Two counters with different reset rules (reference 2.7 and 2.8). */
export interface Retries {
  /** Failed attempts that count against the policy, since the last suspension, pause or start. */
  readonly policyAttempts: number;
  /** Failed attempts since the last command was stored; the SDK bounds the retries of one run by it. */
  readonly sinceEntry: number;
}

export const NO_RETRIES: Retries = { policyAttempts: 0, sinceEntry: 0 };

export type After =
  | { readonly kind: "running" }
  /** By an operator's order; pauses for other reasons stand in the hold. */
  | { readonly kind: "paused" }
  | { readonly kind: "suspended"; readonly awaiting: Await }
  | {
      readonly kind: "completed";
      readonly result: Result;
      /** A tombstone counts as expired at once: ended before its first attempt, it leaves no record (I6). */
      readonly tombstone: boolean;
      /** Killed: the calls that it still waits for are killed too. */
      readonly killed: boolean;
    };

/** The attempt that a segment reports; absent for those that end or move an invocation by order, and for copied journals. */
export interface AttemptSpan {
  readonly number: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

export interface Segment {
  /** 1 for the first; segment 0 is the acceptance. */
  readonly index: number;
  readonly writtenAtMs: number;
  readonly attempt?: AttemptSpan;
  readonly pin?: Pin;
  /** The grant of the lock under which the attempt ran: its changes of the state count under this grant alone. */
  readonly grant?: number;
  readonly consumed: readonly Consumption[];
  /** Keys of the orders that it obeys. */
  readonly orders?: readonly string[];
  readonly entries: readonly Entry[];
  readonly after: After;
  readonly retries: Retries;
  /** What is left where the journal has been dropped: it tells of the end, and those before it are gone. */
  readonly endAlone?: true;
  /** Why the attempt ended early, where it added something all the same. */
  readonly failure?: AttemptFailure;
}
