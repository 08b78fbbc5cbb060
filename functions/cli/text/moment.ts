/** Moments and ages of the admin API in words for people. */

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** @param moment RFC 3339 in UTC, with any number of fraction digits; @returns the same moment, to the second */
export function momentText(moment: string): string {
  return moment.replace(/^([^T]+)T([^.Z]+)(?:\.\d+)?Z$/, "$1 $2 UTC");
}

/** @returns a whole number of the largest unit that fits at least once (days: at least twice); `0s` for a negative age */
export function ageText(ageMs: number): string {
  const whole = (unit: keyof typeof UNITS_MS): string => `${Math.floor(Math.max(0, ageMs) / UNITS_MS[unit])}${unit}`;
  if (ageMs < UNITS_MS.m) return whole("s");
  if (ageMs < UNITS_MS.h) return whole("m");
  return ageMs < 2 * UNITS_MS.d ? whole("h") : whole("d");
}
