/** The functions of moments and durations. */
import { SqlError } from "../../engine/ports/sql.ts";
import { always, beside, cast, isText, mapped, refuseMonths, type SqlFunction, strict } from "./conversions.ts";
import { dateBin, PARTS, TRUNCATED, wholeMs } from "./moments.ts";
import { constant, constantOf, type Term } from "./terms.ts";
import { isNumeric, textOf, type Value } from "./values.ts";

const DAY_MS = 86_400_000;

export const MOMENT_FUNCTIONS: Readonly<Record<string, SqlFunction>> = {
  NOW: always("moment", (nowMs) => nowMs),
  CURRENT_TIMESTAMP: always("moment", (nowMs) => nowMs),
  CURRENT_DATE: always("moment", (nowMs) => nowMs - (nowMs % DAY_MS)),
  CURRENT_TIME: always("text", (nowMs) => new Date(nowMs).toISOString().slice(11, -1)),
  TO_TIMESTAMP: timestamp(1000),
  TO_TIMESTAMP_SECONDS: timestamp(1000),
  TO_TIMESTAMP_MILLIS: timestamp(1),
  TO_TIMESTAMP_MICROS: timestamp(1 / 1000),
  TO_TIMESTAMP_NANOS: timestamp(1 / 1_000_000),
  DATE_BIN: { min: 2, max: 3, bind: bin },
  DATE_TRUNC: {
    min: 2,
    max: 2,
    bind: ([unit, of]) => {
      if (of!.type === "duration") throw new SqlError("syntax", "date_trunc takes a moment, and this is a duration");
      const truncate = TRUNCATED[wordOf(unit!, "date_trunc", Object.keys(TRUNCATED))]!;
      return mapped(asMoment(of!), "moment", (atMs) => wholeMs(truncate(Number(atMs))));
    },
  },
  DATE_PART: { min: 2, max: 2, bind: ([name, of]) => partOf(name!, of!) },
  EXTRACT: { min: 2, max: 2, bind: ([name, of]) => partOf(name!, of!) },
  AGE: {
    min: 1,
    max: 2,
    // With one argument, AGE compares the moment with the last midnight, as PostgreSQL does.
    bind: ([first, second], nowMs) => {
      const midnight = constant(nowMs - (nowMs % DAY_MS), "moment");
      const [to, from] = second === undefined ? [midnight, asMoment(first!)] : [asMoment(first!), asMoment(second)];
      return strict("aa", "duration", (toMs: number, fromMs: number) => toMs - fromMs).bind([to, from], nowMs);
    },
  },
};

/** @param unitMs the unit of a number, in milliseconds */
function timestamp(unitMs: number): SqlFunction {
  return {
    min: 1,
    max: 1,
    bind: ([of]) =>
      isNumeric(of!.type) ? mapped(of!, "moment", (value) => wholeMs(Number(value) * unitMs)) : asMoment(of!),
  };
}

/** @throws SqlError for a text of the statement that is no moment */
function asMoment(of: Term): Term {
  return cast(beside(of, "moment"), "moment");
}

function bin([span, of, origin]: readonly Term[]): Term {
  const interval = span!.interval;
  // Bins of months follow the calendar.
  const isCalendar = interval !== undefined && interval.months !== 0 && interval.ms === 0;
  if (!isCalendar) refuseMonths(span!);
  const from = origin === undefined ? constant(0, "moment") : asMoment(origin);
  const apply = (ms: number, atMs: number, originMs: number): Value =>
    dateBin(isCalendar ? interval : { months: 0, ms }, atMs, originMs);
  return strict("aaa", "moment", apply).bind([cast(beside(span!, "duration"), "duration"), asMoment(of!), from], 0);
}

/**
 * For the hours of `modified_at - created_at`, DataFusion returns all hours, and PostgreSQL only those beyond whole days.
 * Stepwell refuses parts on which the two differ.
 */
const DURATION_PARTS = ["epoch"];

function partOf(name: Term, given: Term): Term {
  if (given.type === "duration") {
    wordOf(name, "extract of a duration", DURATION_PARTS);
    return mapped(given, "number", (ms) => Number(ms) / 1000);
  }
  const word = wordOf(name, "extract", Object.keys(PARTS));
  return mapped(asMoment(given), word === "epoch" ? "number" : "integer", (atMs) =>
    PARTS[word]!(new Date(Number(atMs))),
  );
}

/** @throws SqlError for an unknown word, and for a term that is no literal, because its word depends on the row */
function wordOf(of: Term, name: string, known: readonly string[]): string {
  const word = isText(of) ? textOf(constantOf(of)!).toLowerCase() : "";
  if (!known.includes(word))
    throw new SqlError("syntax", `${name} reads ${known.join(", ")} here, and not '${word.slice(0, SHOWN_MAX)}'`);
  return word;
}

const SHOWN_MAX = 50;
