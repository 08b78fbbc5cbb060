/** Long lists of an IN as sets, in which a value is looked up instead of being compared with each. */
import type { ExprNode } from "squirreling";
import { IN_SET } from "./functions.ts";
import { textOf } from "./values.ts";

/** Fewer values are compared one by one. */
const SET_MIN = 16;

/** Texts are compared here, which for values of one column says the same. */
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
