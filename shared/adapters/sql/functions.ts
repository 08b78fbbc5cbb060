/** The functions of statements, except for aggregates and window functions. */
import { DAY_MS } from "../../core/model/time-units.ts";
import { dataTypeOf, isInteger } from "../../core/query/table-shape.ts";
import { SqlError } from "../../engine/ports/sql.ts";
import { calculated, rounded } from "./arithmetic.ts";
import {
  alike,
  always,
  beside,
  cast,
  comparison,
  converted,
  holder,
  mapped,
  strict,
  isText,
  refuseMonths,
  type SqlFunction,
} from "./conversions.ts";
import { constant, term, constantOf, type Term } from "./terms.ts";
import { end, letterCount, part, position, start } from "./texts.ts";
import { isList, isNumeric, keyOf, order, textOf, type Known, type Value } from "./values.ts";
import { dateBin, PARTS, TRUNCATED, wholeMs } from "./moments.ts";

/** The functions of moments and durations. */
const MOMENT_FUNCTIONS: Readonly<Record<string, SqlFunction>> = {
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
  DATE_PART: { min: 2, max: 2, bind: ([name, of]) => momentPart(name!, of!) },
  EXTRACT: { min: 2, max: 2, bind: ([name, of]) => momentPart(name!, of!) },
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

function momentPart(name: Term, given: Term): Term {
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

/**
 * A value from a JSON text. If `isMarked` is true, each string of the text has the prefix `s` in the value, and each number is
 * a string there: its digits with the prefix `n`.
 */
interface Json {
  readonly value: unknown;
  readonly isMarked: boolean;
}

/** @param at a member's name, or the index of an element. @returns the part as JSON; NULL if there is no such part */
function jsonPart(json: string, at: Known): Value {
  const part = partOf(parsed(json), at);
  return part === undefined ? null : asJson(part);
}

/** Like `jsonPart`, but returns a string without its quotes, and NULL for the value null. */
function jsonText(json: string, at: Known): Value {
  const part = partOf(parsed(json), at);
  return part === undefined ? null : asText(part);
}

/** @param path such as `$.a.b[0]` @throws SqlError if the text is no JSON */
function jsonAt(json: string, path: string): Value {
  let part: Json | undefined = parsed(checked(json));
  for (const [, name, index] of path.replace(/^\$/, "").matchAll(/\.?([^.[\]]+)|\[(\d+)\]/g))
    part = part && partOf(part, name ?? Number(index));
  return part === undefined ? null : asText(part);
}

/** @throws SqlError if the text is no JSON */
function jsonType(json: string): string {
  const { value } = parsed(checked(json));
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** @returns NULL if the text is no array. @throws SqlError if the text is no JSON */
function jsonLength(json: string): Value {
  const { value } = parsed(checked(json));
  return Array.isArray(value) ? value.length : null;
}

function isJson(json: string): boolean {
  return parsed(json).value !== undefined;
}

function checked(json: string): string {
  if (!isJson(json)) throw new SqlError("syntax", "the argument is no JSON");
  return json;
}

function partOf({ value: whole, isMarked }: Json, at: Known): Json | undefined {
  if (Array.isArray(whole)) {
    const value: unknown = typeof at === "string" ? undefined : whole.at(Number(at));
    return value === undefined ? undefined : { value, isMarked };
  }
  if (typeof whole !== "object" || whole === null || typeof at !== "string") return undefined;
  const name = isMarked ? `s${at}` : at;
  return Object.hasOwn(whole, name) ? { value: (whole as Record<string, unknown>)[name], isMarked } : undefined;
}

/** A number with so many digits may have no exact value in JavaScript. */
const LONG_NUMBER = /\d[\d.]{15}/;
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\[^])*"?|-?\d[\d.eE+-]*/g;

/** @returns undefined as the value if the text is no JSON */
function parsed(json: string): Json {
  try {
    const value: unknown = JSON.parse(json);
    return LONG_NUMBER.test(json) ? { value: JSON.parse(marked(json)), isMarked: true } : { value, isMarked: false };
  } catch {
    return { value: undefined, isMarked: false };
  }
}

function marked(json: string): string {
  return json.replaceAll(TEXT_OR_NUMBER, (one) => (one.startsWith('"') ? `"s${one.slice(1)}` : `"n${one}"`));
}

function unmarked(json: string): string {
  return json.replaceAll(TEXT_OR_NUMBER, (one) => (one.startsWith('"n') ? one.slice(2, -1) : `"${one.slice(2)}`));
}

function asJson({ value, isMarked }: Json): string {
  const json = JSON.stringify(value);
  return isMarked ? unmarked(json) : json;
}

function asText(part: Json): Value {
  if (part.value === null) return null;
  if (typeof part.value !== "string") return asJson(part);
  return part.isMarked ? part.value.slice(1) : part.value;
}

/** An object of JSON from names and values. @throws SqlError for a value without a name */
function jsonObject(parts: readonly Value[]): string {
  if (parts.length % 2 !== 0) throw new SqlError("syntax", "json_object needs a value for each name");
  const members: string[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const value = parts[at + 1]!;
    const json = typeof value === "bigint" ? String(value) : JSON.stringify(value ?? null);
    members.push(`${JSON.stringify(textOf(parts[at] ?? ""))}:${json}`);
  }
  return `{${members.join(",")}}`;
}

/** @throws SqlError for an unknown function, and for arguments that it does not take */
export function boundCall(name: string, args: readonly Term[], nowMs: number): Term {
  const known = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name]! : undefined;
  if (known === undefined) throw new SqlError("syntax", `the function ${name.toLowerCase()} is not supported`);
  const { min, max } = known;
  if (args.length < min || args.length > max)
    throw new SqlError(
      "syntax",
      `${name.toLowerCase()} takes ${min === max ? min : max === Infinity ? `at least ${min}` : `${min} to ${max}`} arguments, and not ${args.length}`,
    );
  return known.bind(args, nowMs);
}

function numeric(apply: (...numbers: number[]) => number, kinds = "n"): SqlFunction {
  return strict(kinds, "number", apply as (...args: never[]) => Value);
}

function text(kinds: string, apply: (...args: never[]) => Value): SqlFunction {
  return strict(kinds, "text", apply);
}

const random: SqlFunction = {
  min: 0,
  max: 0,
  bind: () => ({ ...constant(0, "number"), of: () => Math.random(), isFixed: false, isConstant: false }),
};

const POSITION = strict("tt", "integer", position);
const TRIM = text("t", (of: string) => of.trim());
const PART = text("tn?n", part);

const FUNCTIONS: Readonly<Record<string, SqlFunction>> = {
  "->": text("ta", jsonPart),
  "->>": text("ta", jsonText),
  "||": text("tt", (left: string, right: string) => left + right),
  UPPER: text("t", (of: string) => of.toUpperCase()),
  LOWER: text("t", (of: string) => of.toLowerCase()),
  LENGTH: {
    min: 1,
    max: 1,
    bind: ([of]) =>
      isList(of!.type)
        ? mapped(of!, "integer", (list) => (list as readonly unknown[]).length)
        : mapped(cast(of!, "text"), "integer", (one) => letterCount(textOf(one))),
  },
  TRIM,
  BTRIM: TRIM,
  REPLACE: text("ttt", (of: string, sought: string, by: string) =>
    sought === "" ? of : of.replaceAll(sought, () => by),
  ),
  SUBSTR: PART,
  SUBSTRING: PART,
  LEFT: text("tn", start),
  RIGHT: text("tn", end),
  STRPOS: POSITION,
  INSTR: POSITION,
  POSITION,
  /** Unlike `||`, CONCAT leaves out what is NULL. */
  CONCAT: {
    min: 1,
    max: Infinity,
    bind: (given) => {
      const args = given.map((arg) => cast(arg, "text"));
      return term("text", args, (row, around) => args.map(({ of }) => of(row, around) ?? "").join(""));
    },
  },
  FLOOR: numeric(Math.floor),
  CEIL: numeric(Math.ceil),
  CEILING: numeric(Math.ceil),
  ROUND: numeric(rounded, "n?n"),
  ABS: {
    min: 1,
    max: 1,
    bind: ([of]) =>
      mapped(asNumeric(of!), isNumeric(of!.type) || of!.type === "duration" ? of!.type : "number", absolute),
  },
  SIGN: numeric(Math.sign),
  MOD: {
    min: 2,
    max: 2,
    bind: ([left, right]) => {
      const isExact = isInteger(left!.type as "integer") && isInteger(right!.type as "integer");
      const kind = isExact ? "integer" : "fraction";
      return strict("aa", isExact ? "integer" : "number", (one: Known, other: Known) =>
        calculated("%", one, other, kind),
      ).bind([left!, right!], 0);
    },
  },
  EXP: numeric(Math.exp),
  LN: numeric(Math.log),
  LOG10: numeric(Math.log10),
  POW: numeric(Math.pow, "nn"),
  POWER: numeric(Math.pow, "nn"),
  SQRT: numeric(Math.sqrt),
  SIN: numeric(Math.sin),
  COS: numeric(Math.cos),
  TAN: numeric(Math.tan),
  COT: numeric((of) => 1 / Math.tan(of)),
  ASIN: numeric(Math.asin),
  ACOS: numeric(Math.acos),
  ATAN: numeric((y, x = 1) => Math.atan2(y, x), "n?n"),
  ATAN2: numeric(Math.atan2, "nn"),
  DEGREES: numeric((of) => (of * 180) / Math.PI),
  RADIANS: numeric((of) => (of * Math.PI) / 180),
  PI: always("number", () => Math.PI),
  RANDOM: random,
  RAND: random,
  JSON_VALUE: text("tt", jsonAt),
  JSON_QUERY: text("tt", jsonAt),
  JSON_EXTRACT: text("tt", jsonAt),
  JSON_OBJECT: {
    min: 0,
    max: Infinity,
    bind: (args) => term("text", args, (row, around) => jsonObject(args.map(({ of }) => of(row, around)))),
  },
  JSON_ARRAY_LENGTH: strict("t", "integer", jsonLength),
  JSON_VALID: strict("t", "boolean", isJson),
  JSON_TYPE: text("t", jsonType),
  ARRAY_LENGTH: strict("l", "integer", (list: readonly unknown[]) => list.length),
  CARDINALITY: strict("l", "integer", (list: readonly unknown[]) => list.length),
  ARRAY_POSITION: strict("la", "integer", (list: readonly (string | number)[], of: Known) => {
    const sought = keyOf([typeof of === "bigint" ? Number(of) : of]);
    const at = list.findIndex((one) => keyOf([one]) === sought);
    return at < 0 ? null : at + 1;
  }),
  ARRAY_SORT: {
    min: 1,
    max: 1,
    bind: ([of]) => mapped(converted(of!, "l"), of!.type, (list) => (list as readonly string[]).toSorted(order)),
  },
  COALESCE: {
    min: 1,
    max: Infinity,
    bind: (given) => {
      const { type, terms } = alike(given);
      return term(type, terms, (row, around) => {
        for (const { of } of terms) {
          const value = of(row, around);
          if (value !== null) return value;
        }
        return null;
      });
    },
  },
  NULLIF: {
    min: 2,
    max: 2,
    bind: ([first, second]) => {
      const of = beside(first!, second!.type);
      const { held, hold } = holder(of);
      const isSame = comparison("=", held, second!);
      return term(of.type, [of, second!], (row, around) => {
        const value = hold(of.of(row, around));
        return isSame.of(row, around) === true ? null : value;
      });
    },
  },
  GREATEST: chosen((value, best) => order(value, best) > 0),
  LEAST: chosen((value, best) => order(value, best) < 0),
  ARROW_TYPEOF: {
    min: 1,
    max: 1,
    bind: ([of]) =>
      constant(
        of!.type === "null" ? "Null" : of!.type === "number" ? "Float64" : dataTypeOf({ type: of!.type }),
        "text",
      ),
  },
  ...MOMENT_FUNCTIONS,
};

function absolute(value: Known): Value {
  return typeof value === "bigint" && value < 0 ? -value : typeof value === "bigint" ? value : Math.abs(Number(value));
}

function asNumeric(of: Term): Term {
  return of.type === "duration" ? of : isNumeric(of.type) ? of : cast(of, "number");
}

/** The best of the values that are not NULL. */
function chosen(isBetter: (value: Known, best: Known) => boolean): SqlFunction {
  return {
    min: 1,
    max: Infinity,
    bind: (given) => {
      const { type, terms } = alike(given);
      return term(type, terms, (row, around) => {
        let best: Value = null;
        for (const { of } of terms) {
          const value = of(row, around);
          if (value !== null && (best === null || isBetter(value, best))) best = value;
        }
        return best;
      });
    },
  };
}
