/**
 * The rule of sleeps. A sleep lasts at least its time. It exceeds its time at most by a margin and by the time for which one of
 * the processes was absent at its end. Absences before its end do not count: a sleep that began anew after a kill would be longer
 * by the time slept before.
 */
import type { Slept } from "./account.ts";
import type { Absence } from "./victim.ts";

/** For the retries of broken-off attempts, before the sleep was recorded and after it until the next closure committed. */
export const SLEEP_MARGIN_MS = 6_000;

/**
 * @param complaints gets further sentences
 * @returns the longest excess in milliseconds, without the margin
 */
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

/** The part of a span that absences cover, each moment counted once. */
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
