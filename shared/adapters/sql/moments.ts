/** Moments, intervals and their parts. */
import { DAY_MS } from "../../core/model/time-units.ts";
import { SqlError } from "../../engine/ports/sql.ts";

/** The length of a month within a duration. Months that are added to a moment follow the calendar instead. */
const MONTH_MS = 30 * DAY_MS;
/** 1970-01-05 is the first Monday of the epoch. */
const MONDAY_MS = 4 * DAY_MS;
const EARLIEST_MS = Date.parse("0000-01-01T00:00:00Z");
const LATEST_MS = Date.parse("9999-12-31T23:59:59.999Z");

const UNIT_MS: Readonly<Record<string, number>> = {
  millisecond: 1,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: DAY_MS,
  week: 7 * DAY_MS,
};
const UNIT_MONTHS: Readonly<Record<string, number>> = { month: 1, year: 12 };
const SHORT: Readonly<Record<string, string>> = {
  ms: "millisecond",
  s: "second",
  sec: "second",
  min: "minute",
  m: "minute",
  h: "hour",
  hr: "hour",
  d: "day",
  w: "week",
  mon: "month",
  y: "year",
};

export interface Interval {
  readonly months: number;
  /** Milliseconds beside the months. */
  readonly ms: number;
}

/** A count with its unit, or hours, minutes and seconds. */
const PART = /([+-]?\d{1,15}(?:\.\d{1,9})?)\s{0,9}([a-z]{1,15})|(\d{1,9}):(\d\d)(?::(\d\d))?/gi;

/** Reads `1 day`, `1 hour 30 minutes` and `01:30:00`. @throws SqlError for any other text */
export function intervalOf(text: string): Interval {
  let [months, ms] = [0, 0];
  const rest = text.replaceAll(PART, (...found) => {
    const [, count, word, hours, minutes, seconds = "0"] = found as (string | undefined)[];
    if (word === undefined) {
      ms += ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
      return "";
    }
    const small = word.toLowerCase();
    const unit = SHORT[small] ?? small.replace(/s$/, "");
    if (!Object.hasOwn(UNIT_MS, unit) && !Object.hasOwn(UNIT_MONTHS, unit)) return word;
    ms += Number(count) * (UNIT_MS[unit] ?? 0);
    months += Number(count) * (UNIT_MONTHS[unit] ?? 0);
    return "";
  });
  if (rest.trim() !== "" || text.trim() === "")
    throw new SqlError("syntax", `'${text}' is no interval; write interval '1 hour 30 minutes'`);
  if (!Number.isInteger(months))
    throw new SqlError("syntax", `'${text}' has a fraction of a month, which has no fixed length; write days or hours`);
  return { months, ms };
}

export function msOf({ months, ms }: Interval): number {
  return months * MONTH_MS + ms;
}

const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d:\d\d)?)?$/i;

/**
 * Parses a moment. A text without a zone means UTC, whatever the zone of the process is.
 * @returns milliseconds since the epoch; undefined for a text that is no moment, or names a day that does not exist
 */
export function momentOf(text: string): number | undefined {
  const [, day, time = "00:00", zone = "Z"] = MOMENT.exec(text) ?? [];
  if (day === undefined || !isDay(day)) return undefined;
  const atMs = Date.parse(`${day}T${time}${zone.toUpperCase()}`);
  return Number.isNaN(atMs) ? undefined : atMs;
}

function isDay(day: string): boolean {
  const atMs = Date.parse(day);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(day);
}

/** @throws SqlError for a text that is no moment */
export function epochMs(text: string): number {
  const atMs = momentOf(text);
  if (atMs === undefined) throw new SqlError("syntax", `'${text}' is no moment; write 2026-01-31T08:15:00Z`);
  return atMs;
}

/** Cuts the fraction of a millisecond. @throws SqlError outside of the years that a moment can have */
export function wholeMs(atMs: number): number {
  const whole = Math.floor(atMs);
  if (whole >= EARLIEST_MS && whole <= LATEST_MS) return whole;
  throw new SqlError("syntax", "a moment is outside of the years 0 to 9999");
}

/** Adds an interval to a moment, whose months follow the calendar. @param sign 1 or -1 */
export function moved(fromMs: number, { months, ms }: Interval, sign: number): number {
  const to = new Date(fromMs);
  const day = to.getUTCDate();
  to.setUTCDate(1);
  to.setUTCMonth(to.getUTCMonth() + sign * months);
  to.setUTCDate(Math.min(day, daysInMonth(to)));
  return wholeMs(to.getTime() + sign * ms);
}

function daysInMonth(of: Date): number {
  return new Date(Date.UTC(of.getUTCFullYear(), of.getUTCMonth() + 1, 0)).getUTCDate();
}

/** The start of the span of milliseconds or of months that contains the moment; one of the spans starts at `originMs`. */
export function dateBin({ months, ms }: Interval, atMs: number, originMs: number): number {
  if (!(months + ms > 0)) throw new SqlError("syntax", "the interval of date_bin must be longer than nothing");
  if (months === 0) return wholeMs(originMs + Math.floor((atMs - originMs) / ms) * ms);
  const [at, from] = [new Date(atMs), new Date(originMs)];
  const between = (at.getUTCFullYear() - from.getUTCFullYear()) * 12 + at.getUTCMonth() - from.getUTCMonth();
  const bins = Math.floor(between / months);
  const start = moved(originMs, { months: bins * months, ms: 0 }, 1);
  return start <= atMs ? start : moved(originMs, { months: (bins - 1) * months, ms: 0 }, 1);
}

/** The units of `date_trunc`: the start of the unit that contains a moment. */
export const TRUNCATED: Readonly<Record<string, (atMs: number) => number>> = {
  year: (atMs) => Date.UTC(new Date(atMs).getUTCFullYear(), 0),
  month: (atMs) => Date.UTC(new Date(atMs).getUTCFullYear(), new Date(atMs).getUTCMonth()),
  day: (atMs) => floored(atMs, DAY_MS),
  hour: (atMs) => floored(atMs, 3_600_000),
  minute: (atMs) => floored(atMs, 60_000),
  second: (atMs) => floored(atMs, 1000),
  quarter: (atMs) => Date.UTC(new Date(atMs).getUTCFullYear(), Math.floor(new Date(atMs).getUTCMonth() / 3) * 3),
  /** Weeks begin on Monday. */
  week: (atMs) => floored(atMs - MONDAY_MS, 7 * DAY_MS) + MONDAY_MS,
  millisecond: (atMs) => atMs,
  milliseconds: (atMs) => atMs,
};

function floored(atMs: number, unitMs: number): number {
  return Math.floor(atMs / unitMs) * unitMs;
}

/** The parts of a moment that `extract` and `date_part` read. */
export const PARTS: Readonly<Record<string, (at: Date) => number>> = {
  year: (at) => at.getUTCFullYear(),
  month: (at) => at.getUTCMonth() + 1,
  day: (at) => at.getUTCDate(),
  hour: (at) => at.getUTCHours(),
  minute: (at) => at.getUTCMinutes(),
  second: (at) => at.getUTCSeconds(),
  dow: (at) => at.getUTCDay(),
  epoch: (at) => at.getTime() / 1000,
};
