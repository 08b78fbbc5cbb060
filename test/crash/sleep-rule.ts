/**
 * The rule of sleeps. A sleep lasts at least as long as it was asked to, and beyond that at most for the time in which one
 * of the processes was not there when it was to end, and a margin. What was absent before does not count: a sleep that
 * began anew after a kill would be longer by all that had passed.
 */
import type { Slept } from "./account.ts";
import type { Absence } from "./victim.ts";

/** Retries of what a kill broke off: before the sleep was recorded, and behind it until the next closure committed. */
export const SLEEP_MARGIN_MS = 6_000;

/** @returns the most by which a sleep was longer than that, the margin apart; @param complaints are added to */
export function judgeSleeps(slept: readonly Slept[], absences: readonly Absence[], complaints: string[]): number {
  let longestOverrunMs = 0;
  for (const sleep of slept) {
    const tookMs = sleep.toMs - sleep.fromMs;
    const overrunMs = tookMs - sleep.askedMs - absentMs(absences, sleep.fromMs + sleep.askedMs, sleep.toMs);
    longestOverrunMs = Math.max(longestOverrunMs, overrunMs);
    const what = `${sleep.invocationId} asked to sleep ${sleep.askedMs} ms and slept ${tookMs} ms`;
    if (tookMs < sleep.askedMs) complaints.push(what);
    if (overrunMs > SLEEP_MARGIN_MS) complaints.push(`${what}, ${overrunMs} ms too long`);
  }
  return longestOverrunMs;
}

/** How much of a span was covered by absences, each moment counted once. */
export function absentMs(absences: readonly Absence[], fromMs: number, toMs: number): number {
  let total = 0;
  let countedToMs = fromMs;
  for (const absence of absences.toSorted((one, other) => one.fromMs - other.fromMs)) {
    const beginMs = Math.max(absence.fromMs, countedToMs);
    const endMs = Math.min(absence.toMs, toMs);
    if (endMs <= beginMs) continue;
    total += endMs - beginMs;
    countedToMs = endMs;
  }
  return total;
}
