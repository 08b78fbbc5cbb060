/** Turns each expression into one that the SQL engine evaluates as PostgreSQL and DataFusion do: types, operators, functions. */
import type { ExprNode } from "squirreling";
import { isInteger } from "../../core/query/table-shape.ts";
import { SqlError } from "../../engine/ports/sql.ts";
import { withCast } from "./casts.ts";
import { isRefused } from "./functions.ts";
import { LIKE } from "./like.ts";
import { intervalCall, isArithmetic, withMoments } from "./moment-expressions.ts";
import { asAlikeCase, asTimed } from "./moment-literals.ts";
import { withMomentArguments } from "./moment-parts.ts";
import { withoutNulls } from "./negation.ts";
import type { Preparation } from "./preparation.ts";
import { calculation } from "./numbers.ts";
import { outermost, type Scope, type Typed, typeOf } from "./scope.ts";
import { withNullsLargest } from "./sort-keys.ts";
import { functionInstead } from "./texts.ts";
import { textOf } from "./values.ts";

type Binary = Extract<ExprNode, { type: "binary" }>;
type Call = Extract<ExprNode, { type: "function" }>;

export function understood(expr: ExprNode, scope: Scope, given: Preparation): ExprNode {
  switch (expr.type) {
    case "identifier":
      return { ...expr, name: inCase(expr.name, scope) };
    case "function":
      if (isRefused(expr.funcName)) throw new SqlError("syntax", `the function ${expr.funcName} is not supported`);
      refuseLooseSums(expr, scope);
      return withMomentArguments(ownFunction(expr), scope);
    case "unary":
      if (expr.op === "-" && typeOf(expr.argument, scope) === "moment")
        throw new SqlError("syntax", "a moment cannot be negated");
      return expr;
    case "binary":
      return understoodBinary(expr, scope, given);
    case "in valuelist":
      return withoutNulls({ ...expr, values: expr.values.map((value) => asTimed(value, expr.expr, scope)) });
    case "case":
      return searched(asAlikeCase(expr, scope));
    case "cast":
      return withCast(expr);
    case "window":
      return { ...expr, orderBy: expr.orderBy.map(withNullsLargest) };
    case "interval":
      return intervalCall(expr);
    case "subquery":
      return Object.assign<ExprNode, Typed>(
        { ...expr },
        { valueType: given.scalarTypes.get(outermost(expr.subquery)) },
      );
    default:
      return expr;
  }
}

function understoodBinary(expr: Binary, scope: Scope, { written }: Preparation): ExprNode {
  const { op, left, right } = expr;
  if (op === "LIKE") return asLike(expr);
  if (isArithmetic(op)) {
    const timed = withMoments(expr, scope);
    return timed === expr ? calculation(expr, scope, written) : timed;
  }
  return { ...expr, left: asTimed(left, right, scope), right: asTimed(right, left, scope) };
}

function asLike(expr: Binary): ExprNode {
  const { left, right } = expr;
  const isFixed = right.type === "literal" && !/[%_\\]/.test(textOf(right.value));
  if (isFixed) return { ...expr, op: "=" };
  return { ...positionOf(expr), type: "function", funcName: LIKE, args: [left, right] };
}

/** Replaces functions of the SQL engine that count UTF-16 code units, round halves toward zero, or take too long. */
function ownFunction(expr: Call): Call {
  const funcName = functionInstead(expr.funcName.toUpperCase());
  return funcName === undefined ? expr : { ...expr, funcName };
}

const SUMS = /^(SUM|AVG|MEDIAN|STDDEV_\w+)$/i;

/**
 * @throws SqlError for SUM, AVG and the like with DISTINCT or over non-numbers: the SQL engine ignores the DISTINCT, and leaves
 *   out or converts the non-numbers
 */
function refuseLooseSums({ funcName, args: [summed], distinct }: Call, scope: Scope): void {
  if (!SUMS.test(funcName) || summed === undefined) return;
  if (distinct === true)
    throw new SqlError("syntax", `${funcName}(DISTINCT ...) is not supported; select from (SELECT DISTINCT ...)`);
  const type = typeOf(summed, scope);
  if (type !== undefined && !isInteger(type) && type !== "duration")
    throw new SqlError("syntax", `${funcName} needs numbers, and this is a ${type}; write ${funcName}(...::double)`);
}

/** Compares by `=`, because the SQL engine finds a NULL equal to a NULL in `CASE a WHEN b`. */
function searched({ caseExpr, ...expr }: Extract<ExprNode, { type: "case" }>): ExprNode {
  if (caseExpr === undefined) return expr;
  const whenClauses = expr.whenClauses.map((when) => ({
    ...when,
    condition: {
      ...positionOf(expr),
      type: "binary" as const,
      op: "=" as const,
      left: caseExpr,
      right: when.condition,
    },
  }));
  return { ...expr, whenClauses };
}

/** The column's name in lower case, unless the scope has a column with the name as written. */
function inCase(name: string, scope: Scope): string {
  const small = name.toLowerCase();
  const isKnown = (one: string): boolean => scope.some(({ types }) => types.has(one));
  return !isKnown(name) && isKnown(small) ? small : name;
}

function positionOf({ positionStart, positionEnd }: Pick<ExprNode, "positionStart" | "positionEnd">): {
  positionStart: number;
  positionEnd: number;
} {
  return { positionStart, positionEnd };
}
