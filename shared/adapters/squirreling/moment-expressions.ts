/** Arithmetic of moments and durations. Defines functions for it, and rewrites expressions as these functions or literals. */
import type { ExprNode, SqlPrimitive, UserDefinedFunction } from "squirreling";
import type { Scope } from "./scope.ts";
import { typeOf } from "./scope.ts";
import { dateBin, intervalMs, moved, msBetween, timestampOf } from "./moments.ts";

type Call = Extract<ExprNode, { type: "function" }>;
type Binary = Extract<ExprNode, { type: "binary" }>;

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

/** Replaces `+` and `-` between moments and durations by a function. Returns any other expression unchanged. */
export function withMoments(expr: Binary, scope: Scope): ExprNode {
  if (expr.op !== "+" && expr.op !== "-") return expr;
  const [left, right] = [typeOf(expr.left, scope), typeOf(expr.right, scope)];
  if (left === "moment" && right === "moment" && expr.op === "-")
    return call(expr, "MS_BETWEEN", [expr.right, expr.left]);
  if (left === "moment" && right === "duration") return shifted(expr, expr.left, expr.right, expr.op === "-" ? -1 : 1);
  if (left === "duration" && right === "moment" && expr.op === "+") return shifted(expr, expr.right, expr.left, 1);
  return expr;
}

/** Passes an interval as its text instead of as milliseconds, because its months follow the calendar. */
function shifted(at: ExprNode, moment: ExprNode, by: ExprNode, sign: number): ExprNode {
  const text = by.type === "function" && by.funcName.toUpperCase() === INTERVAL ? by.args[0] : undefined;
  return call(at, "MOVED", [moment, text ?? by, { ...positionOf(at), type: "literal", value: sign }]);
}

function call(at: ExprNode, funcName: string, args: ExprNode[]): Call {
  return { ...positionOf(at), type: "function", funcName, args };
}

const CONSTANT = /^(NOW|TO_TIMESTAMP(_\w+)?|MOVED|DATE_BIN)$/i;

/** Replaces a function of literals that returns a moment by that moment, because `boundsIn` needs literals. */
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
