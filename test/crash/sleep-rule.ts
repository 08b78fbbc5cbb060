/**
 * The rule of sleeps. A sleep lasts at least as long as the handler asked. After the sleep is due, it may go on only for a
 * margin and for the time in which one of the processes is absent. Absences before the sleep is due do not count. So a sleep
 * that starts again after a kill breaks the rule: its excess includes the time that had already passed before the kill.
 */
import type { Slept } from "./account.ts";
import type { Absence } from "./victim.ts";

/**
 * Covers the retries of broken-off attempts: until the sleep is stored in the journal, and after the sleep until the result of
 * the handler's next run is stored.
 */
export const SLEEP_MARGIN_MS = 6_000;

/**
 * @param complaints the list to which complaints are added
 * @param slowness how many times slower than a quiet machine this one was: the margin grows with it
 * @returns the longest excess in milliseconds; the margin is not subtracted
 */
export function judgeSleeps(
  slept: readonly Slept[],
  absences: readonly Absence[],
  complaints: string[],
  slowness = 1,
): number {
  let longestOverrunMs = 0;
  for (const sleep of slept) {
    const tookMs = sleep.toMs - sleep.fromMs;
    const overrunMs = tookMs - sleep.askedMs - absentMs(absences, sleep.fromMs + sleep.askedMs, sleep.toMs);
    longestOverrunMs = Math.max(longestOverrunMs, overrunMs);
    const what = `${sleep.invocationId} asked to sleep ${sleep.askedMs} ms and slept ${tookMs} ms`;
    if (tookMs < sleep.askedMs) complaints.push(what);
    if (overrunMs > SLEEP_MARGIN_MS * slowness) complaints.push(`${what}, ${overrunMs} ms too long`);
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
