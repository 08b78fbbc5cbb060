/** The functions of statements, except for aggregates and window functions. */
import { dataTypeOf, isInteger } from "../../core/query/table-shape.ts";
import { SqlError } from "../../engine/ports/sql.ts";
import { isJson, jsonAt, jsonLength, jsonObject, jsonPart, jsonText, jsonType } from "./json.ts";
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
  type SqlFunction,
  strict,
} from "./conversions.ts";
import { MOMENT_FUNCTIONS } from "./moment-functions.ts";
import { constant, term, type Term } from "./terms.ts";
import { end, letterCount, part, position, start } from "./texts.ts";
import { isList, isNumeric, type Known, keyOf, order, textOf, type Value } from "./values.ts";

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
