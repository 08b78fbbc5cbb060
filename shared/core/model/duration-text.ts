/** Formats durations as text in the friendly form, which `parseDurationMs` reads. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "./time-units.ts";

const UNITS: readonly (readonly [string, number])[] = [
  ["d", DAY_MS],
  ["h", HOUR_MS],
  ["m", MINUTE_MS],
  ["s", SECOND_MS],
  ["ms", 1],
];

/** @returns for example `1d`, `1m 30s`, `500ms` or `0s` */
export function durationText(ms: number): string {
  let left = Math.max(0, Math.round(ms));
  const parts: string[] = [];
  for (const [name, unitMs] of UNITS) {
    const amount = Math.floor(left / unitMs);
    left -= amount * unitMs;
    if (amount > 0) parts.push(`${amount}${name}`);
  }
  return parts.length === 0 ? "0s" : parts.join(" ");
}
