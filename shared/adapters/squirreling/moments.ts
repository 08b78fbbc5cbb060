/** Moments and durations in statements: moments are ISO texts of one length, durations milliseconds. */
import type { SqlPrimitive } from "squirreling";
import { SqlError } from "../../engine/ports/sql.ts";
import { momentOf, textOf } from "./values.ts";

const DAY_MS = 86_400_000;
/** The length of a month within a duration. Months that are added to a moment follow the calendar instead. */
const MONTH_MS = 30 * DAY_MS;

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

interface Interval {
  readonly months: number;
  readonly ms: number;
}

/** A count with its unit, or hours, minutes and seconds. */
const PART = /([+-]?\d{1,15}(?:\.\d{1,9})?)\s{0,9}([a-z]{1,15})|(\d{1,9}):(\d\d)(?::(\d\d))?/gi;

/** Reads `1 day`, `1 hour 30 minutes` and `01:30:00`. @throws SqlError for any other text */
function intervalOf(text: string): Interval {
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

/** Whether an interval has no fixed length. @throws SqlError for a text that is no interval */
export function hasMonths(text: string): boolean {
  return intervalOf(text).months !== 0;
}

/** Whether an interval consists of whole months. @throws SqlError for a text that is no interval */
export function hasOnlyMonths(text: string): boolean {
  const { months, ms } = intervalOf(text);
  return months !== 0 && ms === 0;
}

export function intervalMs(text: SqlPrimitive): number {
  const { months, ms } = intervalOf(textOf(text));
  return months * MONTH_MS + ms;
}

/** @param by milliseconds, or the text of an interval, whose months follow the calendar */
export function moved(moment: SqlPrimitive, by: SqlPrimitive, sign: SqlPrimitive): SqlPrimitive {
  const fromMs = epochMs(moment);
  if (fromMs === undefined || by === null) return null;
  const { months, ms } = typeof by === "string" ? intervalOf(by) : { months: 0, ms: Number(by) };
  const to = new Date(fromMs);
  const day = to.getUTCDate();
  to.setUTCDate(1);
  to.setUTCMonth(to.getUTCMonth() + Number(sign) * months);
  to.setUTCDate(Math.min(day, daysInMonth(to)));
  return isoOf(to.getTime() + Number(sign) * ms);
}

function daysInMonth(of: Date): number {
  return new Date(Date.UTC(of.getUTCFullYear(), of.getUTCMonth() + 1, 0)).getUTCDate();
}

export function msBetween(from: SqlPrimitive, to: SqlPrimitive): SqlPrimitive {
  const [fromMs, toMs] = [epochMs(from), epochMs(to)];
  return fromMs === undefined || toMs === undefined ? null : toMs - fromMs;
}

/**
 * The start of the span that contains the moment; one of the spans starts at `origin`.
 * @param by milliseconds, or the text of an interval of months
 */
export function dateBin(by: SqlPrimitive, moment: SqlPrimitive, origin: SqlPrimitive): SqlPrimitive {
  if (typeof by === "string") return monthBin(intervalOf(by).months, moment, origin);
  const [atMs, originMs, span] = [epochMs(moment), epochMs(origin), Number(by)];
  if (!(span > 0)) throw new SqlError("syntax", "the interval of date_bin must be longer than nothing");
  if (atMs === undefined || originMs === undefined) return null;
  return isoOf(originMs + Math.floor((atMs - originMs) / span) * span);
}

function monthBin(months: number, moment: SqlPrimitive, origin: SqlPrimitive): SqlPrimitive {
  if (months < 1) throw new SqlError("syntax", "the interval of date_bin must be longer than nothing");
  const [atMs, originMs] = [epochMs(moment), epochMs(origin)];
  if (atMs === undefined || originMs === undefined) return null;
  const [at, from] = [new Date(atMs), new Date(originMs)];
  const between = (at.getUTCFullYear() - from.getUTCFullYear()) * 12 + at.getUTCMonth() - from.getUTCMonth();
  const bins = Math.floor(between / months);
  const start = moved(origin, `${bins * months} months`, 1);
  return epochMs(start)! <= atMs ? start : moved(origin, `${(bins - 1) * months} months`, 1);
}

/** @param unitMs the unit of a number, in milliseconds. @throws SqlError for a text that is no moment */
export function timestampOf(value: SqlPrimitive, unitMs: number): SqlPrimitive {
  if (value === null || value === undefined) return null;
  return isoOf(typeof value === "number" || typeof value === "bigint" ? Number(value) * unitMs : epochMs(value)!);
}

/** @throws SqlError for a text that is no moment */
export function epochMs(moment: SqlPrimitive): number | undefined {
  if (moment === null || moment === undefined) return undefined;
  const atMs = momentOf(textOf(moment));
  if (atMs === undefined) throw new SqlError("syntax", `'${textOf(moment)}' is no moment; write 2026-01-31T08:15:00Z`);
  return atMs;
}

/** @throws SqlError outside of the years that a moment can have */
export function isoOf(atMs: number): string {
  const at = new Date(Math.floor(atMs));
  const year = Number.isNaN(at.getTime()) ? undefined : at.getUTCFullYear();
  if (year === undefined || year < 0 || year > 9999)
    throw new SqlError("syntax", "a moment is outside of the years 0 to 9999");
  return at.toISOString();
}
