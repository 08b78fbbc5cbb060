/** Parses durations in friendly and ISO forms: `PT1H30M`, `1h30m`, `10 sec`, `500ms`. */

const MS_PER_SECOND = 1000;
const MS_PER_MINUTE = 60 * MS_PER_SECOND;
const MS_PER_HOUR = 60 * MS_PER_MINUTE;
const MS_PER_DAY = 24 * MS_PER_HOUR;
const MS_PER_WEEK = 7 * MS_PER_DAY;

/** Longer texts are refused, which bounds the work; no sensible duration is longer. */
const TEXT_MAX_CHARS = 128;

/** Unit names of the friendly form, largest unit first, in the order that a text must follow. */
const FRIENDLY_UNITS: readonly { readonly names: readonly string[]; readonly ms: number }[] = [
  { names: ["weeks", "week", "wks", "wk", "w"], ms: MS_PER_WEEK },
  { names: ["days", "day", "d"], ms: MS_PER_DAY },
  { names: ["hours", "hour", "hrs", "hr", "h"], ms: MS_PER_HOUR },
  { names: ["minutes", "minute", "mins", "min", "m"], ms: MS_PER_MINUTE },
  { names: ["seconds", "second", "secs", "sec", "s"], ms: MS_PER_SECOND },
  { names: ["milliseconds", "millisecond", "millis", "milli", "msecs", "msec", "ms"], ms: 1 },
  { names: ["microseconds", "microsecond", "micros", "micro", "usecs", "usec", "us", "µs"], ms: 1e-3 },
  { names: ["nanoseconds", "nanosecond", "nanos", "nano", "nsecs", "nsec", "ns"], ms: 1e-6 },
];

const RANK_BY_NAME = new Map(FRIENDLY_UNITS.flatMap(({ names }, rank) => names.map((name) => [name, rank] as const)));

const ISO = /^\+?P(?:([\d.,]+)W)?(?:([\d.,]+)D)?(?:T(?:([\d.,]+)H)?(?:([\d.,]+)M)?(?:([\d.,]+)S)?)?$/i;
const ISO_UNITS_MS = [MS_PER_WEEK, MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND];
const NUMBER = /^\d+(?:[.,]\d+)?$/;
const FRIENDLY_PART = /(\d+(?:[.,]\d+)?)\s*([a-zµ]+)(?:\s*,\s+|\s*)/y;

/**
 * Refuses months and years, which have no fixed length, negative durations, and numbers without a unit.
 * @returns whole milliseconds, rounded to the nearest; undefined if the text has none of these forms
 */
export function parseDurationMs(text: string): number | undefined {
  if (text.length === 0 || text.length > TEXT_MAX_CHARS) return undefined;
  const ms = /^\+?P/i.test(text) ? isoMs(text) : friendlyMs(text);
  if (ms === undefined) return undefined;
  const whole = Math.round(ms);
  return Number.isSafeInteger(whole) ? whole : undefined;
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

function friendlyMs(text: string): number | undefined {
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
    if (part === null || rank === undefined || rank <= rankBefore || fractionSeen) return undefined;
    totalMs += Number(part[1]!.replace(",", ".")) * FRIENDLY_UNITS[rank]!.ms;
    fractionSeen = !/^\d+$/.test(part[1]!);
    rankBefore = rank;
    at = FRIENDLY_PART.lastIndex;
  }
  return totalMs;
}
