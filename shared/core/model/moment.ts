/** Formats moments as text. Moments beyond the calendar are clamped, because a handler may sleep for any time. */

/** The last millisecond of the year 9999: RFC 3339 requires years of four digits. */
export const LAST_MOMENT_MS = 253_402_300_799_999;

/** The moment by RFC 3339, in UTC with milliseconds. @param atMs since the epoch; clamped to the years 1970 to 9999 */
export function momentIso(atMs: number): string {
  // oxlint-disable-next-line no-restricted-globals -- A Date of a given number reads no clock.
  return new Date(Math.min(Math.max(Math.trunc(atMs), 0), LAST_MOMENT_MS)).toISOString();
}
