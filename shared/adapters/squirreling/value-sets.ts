/** Converts a long list of an IN to a set, so that one lookup replaces a comparison with each value. */
import type { ExprNode } from "squirreling";
import { IN_SET } from "./functions.ts";
import { textOf } from "./values.ts";

/** Shorter lists are compared value by value. */
const SET_MIN = 16;

/** The set compares values as texts, which gives the same result for the values of one column. */
export function asSet(expr: ExprNode, sets: Set<string>[]): ExprNode {
  if (expr.type !== "in valuelist" || expr.values.length < SET_MIN) return expr;
  const { positionStart, positionEnd } = expr;
  const place = { positionStart, positionEnd };
  const set = new Set<string>();
  for (const value of expr.values) {
    if (value.type !== "literal") return expr;
    if (value.value !== null) set.add(textOf(value.value));
  }
  const number: ExprNode = { ...place, type: "literal", value: sets.push(set) - 1 };
  return { ...place, type: "function", funcName: IN_SET, args: [expr.expr, number] };
}
