/** Parses durations in the ISO form (`PT1H30M`) and in the friendly form (`1h30m`, `10 sec`, `500ms`). */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, WEEK_MS } from "./time-units.ts";

/** Longer texts are refused, so that the work is bounded. No sensible duration is longer. */
const TEXT_MAX_CHARS = 128;

/** The unit names of the friendly form. A text must name larger units first, as this list does, unless `anyOrder` is true. */
const FRIENDLY_UNITS: readonly { readonly names: readonly string[]; readonly ms: number }[] = [
  { names: ["weeks", "week", "wks", "wk", "w"], ms: WEEK_MS },
  { names: ["days", "day", "d"], ms: DAY_MS },
  { names: ["hours", "hour", "hrs", "hr", "h"], ms: HOUR_MS },
  { names: ["minutes", "minute", "mins", "min", "m"], ms: MINUTE_MS },
  { names: ["seconds", "second", "secs", "sec", "s"], ms: SECOND_MS },
  { names: ["milliseconds", "millisecond", "millis", "milli", "msecs", "msec", "ms"], ms: 1 },
  { names: ["microseconds", "microsecond", "micros", "micro", "usecs", "usec", "us", "µs"], ms: 1e-3 },
  { names: ["nanoseconds", "nanosecond", "nanos", "nano", "nsecs", "nsec", "ns"], ms: 1e-6 },
];

const RANK_BY_NAME = new Map(FRIENDLY_UNITS.flatMap(({ names }, rank) => names.map((name) => [name, rank] as const)));

const ISO = /^\+?P(?:([\d.,]+)W)?(?:([\d.,]+)D)?(?:T(?:([\d.,]+)H)?(?:([\d.,]+)M)?(?:([\d.,]+)S)?)?$/i;
const ISO_UNITS_MS = [WEEK_MS, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS];
const NUMBER = /^\d+(?:[.,]\d+)?$/;
const FRIENDLY_PART = /(\d+(?:[.,]\d+)?)\s*([a-zµ]+)(?:\s*,\s+|\s*)/y;

export interface Grammar {
  /** True if the units of the friendly form may come in any order and repeatedly, and every number may have a fraction. */
  readonly anyOrder?: boolean;
}

/**
 * Refuses negative durations and numbers without a unit. Also refuses months and years, because a month or a year has no fixed
 * length.
 * @returns whole milliseconds, rounded to the nearest, and at most 2^53-1; undefined if the text is refused
 */
export function parseDurationMs(text: string, { anyOrder = false }: Grammar = {}): number | undefined {
  if (text.length === 0 || text.length > TEXT_MAX_CHARS) return undefined;
  const ms = /^\+?P/i.test(text) ? isoMs(text) : friendlyMs(text, anyOrder);
  if (ms === undefined) return undefined;
  return Math.min(Math.round(ms), Number.MAX_SAFE_INTEGER);
}

function isoMs(text: string): number | undefined {
  const parts = ISO.exec(text)?.slice(1);
  if (parts === undefined || /T$/i.test(text)) return undefined;
  let totalMs: number | undefined;
  let fractionSeen = false;
  for (const [at, part] of parts.entries()) {
    if (part === undefined) continue;
    if (fractionSeen || !NUMBER.test(part)) return undefined;
    fractionSeen = !/^\d+$/.test(part);
    totalMs = (totalMs ?? 0) + Number(part.replace(",", ".")) * ISO_UNITS_MS[at]!;
  }
  return totalMs;
}

function friendlyMs(text: string, anyOrder: boolean): number | undefined {
  const trimmed = text.trim();
  let totalMs = 0;
  let rankBefore = -1;
  let fractionSeen = false;
  let at = trimmed.startsWith("+") ? 1 : 0;
  if (at === trimmed.length) return undefined;
  while (at < trimmed.length) {
    FRIENDLY_PART.lastIndex = at;
    const part = FRIENDLY_PART.exec(trimmed);
    const rank = part === null ? undefined : RANK_BY_NAME.get(part[2]!);
    if (part === null || rank === undefined) return undefined;
    if (!anyOrder && (rank <= rankBefore || fractionSeen)) return undefined;
    totalMs += Number(part[1]!.replace(",", ".")) * FRIENDLY_UNITS[rank]!.ms;
    fractionSeen = !/^\d+$/.test(part[1]!);
    rankBefore = rank;
    at = FRIENDLY_PART.lastIndex;
  }
  return totalMs;
}

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
