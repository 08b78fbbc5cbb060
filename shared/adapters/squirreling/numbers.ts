/** Arithmetic of numbers: exact for integers of 64 bits; the quotient of two integers is an integer, as in DataFusion. */
import type { ExprNode, SqlPrimitive, UserDefinedFunction } from "squirreling";
import { isInteger } from "../../core/query/table-shape.ts";
import { SqlError } from "../../engine/ports/sql.ts";
import { CALCULATED, resultsOf, typeOf, type Scope } from "./scope.ts";
import { textOf } from "./values.ts";

type Binary = Extract<ExprNode, { type: "binary" }>;
type NumberKind = "integer" | "fraction" | "unknown";

const ROUNDED = "ROUNDED";

export const NUMBER_FUNCTIONS: Readonly<Record<string, UserDefinedFunction>> = {
  [CALCULATED]: {
    apply: (op = null, left = null, right = null, kind = null) =>
      left === null || right === null ? null : calculated(textOf(op), left, right, textOf(kind) as NumberKind),
    arguments: { min: 4, max: 4 },
  },
  [ROUNDED]: {
    apply: (value = null, digits = 0) => (value === null || digits === null ? null : rounded(value, digits)),
    arguments: { min: 1, max: 2 },
  },
};

/** Turns arithmetic into a call that checks its operands. @param written gives the text of an expression in its statement */
export function calculation(expr: Binary, scope: Scope, written: (expr: ExprNode) => string): ExprNode {
  const { op, left, right, positionStart, positionEnd } = expr;
  const place = { positionStart, positionEnd };
  const kind = kindOf({ ...expr }, scope, written);
  const text = (value: string): ExprNode => ({ ...place, type: "literal", value });
  return { ...place, type: "function", funcName: CALCULATED, args: [text(op), left, right, text(kind)] };
}

const FRACTIONS =
  /^(TO_DOUBLE|AVG|MEDIAN|STDDEV_\w+|PERCENTILE_CONT|ROUND(ED)?|FLOOR|CEIL(ING)?|SQRT|LN|LOG10|EXP|PI)$/;
const FRACTION_PARTS = /^(EXTRACT|DATE_PART|DURATION_PART)$/;
const SAME = /^(SUM|MIN|MAX|ABS|FIRST_KNOWN|NULLIF|GREATEST|LEAST|FIRST_OF|FIRST_BY|ARRAY_AGG)$/;

function kindOf(expr: ExprNode, scope: Scope, written: (expr: ExprNode) => string): NumberKind {
  const of = (one: ExprNode): NumberKind => kindOf(one, scope, written);
  switch (expr.type) {
    case "literal":
      if (typeof expr.value === "bigint") return "integer";
      if (typeof expr.value !== "number") return "unknown";
      return Number.isInteger(expr.value) && !/[.e]/i.test(written(expr)) ? "integer" : "fraction";
    case "binary":
      return common(expr.left, expr.right, of);
    case "unary":
      return expr.op === "-" ? of(expr.argument) : "unknown";
    case "case":
      return resultsOf(expr).map(of).reduce(commonKind);
    case "function": {
      const name = expr.funcName.toUpperCase();
      if (name === CALCULATED) return textOf((expr.args[3] as { value?: SqlPrimitive }).value) as NumberKind;
      if (FRACTIONS.test(name)) return "fraction";
      const [first] = expr.args;
      if (FRACTION_PARTS.test(name))
        return first?.type === "literal" && /epoch/i.test(textOf(first.value)) ? "fraction" : "integer";
      const isSame = SAME.test(name) && first !== undefined;
      if (isSame) return (name === "FIRST_BY" ? [first] : expr.args).map(of).reduce(commonKind);
      return isInteger(typeOf(expr, scope)) ? "integer" : "unknown";
    }
    default:
      return isInteger(typeOf(expr, scope)) ? "integer" : "unknown";
  }
}

function common(left: ExprNode, right: ExprNode, of: (expr: ExprNode) => NumberKind): NumberKind {
  return commonKind(of(left), of(right));
}

function commonKind(left: NumberKind, right: NumberKind): NumberKind {
  if (left === "fraction" || right === "fraction") return "fraction";
  return left === right ? left : "unknown";
}

/** @throws SqlError for an operand that is no number, for a division by zero, and for an integer of more than 64 bits */
function calculated(op: string, left: SqlPrimitive, right: SqlPrimitive, kind: NumberKind): SqlPrimitive {
  const [first, second] = [numberOf(left), numberOf(right)];
  const isDivision = op === "/" || op === "%";
  if (isDivision && Number(second) === 0)
    throw new SqlError("syntax", `a number is divided by zero; write nullif(..., 0) for a divisor that can be zero`);
  const areIntegers = isWhole(first) && isWhole(second);
  if (!areIntegers || kind === "fraction") return ofFractions(op, Number(first), Number(second));
  if (op === "/" && kind === "unknown" && BigInt(first) % BigInt(second) !== 0n)
    throw new SqlError(
      "syntax",
      "the types of a division are unknown; write a::bigint / b for an integer, or a::double / b",
    );
  const exact = ofIntegers(op, BigInt(first), BigInt(second));
  if (exact >= 2n ** 63n || exact < -(2n ** 63n))
    throw new SqlError("syntax", `${textOf(left)} ${op} ${textOf(right)} is no integer of 64 bits; write a::double`);
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
}

function isWhole(value: number | bigint): boolean {
  return typeof value === "bigint" || Number.isSafeInteger(value);
}

function numberOf(value: SqlPrimitive): number | bigint {
  if (typeof value === "number" || typeof value === "bigint") return value;
  const text = typeof value === "string" ? value.trim() : "";
  const number = text === "" ? NaN : Number(text);
  if (Number.isNaN(number))
    throw new SqlError("syntax", `'${textOf(value).slice(0, SHOWN_MAX)}' is no number, and arithmetic needs numbers`);
  return /^[+-]?\d{16,40}$/.test(text) ? BigInt(text.replace("+", "")) : number;
}

const SHOWN_MAX = 100;

function ofFractions(op: string, left: number, right: number): number {
  if (op === "+") return left + right;
  if (op === "-") return left - right;
  if (op === "*") return left * right;
  return op === "/" ? left / right : left % right;
}

function ofIntegers(op: string, left: bigint, right: bigint): bigint {
  if (op === "+") return left + right;
  if (op === "-") return left - right;
  if (op === "*") return left * right;
  return op === "/" ? left / right : left % right;
}

/** Rounds a half away from zero. */
function rounded(value: SqlPrimitive, digits: SqlPrimitive): SqlPrimitive {
  const [number, unit] = [Number(numberOf(value)), 10 ** Number(digits)];
  const at = Math.abs(number) * unit;
  // A product such as 2.345 * 100 may lie just below its exact value.
  const whole = Math.round(Number(at.toPrecision(15)));
  return Number.isFinite(whole) ? (Math.sign(number) * whole) / unit : number;
}
