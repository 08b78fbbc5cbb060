/** Sixty bars of a minute each: how many invocations ended, and how many of them failed. */
import type { EndedMinuteBody } from "../../shared/api/contract/overview.ts";

export interface Bar {
  readonly at: string;
  readonly ended: number;
  readonly failed: number;
  /** Heights from 0 to 1. The failed part begins at the bottom, so that even one failure is seen. */
  readonly endedHeight: number;
  readonly failedHeight: number;
}

export interface Bars {
  readonly bars: readonly Bar[];
  /** The number at the top of the scale. */
  readonly top: number;
}

/** A part that is not empty is at least this high. */
const LEAST = 0.03;

export function barsOf(minutes: readonly EndedMinuteBody[]): Bars {
  const counts = minutes.map(({ at, ...ends }) => ({
    at,
    ended: ends.succeeded + ends.failed + ends.cancelled + ends.killed,
    failed: ends.failed,
  }));
  const top = niceTop(Math.max(0, ...counts.map(({ ended }) => ended)));
  const height = (count: number): number => (count === 0 ? 0 : Math.max(LEAST, count / top));
  return {
    top,
    bars: counts.map((one) => ({ ...one, endedHeight: height(one.ended), failedHeight: height(one.failed) })),
  };
}

/** Rounds up to 1, 2 or 5 times a power of ten. A number up to 5 stays as it is, but the result is at least 1. */
function niceTop(most: number): number {
  if (most <= 5) return Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((step) => step * power).find((top) => top >= most)!;
}

export function sumOf(minutes: readonly EndedMinuteBody[]): Omit<EndedMinuteBody, "at"> {
  const sum = { succeeded: 0, failed: 0, cancelled: 0, killed: 0 };
  for (const one of minutes) {
    sum.succeeded += one.succeeded;
    sum.failed += one.failed;
    sum.cancelled += one.cancelled;
    sum.killed += one.killed;
  }
  return sum;
}

const MINUTE_MS = 60_000;
const MINUTES = 60;

/** Counts the invocations that ended in each minute of the last hour; all counts begin at 0. */
export class MinuteCounts {
  readonly #firstMs: number;
  readonly minutes: EndedMinuteBody[];

  constructor(nowMs: number) {
    this.#firstMs = (Math.floor(nowMs / MINUTE_MS) - MINUTES + 1) * MINUTE_MS;
    this.minutes = Array.from({ length: MINUTES }, (_, at) => ({
      at: new Date(this.#firstMs + at * MINUTE_MS).toISOString(),
      succeeded: 0,
      failed: 0,
      cancelled: 0,
      killed: 0,
    }));
  }

  /** Counts an end. It leaves out an end outside of the last hour, and one with an unknown outcome. */
  add(endedMs: number | undefined, outcome: string | undefined): void {
    const at = endedMs === undefined ? -1 : Math.floor((endedMs - this.#firstMs) / MINUTE_MS);
    const minute = this.minutes[at];
    if (minute === undefined) return;
    if (outcome !== "succeeded" && outcome !== "failed" && outcome !== "cancelled" && outcome !== "killed") return;
    this.minutes[at] = { ...minute, [outcome]: minute[outcome] + 1 };
  }
}
