/** Converts terms to the types that are needed: for the sides of a comparison, the results of a CASE, the arguments of a function. */
import { SqlError } from "../../engine/ports/sql.ts";
import { epochMs, intervalOf, msOf } from "./moments.ts";
import type { Comparison } from "./syntax.ts";
import { constant, constantOf, term, type Term } from "./terms.ts";
import {
  booleanOf,
  integerOf,
  isEqual,
  isList,
  isNumeric,
  type Known,
  numberOf,
  textOf,
  type Type,
  type Value,
} from "./values.ts";

/** The conversions between types. @throws SqlError on a row whose value has no value of the type */
export function cast(of: Term, to: Type): Term {
  if (of.type === to || of.type === "null") return { ...of, type: to };
  const { type } = of;
  switch (to) {
    case "text":
      return mapped(of, to, (value) => textOf(value, type));
    case "integer":
    case "uint32":
    case "uint64":
      return mapped(of, to, integerOf);
    case "number":
      return isNumeric(type) ? { ...of, type: to } : mapped(of, to, numberOf);
    case "boolean":
      return mapped(of, to, booleanOf);
    case "moment":
      if (type === "text" || type === "bytes") return mapped(of, to, (value) => epochMs(textOf(value)));
      throw new SqlError("syntax", `a ${type} is no moment; write to_timestamp(...)`);
    case "duration":
      if (isNumeric(type)) return { ...of, type: to };
      if (of.isConstant && typeof constantOf(of) === "string") return interval(constantOf(of) as string);
      throw new SqlError("syntax", `a ${type} is no duration; write interval '1 hour'`);
    default:
      throw new SqlError("syntax", `a ${type} is no ${to}`);
  }
}

/** A term that is NULL where the other one is. */
export function mapped(of: Term, type: Type, map: (value: Known) => Value): Term {
  return term(type, [of], (row, around) => {
    const value = of.of(row, around);
    return value === null ? null : map(value);
  });
}

/** @throws SqlError for a text that is no interval */
export function interval(text: string): Term {
  const read = intervalOf(text);
  return { ...constant(msOf(read), "duration"), interval: read };
}

/** @throws SqlError for months in a place that needs milliseconds */
export function refuseMonths(of: Term): void {
  if (of.interval !== undefined && of.interval.months !== 0)
    throw new SqlError("syntax", "the interval has months, which have no fixed length; write days or hours");
  of.parts.forEach(refuseMonths);
}

export function isText(of: Term): boolean {
  return of.isConstant && of.type === "text" && of.parts.length === 0;
}

/** A text of the statement as a value of the type that stands beside it, as in PostgreSQL. @throws SqlError if it has none */
export function beside(of: Term, type: Type): Term {
  if (!isText(of)) return of;
  const text = constantOf(of) as string;
  if (type === "moment") return constant(epochMs(text), type);
  if (type === "boolean") return constant(booleanOf(text), type);
  if (type !== "duration") return of;
  const isNumber = text.trim() !== "" && Number.isFinite(Number(text));
  return isNumber ? constant(Number(text), type) : interval(text);
}

/** Both sides with types whose values can be compared. @throws SqlError if there are none */
function comparable(first: Term, second: Term, isEquality: boolean): readonly [Term, Term] {
  const left = beside(first, second.type);
  const right = beside(second, first.type);
  const [one, other] = [left.type, right.type];
  if (isList(one) || isList(other)) return [cast(left, "text"), cast(right, "text")];
  if (one === other || one === "null" || other === "null") return [left, right];
  const isHex = (type: Type): boolean => type === "text" || type === "bytes";
  if (isHex(one) && isHex(other)) return [left, right];
  if (one === "moment" || other === "moment") {
    if (one === "text" || other === "text") return [cast(left, "text"), cast(right, "text")];
    throw new SqlError("syntax", `a ${one} and a ${other} cannot be compared; to_timestamp(...) is a moment`);
  }
  const numbers = [one, other].map((type) => isNumeric(type) || type === "duration" || type === "boolean");
  // A boolean is compared as 0 or 1, and no longer narrows the scan of its column.
  if (numbers[0] && numbers[1])
    return one === "boolean"
      ? [cast(left, "number"), right]
      : [left, other === "boolean" ? cast(right, "number") : right];
  // The text of a number is compared as a number, and a number of the statement with equal texts.
  const [number, text] = numbers[0] ? [left, right] : [right, left];
  const areTexts = !numbers[0] && !numbers[1];
  if (areTexts || text.type !== "text" || (isEquality && number.isConstant && !text.isConstant))
    return [cast(left, "text"), cast(right, "text")];
  return numbers[0] ? [left, asNumber(right)] : [asNumber(left), right];
}

/** A text as a number; a text that is none equals no number. */
function asNumber(of: Term): Term {
  return mapped(of, "number", (value) => {
    const text = textOf(value).trim();
    if (/^[+-]?\d{16,40}$/.test(text)) return BigInt(text.replace("+", ""));
    return text === "" ? NaN : Number(text);
  });
}

const TESTS: Readonly<Record<Comparison, (left: Known, right: Known) => boolean>> = {
  "=": isEqual,
  "<>": (left, right) => !isEqual(left, right),
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
};

/** A comparison with NULL is NULL. */
export function comparison(op: Comparison, first: Term, second: Term): Term {
  const [left, right] = comparable(first, second, op === "=" || op === "<>");
  const test = TESTS[op];
  return term(
    "boolean",
    [left, right],
    (row, around) => {
      const one = left.of(row, around);
      if (one === null) return null;
      const other = right.of(row, around);
      return other === null ? null : test(one, other);
    },
    { form: { is: "comparison", op, left, right } },
  );
}

/**
 * Both sides of an equality, so that equal values of the sides have equal keys.
 * @throws SqlError if the two cannot be compared
 */
export function equatable(first: Term, second: Term): readonly [Term, Term] {
  return comparable(first, second, true);
}

/** The type of a value that is chosen from the terms. */
export function commonType(terms: readonly Term[]): Type {
  const types = [...new Set(terms.map(({ type }) => type).filter((type) => type !== "null"))];
  const [first = "null"] = types;
  if (types.length < 2) return first;
  const timed = types.find((type) => type === "moment" || type === "duration");
  const others = terms.filter(({ type }) => type !== timed && type !== "null");
  if (timed !== undefined && others.every((one) => isText(one) || (timed === "duration" && isNumeric(one.type))))
    return timed;
  if (types.every(isNumeric)) return types.includes("number") ? "number" : "integer";
  if (types.includes("boolean") && terms.every((one) => one.type === "boolean" || one.type === "null" || isText(one)))
    return "boolean";
  return "text";
}

/** The terms with their common type. */
export function alike(terms: readonly Term[]): { readonly type: Type; readonly terms: readonly Term[] } {
  const type = commonType(terms);
  return { type, terms: terms.map((one) => cast(beside(one, type), type)) };
}

export function ofBoth(type: Type, left: Term, right: Term, apply: (left: Known, right: Known) => Value): Term {
  return term(type, [left, right], (row, around) => {
    const one = left.of(row, around);
    if (one === null) return null;
    const other = right.of(row, around);
    return other === null ? null : apply(one, other);
  });
}

/** A term that has the value of another one, which is thus computed once although several terms use it. */
export function holder(of: Term): { readonly held: Term; readonly hold: (value: Value) => Value } {
  let current: Value = null;
  const isLiteral = isText(of);
  const held: Term = isLiteral
    ? of
    : { type: of.type, of: () => current, parts: [], isFixed: false, isConstant: false };
  return { held, hold: (value) => (current = value) };
}

/** A function of statements. */
export interface SqlFunction {
  readonly min: number;
  readonly max: number;
  bind(args: readonly Term[], nowMs: number): Term;
}

/**
 * A function that is NULL if one of its arguments is.
 * @param kinds one letter for each argument: `t` a text, `n` a number, `l` a list, `a` any value; those after `?` may be absent
 */
export function strict(kinds: string, type: Type, apply: (...args: never[]) => Value): SqlFunction {
  const [needed = "", optional = ""] = kinds.split("?");
  const all = needed + optional;
  const bind = (given: readonly Term[]): Term => {
    const args = given.map((arg, at) => converted(arg, all[at]!));
    return term(type, args, (row, around) => {
      const values: Known[] = [];
      for (const arg of args) {
        const value = arg.of(row, around);
        if (value === null) return null;
        values.push(value);
      }
      return apply(...(values as never[]));
    });
  };
  return { min: needed.length, max: all.length, bind };
}

export function converted(arg: Term, kind: string): Term {
  if (kind === "t") return cast(arg, "text");
  if (kind === "n") return cast(arg, "number");
  if (kind === "l" && arg.type !== "null" && !isList(arg.type))
    throw new SqlError("syntax", `the argument is a ${arg.type}, and no list`);
  return arg;
}

/** A function without arguments. */
export function always(type: Type, value: (nowMs: number) => Value): SqlFunction {
  return { min: 0, max: 0, bind: (_args, nowMs) => constant(value(nowMs), type) };
}
