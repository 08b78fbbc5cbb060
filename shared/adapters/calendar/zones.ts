/** Local times of time zones and the moments that they mean. A local time is a number: the milliseconds of its date and time in UTC. */

const DAY_MS = 86_400_000;
/** The most zones whose formats are kept. */
const KEPT_MAX = 500;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Names only: an offset such as `+02:00` has no rules for summer time. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+){0,3}$/.test(name) || name.length > 64) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** @throws RangeError for an unknown zone */
export function localTimeOf(timeZone: string, atMs: number): number {
  if (timeZone === "UTC") return atMs;
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(atMs)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const millisecond = ((atMs % 1_000) + 1_000) % 1_000;
  return Date.UTC(year, month - 1, day, hour, minute, second, millisecond);
}

/**
 * The first moment at which the zone's clocks show the local time; undefined if they never do. The zone has at most one change of its
 * offset within a day before and after.
 */
export function momentOfLocal(timeZone: string, localMs: number): number | undefined {
  if (timeZone === "UTC") return localMs;
  const offsets = [localMs - DAY_MS, localMs + DAY_MS].map((atMs) => localTimeOf(timeZone, atMs) - atMs);
  const moments = offsets.map((offsetMs) => localMs - offsetMs).toSorted((one, other) => one - other);
  return moments.find((atMs) => localTimeOf(timeZone, atMs) === localMs);
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  if (formats.size >= KEPT_MAX) formats.clear();
  formats.set(timeZone, format);
  return format;
}
