/**
 * Implements three-valued logic: a comparison with NULL is neither true nor false, and neither is its negation. The SQL
 * engine evaluates such a comparison as false. Each NOT therefore moves inward, and becomes the opposite comparison or a
 * NOT with checks for NULL.
 */
import type { ExprNode } from "squirreling";
import { LIKE } from "./functions.ts";

type Binary = Extract<ExprNode, { type: "binary" }>;
type Listed = Extract<ExprNode, { type: "in valuelist" }>;

const CONTRARY: Readonly<Partial<Record<Binary["op"], Binary["op"]>>> = {
  "=": "!=",
  "==": "!=",
  "!=": "=",
  "<>": "=",
  "<": ">=",
  ">=": "<",
  ">": "<=",
  "<=": ">",
};

/** Negates the expressions of one statement; the walk over the statement calls it for inner expressions first. */
export class Negation {
  /** The original of each negated expression, so that a double negation restores it. */
  readonly #known = new WeakMap<ExprNode, ExprNode>();
  /** Lists that contained a NULL: a value outside of such a list may still equal the NULL. */
  readonly #uncertain = new WeakSet<ExprNode>();

  /** An expression that is true if `expr` is false, and not true if `expr` is true or unknown. */
  of(expr: ExprNode): ExprNode {
    const known = this.#known.get(expr);
    if (known !== undefined) return known;
    const contrary = this.#contrary(expr);
    this.#known.set(contrary, expr);
    return contrary;
  }

  /** Removes NULLs from the list, because no value equals NULL. */
  withoutNulls(expr: Listed): Listed {
    const values = expr.values.filter((value) => value.type !== "literal" || value.value !== null);
    if (values.length === expr.values.length) return expr;
    const certain: Listed = { ...expr, values };
    this.#uncertain.add(certain);
    return certain;
  }

  /** Makes an operand of OR: the SQL engine would return an operand that is NULL as the result. */
  asOperand(expr: ExprNode): ExprNode {
    if (expr.type !== "identifier") return expr;
    const operand = and(isKnown(expr), expr);
    this.#known.set(operand, this.of(expr));
    return operand;
  }

  #contrary(expr: ExprNode): ExprNode {
    const place = positionOf(expr);
    if (this.#uncertain.has(expr)) return { ...place, type: "literal", value: false };
    switch (expr.type) {
      case "binary": {
        const { op, left, right } = expr;
        if (op === "AND" || op === "OR")
          return { ...expr, op: op === "AND" ? "OR" : "AND", left: this.of(left), right: this.of(right) };
        const contrary = CONTRARY[op];
        return contrary === undefined ? knownAnd(expr, [left, right]) : { ...expr, op: contrary };
      }
      case "unary":
        if (expr.op === "IS NULL") return { ...expr, op: "IS NOT NULL" };
        if (expr.op === "IS NOT NULL") return { ...expr, op: "IS NULL" };
        return knownAnd(expr, [expr]);
      case "in":
      case "in valuelist":
        return knownAnd(expr, [expr.expr]);
      case "function":
        return knownAnd(expr, expr.funcName === LIKE ? expr.args : [expr]);
      case "exists":
        return { ...expr, type: "not exists" };
      case "not exists":
        return { ...expr, type: "exists" };
      case "identifier":
      case "cast":
        return knownAnd(expr, [expr]);
      default:
        return { ...place, type: "unary", op: "NOT", argument: expr };
    }
  }
}

/** An expression that is true if `NOT expr` is true and each of `asked` has a value. */
function knownAnd(expr: ExprNode, asked: readonly ExprNode[]): ExprNode {
  const not: ExprNode = { ...positionOf(expr), type: "unary", op: "NOT", argument: expr };
  return asked
    .filter(({ type }) => type !== "literal")
    .reduceRight<ExprNode>((rest, one) => and(isKnown(one), rest), not);
}

function isKnown(expr: ExprNode): ExprNode {
  return { ...positionOf(expr), type: "unary", op: "IS NOT NULL", argument: expr };
}

function and(left: ExprNode, right: ExprNode): ExprNode {
  return { ...positionOf(left), type: "binary", op: "AND", left, right };
}

function positionOf({ positionStart, positionEnd }: ExprNode): { positionStart: number; positionEnd: number } {
  return { positionStart, positionEnd };
}
