/** A segment: what one attempt, order or copied journal added to an invocation. It is written once and never changed (I1). */
import type { AttemptFailure, Repeats } from "../model/attempt-failure.ts";
import type { Await } from "../model/await-tree.ts";
import type { Result } from "../model/failure.ts";
import type { DeploymentId } from "../model/ids.ts";
import type { Entry, NotificationEntry } from "./entry.ts";

/**
 * The deployment and the protocol version of an invocation, fixed once the invocation stores its first entry. An order to resume
 * at another deployment changes the deployment, never the version.
 */
export interface Pin {
  readonly deploymentId: DeploymentId;
  readonly protocolVersion: number;
}

/**
 * A notification that a segment makes part of the journal by listing it (I12); no earlier segment lists it.
 */
export interface Consumption {
  /** The unique part of the arrival's sort key: `c7` for completion 7, a key of the sender for signals. */
  readonly key: string;
  readonly entry: NotificationEntry;
  /** False if an arrival item contains the notification, so that the segment stores only the key. */
  readonly inline: boolean;
}

/**
 * Two counters with different reset rules: the settings `default-retry-policy` (docs/configuration.md) bound the first, and the
 * protocol's `StartMessage` reports the second as `retry_count_since_last_stored_entry`.
 */
export interface Retries {
  /** Failed attempts that count against the policy, since the last suspension, pause or start. */
  readonly policyAttempts: number;
  /** Failed attempts since the last stored command; the SDK bounds the retries of a run by this number. */
  readonly sinceEntry: number;
}

export const NO_RETRIES: Retries = { policyAttempts: 0, sinceEntry: 0 };

export type After =
  | { readonly kind: "running" }
  /** Resumed before its first attempt: the invocation waits for its start or its key again, as after its acceptance. */
  | { readonly kind: "ready" }
  /**
   * Paused by an operator's order; pauses for other reasons are in the lease record. `neverBegan` is true if the pause came
   * before the first attempt. `leavesQueue` is true if the invocation is exclusive and no stored item shows an attempt; such an
   * invocation gives up its key, and its place in the queue of the key.
   */
  | { readonly kind: "paused"; readonly neverBegan: boolean; readonly leavesQueue: boolean }
  | { readonly kind: "suspended"; readonly awaiting: Await }
  | {
      readonly kind: "completed";
      readonly result: Result;
      /** True for an invocation that ended before its first attempt: it counts as expired at once (I6). */
      readonly tombstone: boolean;
      /** Killed: the calls that the invocation still waits for are killed too. */
      readonly killed: boolean;
    };

/**
 * The attempt that a segment reports; absent if the segment comes from an order or a cancel, or contains a copied
 * journal.
 */
export interface AttemptSpan {
  readonly number: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

export interface Segment {
  /** 1 for the first segment after the acceptance, which is segment 0. */
  readonly index: number;
  readonly writtenAtMs: number;
  readonly attempt?: AttemptSpan;
  readonly pin?: Pin;
  /** The grant of the lock under which the attempt ran; its changes of state count only under this grant. */
  readonly grant?: number;
  readonly consumed: readonly Consumption[];
  /** Keys of the orders that the segment obeys. */
  readonly orders?: readonly string[];
  readonly entries: readonly Entry[];
  readonly after: After;
  readonly retries: Retries;
  /** True if the journal was deleted, so that only this segment with the end remains. */
  readonly endAlone?: true;
  /** The failure with which the attempt ended. */
  readonly failure?: AttemptFailure;
  /** The last one of equal failures before this segment that no other item keeps. */
  readonly repeats?: Repeats;
}
