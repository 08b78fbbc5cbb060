/** The stored state of a subscription beside its definition: a pause, a reset, and the last error. */
import type { BadRecordReason } from "./topic-record.ts";
import type { Reset } from "./position.ts";
import { CodedError } from "../errors/coded-error.ts";

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

/** `pause`: the subscription stops before the record until an operator acts. `skip`: the record is counted, logged and passed over. */
type BadRecordPolicy = "pause" | "skip";

/** The options of a subscription that Stepwell itself reads; all others are properties of the consumer. */
const BAD_RECORD_OPTION = "stepwell.bad-records";
const OWN_PREFIX = "stepwell.";

/** @throws CodedError META0009 for another value */
export function badRecordPolicy(options: Readonly<Record<string, string>>): BadRecordPolicy {
  const asked = options[BAD_RECORD_OPTION] ?? "pause";
  if (asked === "pause" || asked === "skip") return asked;
  throw new CodedError("META0009", `the option ${BAD_RECORD_OPTION} is 'pause' or 'skip', and not '${asked}'`);
}

/** @throws CodedError META0009 if an option of Stepwell has a bad value or does not exist */
export function assertOwnOptions(options: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(options)) {
    if (!name.startsWith(OWN_PREFIX) || name === BAD_RECORD_OPTION) continue;
    throw new CodedError("META0009", `there is no option '${name}'; the only one of Stepwell is ${BAD_RECORD_OPTION}`);
  }
  badRecordPolicy(options);
}
