/** Ages and waits in one short word, such as `7d`: read from the command line, and written into tables. */
import { InvalidArgumentError } from "commander";

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Option parser. @returns the age in milliseconds */
export function readAgeMs(written: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(written) ?? [];
  if (count === undefined || unit === undefined)
    throw new InvalidArgumentError("Write a number and a unit: 30s, 15m, 2h or 7d.");
  return Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
}

/** @returns a whole number of the largest unit that fits at least once (days: at least twice); `0s` for a negative age */
export function ageText(ageMs: number): string {
  const whole = (unit: keyof typeof UNITS_MS): string => `${Math.floor(Math.max(0, ageMs) / UNITS_MS[unit])}${unit}`;
  if (ageMs < UNITS_MS.m) return whole("s");
  if (ageMs < UNITS_MS.h) return whole("m");
  return ageMs < 2 * UNITS_MS.d ? whole("h") : whole("d");
}
