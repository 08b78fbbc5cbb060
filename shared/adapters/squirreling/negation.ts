/**
 * Implements three-valued logic: a comparison with NULL is neither true nor false, and neither is its negation. The SQL
 * engine evaluates such a comparison as false. Each NOT therefore moves inward, and becomes the opposite comparison or a
 * NOT with checks for NULL.
 */
import type { ExprNode } from "squirreling";
import { LIKE } from "./like.ts";
import { contraryTruth, isTruth } from "./truths.ts";

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

/**
 * Removes NULLs from the list, because no value equals NULL. Marks a shortened list as uncertain: for a value outside of the
 * list, the result is unknown, not false.
 */
export function withoutNulls(expr: Listed): Listed {
  const values = expr.values.filter((value) => value.type !== "literal" || value.value !== null);
  return values.length === expr.values.length ? expr : Object.assign({ ...expr, values }, { isUncertain: true });
}

/** Negates the expressions of one statement. */
export class Negation {
  readonly #known = new WeakMap<ExprNode, ExprNode>();
  /**
   * The NOTs that the SQL engine evaluates itself. Either the argument of such a NOT always has a value, or an AND joins the
   * NOT with a check for NULL, and the check decides the result for NULL.
   */
  readonly #plain = new WeakSet<ExprNode>();

  /** An expression that is true if `expr` is false, and not true if `expr` is true or unknown. */
  readonly of = (expr: ExprNode): ExprNode => {
    const known = this.#known.get(expr);
    if (known !== undefined) return known;
    const contrary = this.#contrary(expr);
    this.#known.set(expr, contrary);
    return contrary;
  };

  /** True for a NOT that `of` has made: the SQL engine evaluates it as it is. */
  isPlain(expr: ExprNode): boolean {
    return this.#plain.has(expr);
  }

  #contrary(expr: ExprNode): ExprNode {
    const place = positionOf(expr);
    if ("isUncertain" in expr) return { ...place, type: "literal", value: false };
    switch (expr.type) {
      case "binary": {
        const { op, left, right } = expr;
        if (op === "AND" || op === "OR")
          return { ...expr, op: op === "AND" ? "OR" : "AND", left: this.of(left), right: this.of(right) };
        const contrary = CONTRARY[op];
        return contrary === undefined ? this.#knownAnd(expr, [left, right]) : { ...expr, op: contrary };
      }
      case "unary":
        if (expr.op === "IS NULL") return { ...expr, op: "IS NOT NULL" };
        if (expr.op === "IS NOT NULL") return { ...expr, op: "IS NULL" };
        if (expr.op === "NOT") return expr.argument;
        return this.#knownAnd(expr, [expr]);
      case "in":
      case "in valuelist":
        return this.#knownAnd(expr, [expr.expr]);
      case "function":
        if (isTruth(expr.funcName)) return { ...expr, funcName: contraryTruth(expr.funcName) };
        return this.#knownAnd(expr, expr.funcName === LIKE ? expr.args : [expr]);
      case "exists":
        return { ...expr, type: "not exists" };
      case "not exists":
        return { ...expr, type: "exists" };
      case "identifier":
      case "case":
      case "cast":
      case "subquery":
        return this.#knownAnd(expr, [expr]);
      case "literal":
        return expr.value === null ? and(isKnown(expr), this.#not(expr)) : this.#not(expr);
      default:
        return this.#not(expr);
    }
  }

  /** An expression that is true if `NOT expr` is true and each of `asked` has a value. */
  #knownAnd(expr: ExprNode, asked: readonly ExprNode[]): ExprNode {
    return asked
      .filter((one) => one.type !== "literal" || one.value === null)
      .reduceRight<ExprNode>((rest, one) => and(isKnown(one), rest), this.#not(expr));
  }

  #not(argument: ExprNode): ExprNode {
    const negated: ExprNode = { ...positionOf(argument), type: "unary", op: "NOT", argument };
    this.#plain.add(negated);
    return negated;
  }
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
