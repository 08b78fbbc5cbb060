/** The stored state of a subscription beside its definition: a pause, a reset, and the last error. */
import type { BadRecordReason } from "./topic-record.ts";
import type { Reset } from "./position.ts";

/** `order`: an operator paused the subscription. `bad-record`: its policy for bad records paused it at the record that is bad. */
export type SubscriptionPause =
  | { readonly reason: "order"; readonly atMs: number; readonly by?: string }
  | {
      readonly reason: "bad-record";
      readonly atMs: number;
      readonly partition: number;
      readonly offset: number;
      readonly badRecord: BadRecordReason;
      readonly detail: string;
    };

/** Why the subscription could not read or accept records. `atMs` is the moment of the error. */
export interface SubscriptionError {
  readonly atMs: number;
  readonly message: string;
  readonly partition?: number;
}

export interface SubscriptionState {
  /** Absent while the subscription consumes. */
  readonly pause?: SubscriptionPause;
  /** The last reset; each partition applies it once. */
  readonly reset?: Reset;
  /** The last error. It stays after a recovery, with its moment. */
  readonly lastError?: SubscriptionError;
}

export type SubscriptionStatus = "consuming" | "failing" | "paused";

/** A subscription counts as failing from its last error until one of its positions moves. */
export function subscriptionStatus(
  { pause, lastError }: SubscriptionState,
  lastMovedAtMs: number | undefined,
): SubscriptionStatus {
  if (pause !== undefined) return "paused";
  return lastError !== undefined && lastError.atMs > (lastMovedAtMs ?? 0) ? "failing" : "consuming";
}
