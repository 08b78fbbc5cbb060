/** Moments as texts: handlers choose how far in the future they sleep, and calendars end. */

/** The last millisecond of the year 9999: later years have no four digits, which RFC 3339 asks for. */
export const LAST_MOMENT_MS = 253_402_300_799_999;

/** RFC 3339 in UTC with milliseconds. @param atMs since the epoch; what lies outside the calendar shows as its first or last moment */
export function momentIso(atMs: number): string {
  // oxlint-disable-next-line no-restricted-globals -- A Date of a given number reads no clock.
  return new Date(Math.min(Math.max(Math.trunc(atMs), 0), LAST_MOMENT_MS)).toISOString();
}
