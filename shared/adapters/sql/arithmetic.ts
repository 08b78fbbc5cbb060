/**
 * The arithmetic of numbers, moments and durations. It is exact for integers of 64 bits, and the quotient of two integers is an
 * integer, as in DataFusion.
 */
import { isInteger } from "../../core/query/table-shape.ts";
import { SqlError } from "../../engine/ports/sql.ts";
import { beside, isText, mapped, ofBoth, refuseMonths } from "./conversions.ts";
import { type Interval, momentOf, moved } from "./moments.ts";
import type { Arithmetic } from "./syntax.ts";
import { constant, constantOf, term, type Term } from "./terms.ts";
import { type Known, noValue, textOf, type Value } from "./values.ts";

/** `unknown`: the types of the operands do not show whether the result is an integer. */
type NumberKind = "integer" | "fraction" | "unknown";

/** @throws SqlError for an operand that is no number, for a division by zero, and for an integer of more than 64 bits */
export function calculated(op: Arithmetic, left: Known, right: Known, kind: NumberKind): Value {
  const [first, second] = [operandOf(left), operandOf(right)];
  if ((op === "/" || op === "%") && Number(second) === 0)
    throw new SqlError("syntax", `a number is divided by zero; write nullif(..., 0) for a divisor that can be zero`);
  if (kind === "fraction" || !isWhole(first) || !isWhole(second)) return ofFractions(op, Number(first), Number(second));
  if (op === "/" && kind === "unknown" && BigInt(first) % BigInt(second) !== 0n)
    throw new SqlError(
      "syntax",
      "the types of a division are unknown; write a::bigint / b for an integer, or a::double / b",
    );
  if (typeof first === "number" && typeof second === "number") {
    const quick = op === "/" ? Math.trunc(first / second) : ofFractions(op, first, second);
    // A sum with 0 turns -0 into 0.
    if (Number.isSafeInteger(quick)) return quick + 0;
  }
  return ofIntegers(op, BigInt(first), BigInt(second));
}

function ofIntegers(op: Arithmetic, left: bigint, right: bigint): number | bigint {
  const exact =
    op === "+"
      ? left + right
      : op === "-"
        ? left - right
        : op === "*"
          ? left * right
          : op === "/"
            ? left / right
            : left % right;
  if (exact >= 2n ** 63n || exact < -(2n ** 63n))
    throw new SqlError("syntax", `${left} ${op} ${right} is no integer of 64 bits; write a::double`);
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
}

function ofFractions(op: Arithmetic, left: number, right: number): number {
  if (op === "+") return left + right;
  if (op === "-") return left - right;
  if (op === "*") return left * right;
  return op === "/" ? left / right : left % right;
}

function isWhole(value: number | bigint): boolean {
  return typeof value === "bigint" || Number.isSafeInteger(value);
}

function operandOf(value: Known): number | bigint {
  if (typeof value === "number" || typeof value === "bigint") return value;
  const text = typeof value === "string" ? value.trim() : "";
  const number = text === "" ? NaN : Number(text);
  if (Number.isNaN(number)) throw noValue(value, "number, and arithmetic needs numbers");
  return /^[+-]?\d{16,40}$/.test(text) ? BigInt(text.replace("+", "")) : number;
}

/** Rounds a half away from zero. */
export function rounded(number: number, digits = 0): number {
  const unit = 10 ** digits;
  // A product such as 2.345 * 100 may lie just below its exact value.
  const whole = Math.round(Number((Math.abs(number) * unit).toPrecision(15)));
  return Number.isFinite(whole) ? (Math.sign(number) * whole) / unit + 0 : number;
}

/** A sum of integers, which stays exact beyond 2^53. */
export function added(sum: number | bigint, value: Known): number | bigint {
  if (typeof sum === "number" && typeof value === "number") {
    const quick = sum + value;
    if (Number.isSafeInteger(quick)) return quick;
  }
  return BigInt(sum) + BigInt(textOf(value));
}

/** @throws SqlError for a moment */
export function negative(of: Term): Term {
  const { type } = of;
  if (type === "moment") throw new SqlError("syntax", "a moment cannot be negated");
  if (type === "duration") return mapped(of, type, (value) => -Number(value));
  return arithmetic("-", constant(0, "integer"), of);
}

const OF_DURATIONS = /^(duration [-+/%] duration|duration [*/%] a value|a value \* duration)$/;

function kindOf({ type }: Term): "moment" | "duration" | "a value" {
  return type === "moment" || type === "duration" ? type : "a value";
}

/** @throws SqlError if the operator has no result for the types of its sides */
export function arithmetic(op: Arithmetic, first: Term, second: Term): Term {
  const isSum = op === "+" || op === "-";
  const left = isSum ? asSummand(first, second) : first;
  const right = isSum ? asSummand(second, first) : second;
  if (left.type === "null" || right.type === "null") return term("null", [left, right], () => null);
  const kinds = `${kindOf(left)} ${op} ${kindOf(right)}`;
  switch (kinds) {
    case "moment - moment":
      return ofBoth("duration", left, right, (one, other) => Number(one) - Number(other));
    case "moment + duration":
      return shifted(left, right, 1);
    case "moment - duration":
      return shifted(left, right, -1);
    case "duration + moment":
      return shifted(right, left, 1);
    case "a value + a value":
    case "a value - a value":
    case "a value * a value":
    case "a value / a value":
    case "a value % a value":
      return calculation(op, left, right);
  }
  if (!OF_DURATIONS.test(kinds))
    throw new SqlError(
      "syntax",
      `${kinds} has no result; to_timestamp(...) is a moment, and interval '1 hour' a duration`,
    );
  const isQuotient = op === "/" && right.type === "duration";
  return ofBoth(isQuotient ? "number" : "duration", left, right, (one, other) => {
    if ((op === "/" || op === "%") && Number(other) === 0) return calculated(op, 1, 0, "fraction");
    return ofFractions(op, Number(one), Number(other));
  });
}

/** Reads a text beside a duration as a moment if it has the form of one, and otherwise as another duration. */
function asSummand(of: Term, other: Term): Term {
  if (other.type !== "duration" || !isText(of)) return beside(of, other.type === "moment" ? "moment" : "text");
  return beside(of, momentOf(textOf(constantOf(of)!)) === undefined ? "duration" : "moment");
}

/** The months of an interval that the statement contains follow the calendar. */
function shifted(moment: Term, by: Term, sign: 1 | -1): Term {
  const { interval: known } = by;
  if (known === undefined) refuseMonths(by);
  return ofBoth("moment", moment, by, (atMs, ms) => {
    const interval: Interval = known ?? { months: 0, ms: Number(ms) };
    return moved(Number(atMs), interval, sign);
  });
}

function calculation(op: Arithmetic, left: Term, right: Term): Term {
  const kinds = [left, right].map(numberKind);
  const kind: NumberKind = kinds.includes("fraction") ? "fraction" : kinds.includes("unknown") ? "unknown" : "integer";
  return ofBoth(kind === "integer" ? "integer" : "number", left, right, (one, other) =>
    calculated(op, one, other, kind),
  );
}

/** @throws SqlError for a term that is no number, and whose values can be none */
function numberKind(of: Term): NumberKind {
  if (of.type === "number") return "fraction";
  if (isInteger(of.type as "integer")) return "integer";
  if (of.type === "text" || of.type === "bytes") return "unknown";
  throw new SqlError("syntax", `a ${of.type} is no number, and arithmetic needs numbers`);
}
