/**
 * Reads a literal text as a moment, a duration or a boolean if an expression beside it, such as the other side of a comparison,
 * has that type, as PostgreSQL does.
 */
import type { ExprNode } from "squirreling";
import { SqlError } from "../../engine/ports/sql.ts";
import { booleanOf } from "./casts.ts";
import { intervalMs } from "./moments.ts";
import { isTimed, resultsOf, typeOf, type Scope } from "./scope.ts";
import { momentOf } from "./values.ts";

type Case = Extract<ExprNode, { type: "case" }>;

/**
 * A moment becomes an ISO text of one length, so that texts compare as moments do, and a duration becomes milliseconds.
 * @throws SqlError for a text that has no value of the type
 */
export function asTimed(expr: ExprNode, beside: ExprNode, scope: Scope): ExprNode {
  if (expr.type !== "literal" || typeof expr.value !== "string" || "isMoment" in expr) return expr;
  const type = typeOf(beside, scope);
  if (type === "moment") return momentLiteral(expr, expr.value);
  if (type === "boolean") return { ...expr, value: booleanOf(expr.value) };
  const isNumber = expr.value.trim() !== "" && Number.isFinite(Number(expr.value));
  return type === "duration" && !isNumber ? { ...expr, value: intervalMs(expr.value) } : expr;
}

/** @throws SqlError for a text that is no moment */
export function momentLiteral(at: ExprNode, text: string): ExprNode {
  const atMs = momentOf(text);
  if (atMs === undefined) throw new SqlError("syntax", `'${text}' is no moment; write 2026-01-31T08:15:00Z`);
  const { positionStart, positionEnd } = at;
  const literal: ExprNode = { type: "literal", value: new Date(atMs).toISOString(), positionStart, positionEnd };
  return Object.assign(literal, { isMoment: true });
}

/**
 * Gives one type to expressions that need one, such as the results of a CASE: if one of them is a moment or a duration, reads
 * each literal text among them as a value of that type.
 */
export function asAlike(exprs: readonly ExprNode[], scope: Scope): ExprNode[] {
  const timed = exprs.find((expr) => isTimed(typeOf(expr, scope)));
  return timed === undefined ? [...exprs] : exprs.map((expr) => asTimed(expr, timed, scope));
}

/**
 * Gives the results of a CASE one type. If the CASE compares a value with its conditions, gives the value and the conditions
 * one type, too.
 */
export function asAlikeCase(expr: Case, scope: Scope): Case {
  const { caseExpr, whenClauses } = expr;
  const results = asAlike(resultsOf(expr), scope);
  const conditions = whenClauses.map(({ condition }) => condition);
  const [asked, ...values] =
    caseExpr === undefined ? [undefined, ...conditions] : asAlike([caseExpr, ...conditions], scope);
  return {
    ...expr,
    ...(asked && { caseExpr: asked }),
    whenClauses: whenClauses.map((when, at) => ({ ...when, condition: values[at]!, result: results[at]! })),
    ...(expr.elseResult && { elseResult: results.at(-1)! }),
  };
}
