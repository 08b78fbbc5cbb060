/**
 * Gives each expression the value that three-valued logic gives it. The SQL engine evaluates a comparison with NULL to false,
 * which is right for a condition, but not for a value such as `x = 1` in a column, in `coalesce(x = 1, true)` or in a key of a
 * group. In such a place, a CASE replaces the comparison: the CASE is true if the comparison is true, false if the negation of
 * the comparison is true, and NULL otherwise.
 */
import type { ExprNode } from "squirreling";
import { withParts } from "./expressions.ts";
import { LIKE } from "./like.ts";
import type { Negation } from "./negation.ts";
import { isTruth } from "./truths.ts";

const ARITHMETIC = new Set(["+", "-", "*", "/", "%"]);

/** Rewrites the expressions of one statement as values or as conditions. An expression that occurs twice is rewritten once. */
export class ThreeValues {
  readonly #negation: Negation;
  readonly #values = new WeakMap<ExprNode, ExprNode>();
  readonly #conditions = new WeakMap<ExprNode, ExprNode>();

  constructor(negation: Negation) {
    this.#negation = negation;
  }

  /** An expression with the value that three-valued logic gives `expr`: true, false or NULL for a comparison. */
  readonly value = (expr: ExprNode): ExprNode => {
    const known = this.#values.get(expr);
    if (known !== undefined) return known;
    const value = isPredicate(expr) && !isTwoValued(expr) ? this.#choice(expr) : this.#within(expr);
    this.#values.set(expr, value);
    return value;
  };

  /** An expression that is true if `expr` is true, and false or NULL otherwise. */
  readonly condition = (expr: ExprNode): ExprNode => {
    const known = this.#conditions.get(expr);
    if (known !== undefined) return known;
    const condition = this.#within(expr);
    this.#conditions.set(expr, condition);
    return condition;
  };

  #choice(expr: ExprNode): ExprNode {
    const { positionStart, positionEnd } = expr;
    const place = { positionStart, positionEnd };
    const when = (condition: ExprNode, value: boolean) => ({
      ...place,
      condition: this.condition(condition),
      result: { ...place, type: "literal" as const, value },
    });
    return { ...place, type: "case", whenClauses: [when(expr, true), when(this.#negation.of(expr), false)] };
  }

  /** Rewrites each part of the expression as a condition or as a value; the expression determines which of the two it needs. */
  #within(expr: ExprNode): ExprNode {
    switch (expr.type) {
      case "binary":
        if (expr.op === "AND") return withParts(expr, this.condition);
        return expr.op === "OR" ? withParts(expr, (part) => this.#operand(part)) : withParts(expr, this.value);
      case "unary":
        if (expr.op === "NOT" && !this.#negation.isPlain(expr)) return this.condition(this.#negation.of(expr.argument));
        return withParts(expr, expr.op === "NOT" && isPredicate(expr.argument) ? this.condition : this.value);
      case "function": {
        const needsTrue = expr.funcName === "IS_TRUE" || expr.funcName === "IS_NOT_TRUE";
        const args = expr.args.map(needsTrue ? this.condition : this.value);
        return { ...expr, args, ...(expr.filter && { filter: this.condition(expr.filter) }) };
      }
      case "case": {
        const whenClauses = expr.whenClauses.map((when) => ({
          ...when,
          condition: this.condition(when.condition),
          result: this.value(when.result),
        }));
        return { ...expr, whenClauses, ...(expr.elseResult && { elseResult: this.value(expr.elseResult) }) };
      }
      default:
        return withParts(expr, this.value);
    }
  }

  /** Makes an operand of OR. If one operand were NULL and the other true, the SQL engine might not return true. */
  #operand(expr: ExprNode): ExprNode {
    if (isPredicate(expr) || isTwoValued(expr)) return this.condition(expr);
    const { positionStart, positionEnd } = expr;
    return { type: "function", funcName: "IS_TRUE", args: [this.condition(expr)], positionStart, positionEnd };
  }
}

/** True for an expression that the SQL engine evaluates only to true or false, even where three-valued logic gives NULL. */
function isPredicate(expr: ExprNode): boolean {
  if (expr.type === "binary") return !ARITHMETIC.has(expr.op);
  if (expr.type === "unary") return expr.op === "NOT";
  return expr.type === "in" || expr.type === "in valuelist" || (expr.type === "function" && expr.funcName === LIKE);
}

/** True for an expression whose value is true or false for each row. */
function isTwoValued(expr: ExprNode): boolean {
  if (expr.type === "function") return isTruth(expr.funcName);
  if (expr.type === "unary") return expr.op === "NOT" ? isTwoValued(expr.argument) : expr.op !== "-";
  if (expr.type === "binary")
    return (expr.op === "AND" || expr.op === "OR") && isTwoValued(expr.left) && isTwoValued(expr.right);
  return expr.type === "exists" || expr.type === "not exists";
}
