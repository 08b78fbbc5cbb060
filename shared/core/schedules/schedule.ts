/** A schedule as an operator defines it: what runs, when, and what happens if a run meets another one or comes late. */
import type { Header } from "../model/header.ts";
import type { ScheduleId } from "../model/ids.ts";
import type { LimitKey } from "../model/scope.ts";
import type { Target } from "../model/target.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../model/time-units.ts";

export type Timing =
  | { readonly kind: "cron"; readonly expression: string; readonly timeZone: string }
  /** Every `everyMs` from the start on; without a start, from the beginning of 1970 (UTC) on. */
  | { readonly kind: "interval"; readonly everyMs: number };

/**
 * The treatment of a tick while an earlier run of the schedule is open.
 * - `skip`: it is left out.
 * - `buffer-one`: it runs after the earlier one; while one waits, further ticks are left out.
 * - `buffer-all`: it waits in order, up to `BUFFER_MAX`.
 * - `cancel-running`: the earlier run is cancelled, and the tick runs after its end.
 * - `allow`: it runs beside the earlier one.
 */
export const OVERLAP_POLICIES = ["skip", "buffer-one", "buffer-all", "cancel-running", "allow"] as const;
export type OverlapPolicy = (typeof OVERLAP_POLICIES)[number];

/** The part of a schedule that an operator gives. Moments are in milliseconds since the epoch. */
export interface SchedulePlan {
  readonly name: string;
  readonly target: Target;
  readonly limitKey?: LimitKey;
  readonly input: Uint8Array;
  /** The headers of each run, with the content type of the input. */
  readonly headers: readonly Header[];
  readonly timing: Timing;
  /** Each tick comes later than its moment by a part of this time, which follows from schedule and moment. */
  readonly jitterMs: number;
  /** No moment before this one counts. */
  readonly startAtMs?: number;
  /** No moment after this one counts. */
  readonly endAtMs?: number;
  /** The most ticks that start; unlimited if absent. Triggers and backfills do not count. */
  readonly count?: number;
  readonly overlap: OverlapPolicy;
  /** A tick that is later than this is left out. */
  readonly catchUpMs: number;
}

export interface Schedule extends SchedulePlan {
  /** Differs from the id of a deleted schedule with the same name. */
  readonly id: ScheduleId;
  /** Grows with each change of what runs or when. The id of a tick follows from it. */
  readonly generation: number;
  readonly createdAtMs: number;
  readonly changedAtMs: number;
}

export const SCHEDULES_MAX = 1_000;
/** Each tick writes the item of its schedule anew, with the input in it. */
export const INPUT_MAX_BYTES = 32 * 1024;
export const HEADERS_MAX = 50;
export const HEADERS_MAX_BYTES = 8 * 1024;
export const EXPRESSION_MAX_CHARS = 256;
export const NOTE_MAX_CHARS = 500;
export const BUFFER_MAX = 100;
export const COUNT_MAX = 1_000_000_000;
export const JITTER_MAX_MS = DAY_MS;
export const CATCH_UP_DEFAULT_MS = HOUR_MS;
export const CATCH_UP_MIN_MS = 10 * SECOND_MS;
export const CATCH_UP_MAX_MS = 366 * DAY_MS;
export const INTERVAL_MAX_MS = 10 * 366 * DAY_MS;
export const BACKFILL_MAX_RUNS = 5_000;
export const BACKFILLS_MAX = 5;
export const BACKFILL_CONCURRENCY_MAX = 10;

/** Also the length of a name is bounded, because the keys of items contain it. */
export const SCHEDULE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** True if the moments of the two plans are the same ones. */
export function hasSameMoments(one: SchedulePlan, other: SchedulePlan): boolean {
  return (
    timingText(one.timing) === timingText(other.timing) &&
    one.startAtMs === other.startAtMs &&
    one.endAtMs === other.endAtMs &&
    one.jitterMs === other.jitterMs
  );
}

/** True if the runs of the two plans do the same. */
export function runsTheSame(one: SchedulePlan, other: SchedulePlan): boolean {
  return (
    JSON.stringify(sortedTarget(one.target)) === JSON.stringify(sortedTarget(other.target)) &&
    one.limitKey === other.limitKey &&
    JSON.stringify(one.headers.map(({ key, value }) => [key, value])) ===
      JSON.stringify(other.headers.map(({ key, value }) => [key, value])) &&
    one.input.length === other.input.length &&
    one.input.every((byte, at) => byte === other.input[at])
  );
}

/** True if the two plans are the same in every respect. */
export function isSamePlan(one: SchedulePlan, other: SchedulePlan): boolean {
  return (
    hasSameMoments(one, other) &&
    runsTheSame(one, other) &&
    one.count === other.count &&
    one.overlap === other.overlap &&
    one.catchUpMs === other.catchUpMs
  );
}

/** The timing in a few words, such as `0 2 * * * (Europe/Berlin)` or `every 90000 ms`. */
export function timingText(timing: Timing): string {
  return timing.kind === "cron" ? `${timing.expression} (${timing.timeZone})` : `every ${timing.everyMs} ms`;
}

function sortedTarget(target: Target): readonly (readonly [string, unknown])[] {
  return Object.entries(target).sort(([a], [b]) => (a < b ? -1 : 1));
}
