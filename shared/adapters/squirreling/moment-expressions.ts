/** Arithmetic of moments and durations. Defines functions for it, and rewrites expressions as these functions or literals. */
import type { ExprNode, SqlPrimitive, UserDefinedFunction } from "squirreling";
import { SqlError } from "../../engine/ports/sql.ts";
import { asTimed, momentLiteral } from "./moment-literals.ts";
import { dateBin, hasMonths, intervalMs, moved, msBetween, timestampOf } from "./moments.ts";
import { isTimed, resultsOf, typeOf, type Scope } from "./scope.ts";
import { momentOf, textOf } from "./values.ts";

type Call = Extract<ExprNode, { type: "function" }>;
type Binary = Extract<ExprNode, { type: "binary" }>;
type Interval = Extract<ExprNode, { type: "interval" }>;

const INTERVAL = "INTERVAL_OF";
const DAY_MS = 86_400_000;

export function momentFunctionsAt(nowMs: number): Record<string, UserDefinedFunction> {
  const now = new Date(nowMs).toISOString();
  const midnight = new Date(nowMs - (nowMs % DAY_MS)).toISOString();
  const timestamp = (unitMs: number): UserDefinedFunction => ({
    apply: (value = null) => timestampOf(value, unitMs),
    arguments: { min: 1, max: 1 },
  });
  return {
    NOW: { apply: () => now, arguments: { min: 0, max: 0 } },
    // The squirreling engine would read its own clock for the next two functions, so `withConstant` replaces them with literals
    // before that engine runs.
    CURRENT_TIMESTAMP: { apply: () => now, arguments: { min: 0, max: 0 } },
    CURRENT_DATE: { apply: () => midnight, arguments: { min: 0, max: 0 } },
    TO_TIMESTAMP: timestamp(1000),
    TO_TIMESTAMP_SECONDS: timestamp(1000),
    TO_TIMESTAMP_MILLIS: timestamp(1),
    TO_TIMESTAMP_MICROS: timestamp(1 / 1000),
    TO_TIMESTAMP_NANOS: timestamp(1 / 1_000_000),
    DATE_BIN: {
      apply: (span = null, moment = null, origin = "1970-01-01T00:00:00Z") => dateBin(span, moment, origin),
      arguments: { min: 2, max: 3 },
    },
    // With one argument, AGE compares the moment with the last midnight, as PostgreSQL does.
    AGE: {
      apply: (first = null, second) => (second === undefined ? msBetween(first, midnight) : msBetween(second, first)),
      arguments: { min: 1, max: 2 },
    },
    [INTERVAL]: { apply: (text = null) => intervalMs(text), arguments: { min: 1, max: 1 } },
    MOVED: {
      apply: (moment = null, by = null, sign = 1) => moved(moment, by, sign),
      arguments: { min: 3, max: 3 },
    },
    MS_BETWEEN: { apply: (from = null, to = null) => msBetween(from, to), arguments: { min: 2, max: 2 } },
  };
}

const ARITHMETIC = new Set(["+", "-", "*", "/", "%"]);

export function isArithmetic(op: string): boolean {
  return ARITHMETIC.has(op);
}

/**
 * Replaces `+` and `-` between moments and durations by a function. Arithmetic of durations keeps its operator, because durations
 * are milliseconds. Returns any other expression unchanged.
 * @throws SqlError if one side is a moment or a duration, and the operator has no result for the types of the two sides. A side
 *   of unknown type counts as an ordinary value.
 */
export function withMoments(expr: Binary, scope: Scope): ExprNode {
  const isSum = expr.op === "+" || expr.op === "-";
  const left = isSum ? asSummand(expr.left, expr.right, scope) : expr.left;
  const right = isSum ? asSummand(expr.right, expr.left, scope) : expr.right;
  const [first, second] = [typeOf(left, scope), typeOf(right, scope)];
  if ((!isTimed(first) && !isTimed(second)) || isNull(left) || isNull(right)) return expr;
  const kinds = `${isTimed(first) ? first : OTHER} ${expr.op} ${isTimed(second) ? second : OTHER}`;
  switch (kinds) {
    case "moment - moment":
      return call(expr, "MS_BETWEEN", [right, left]);
    case "moment + duration":
      return shifted(expr, left, right, 1);
    case "moment - duration":
      return shifted(expr, left, right, -1);
    case "duration + moment":
      return shifted(expr, right, left, 1);
  }
  if (!OF_DURATIONS.test(kinds))
    throw new SqlError(
      "syntax",
      `${kinds} has no result; to_timestamp(...) is a moment, and interval '1 hour' a duration`,
    );
  return { ...expr, left, right };
}

const OTHER = "a value";
const OF_DURATIONS = /^(duration [-+/%] duration|duration [*/%] a value|a value \* duration)$/;

function isNull(expr: ExprNode): boolean {
  return expr.type === "literal" && expr.value === null;
}

/** Reads a text beside a duration as a moment if it has the form of one, and otherwise as another duration. */
function asSummand(expr: ExprNode, beside: ExprNode, scope: Scope): ExprNode {
  if (expr.type !== "literal" || typeof expr.value !== "string" || typeOf(beside, scope) !== "duration")
    return asTimed(expr, beside, scope);
  if ("isMoment" in expr) return expr;
  return momentOf(expr.value) === undefined ? call(expr, INTERVAL, [expr]) : momentLiteral(expr, expr.value);
}

/** Passes an interval as its text instead of as milliseconds, because its months follow the calendar. */
function shifted(at: ExprNode, moment: ExprNode, by: ExprNode, sign: number): ExprNode {
  const text = by.type === "function" && by.funcName.toUpperCase() === INTERVAL ? by.args[0] : undefined;
  if (text === undefined) refuseMonths(by);
  return call(at, "MOVED", [moment, text ?? by, { ...positionOf(at), type: "literal", value: sign }]);
}

/** @returns the text of an interval that the statement contains */
export function intervalText(expr: ExprNode): (Extract<ExprNode, { type: "literal" }> & { value: string }) | undefined {
  const [text] = expr.type === "function" && expr.funcName.toUpperCase() === INTERVAL ? expr.args : [];
  return text?.type === "literal" && typeof text.value === "string" ? { ...text, value: text.value } : undefined;
}

/** @throws SqlError for months in a place that needs milliseconds */
export function refuseMonths(expr: ExprNode): void {
  if (expr.type === "case") resultsOf(expr).forEach(refuseMonths);
  if (expr.type === "unary" && expr.op === "-") refuseMonths(expr.argument);
  if (expr.type === "binary" && ARITHMETIC.has(expr.op)) [expr.left, expr.right].forEach(refuseMonths);
  if (expr.type !== "function") return;
  expr.args.forEach(refuseMonths);
  const [text] = expr.funcName.toUpperCase() === INTERVAL ? expr.args : [];
  if (text?.type === "literal" && hasMonths(textOf(text.value)))
    throw new SqlError("syntax", `'${textOf(text.value)}' has months, which have no fixed length; write days or hours`);
}

/** Turns squirreling's own form of an interval, such as `interval -1 day`, into the function that all intervals use. */
export function intervalCall(expr: Interval): ExprNode {
  return call(expr, INTERVAL, [{ ...positionOf(expr), type: "literal", value: `${expr.value} ${expr.unit}` }]);
}

export function call(at: ExprNode, funcName: string, args: ExprNode[]): Call {
  return { ...positionOf(at), type: "function", funcName, args };
}

const CONSTANT = /^(NOW|CURRENT_TIMESTAMP|CURRENT_DATE|TO_TIMESTAMP(_\w+)?|MOVED|DATE_BIN)$/i;

/**
 * Replaces a function whose arguments are literals and whose result is a moment with the literal of that moment, because
 * `boundsIn` (`bounds.ts`) derives bounds only from literals.
 */
export function withConstant(expr: ExprNode, functions: Readonly<Record<string, UserDefinedFunction>>): ExprNode {
  if (expr.type !== "function" || !CONSTANT.test(expr.funcName)) return expr;
  const args: SqlPrimitive[] = [];
  for (const arg of expr.args) {
    if (arg.type !== "literal") return expr;
    args.push(arg.value);
  }
  const known = functions[expr.funcName.toUpperCase()];
  const { min = 0, max = Infinity } = known?.arguments ?? {};
  if (known === undefined || args.length < min || args.length > (max ?? Infinity)) return expr;
  const value = known.apply(...args) as SqlPrimitive;
  const literal: ExprNode = { ...positionOf(expr), type: "literal", value };
  return Object.assign(literal, { isMoment: true });
}

function positionOf({ positionStart, positionEnd }: ExprNode): { positionStart: number; positionEnd: number } {
  return { positionStart, positionEnd };
}
