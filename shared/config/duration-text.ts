/** Durations in configuration: `500ms`, `1m 30s`, `2 days`, or ISO-8601 such as `PT1M30S`. */

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  milli: 1,
  msec: 1,
  millisecond: 1,
  s: 1000,
  sec: 1000,
  second: 1000,
  m: 60_000,
  min: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hr: 3_600_000,
  hour: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
  w: 604_800_000,
  wk: 604_800_000,
  week: 604_800_000,
};

const FRIENDLY = /^(?:\d+(?:\.\d+)?\s*[a-z]+\s*)+$/;
const FRIENDLY_PART = /(\d+(?:\.\d+)?)\s*([a-z]+)\s*/gy;
const ISO = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const ISO_UNITS_MS = [604_800_000, 86_400_000, 3_600_000, 60_000, 1000];

/** Whole milliseconds; undefined if the text has none of these forms. Months and years have no fixed length. */
export function durationMs(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed.length > 64) return undefined;
  const ms = trimmed.startsWith("P") ? isoMs(trimmed) : friendlyMs(trimmed.toLowerCase());
  return ms !== undefined && Number.isSafeInteger(Math.round(ms)) ? Math.round(ms) : undefined;
}

function isoMs(text: string): number | undefined {
  const parts = ISO.exec(text)?.slice(1);
  if (parts === undefined || text.endsWith("T") || parts.every((part) => part === undefined)) return undefined;
  return parts.reduce((sum, part, at) => sum + Number(part ?? 0) * ISO_UNITS_MS[at]!, 0);
}

function friendlyMs(text: string): number | undefined {
  if (!FRIENDLY.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, name = ""] of text.matchAll(FRIENDLY_PART)) {
    const unitMs = unitOf(name) ?? unitOf(name.replace(/s$/, ""));
    if (unitMs === undefined) return undefined;
    sum += Number(amount) * unitMs;
  }
  return sum;
}

function unitOf(name: string): number | undefined {
  return Object.hasOwn(UNIT_MS, name) ? UNIT_MS[name] : undefined;
}
