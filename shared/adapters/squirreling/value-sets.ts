/** Converts long lists of an IN to sets, for lookups in place of comparisons with each value. */
import type { ExprNode } from "squirreling";
import { IN_SET } from "./functions.ts";
import { textOf } from "./values.ts";

/** Shorter lists are compared value by value. */
const SET_MIN = 16;

/** Compares as texts; for the values of one column the result is the same. */
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
