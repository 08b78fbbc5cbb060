/** Walks over every expression of a SELECT, and can replace each one. */
import type { ExprNode, SelectStatement, Statement } from "squirreling";

/** Called for inner expressions before outer ones. The walk does not enter a statement inside an expression. */
export type Replace = (expr: ExprNode) => ExprNode;

export function replaced(expr: ExprNode, replace: Replace): ExprNode {
  return replace(withParts(expr, (part) => replaced(part, replace)));
}

/** Replaces the direct parts of one expression, not the parts inside those. */
export function withParts(expr: ExprNode, part: Replace): ExprNode {
  switch (expr.type) {
    case "unary":
      return { ...expr, argument: part(expr.argument) };
    case "binary":
      return { ...expr, left: part(expr.left), right: part(expr.right) };
    case "function":
      return { ...expr, args: expr.args.map(part), ...(expr.filter && { filter: part(expr.filter) }) };
    case "window":
      return {
        ...expr,
        args: expr.args.map(part),
        partitionBy: expr.partitionBy.map(part),
        orderBy: expr.orderBy.map(byPart(part)),
      };
    case "cast":
      return { ...expr, expr: part(expr.expr) };
    case "in":
      return { ...expr, expr: part(expr.expr) };
    case "in valuelist":
      return { ...expr, expr: part(expr.expr), values: expr.values.map(part) };
    case "case":
      return {
        ...expr,
        ...(expr.caseExpr && { caseExpr: part(expr.caseExpr) }),
        whenClauses: expr.whenClauses.map((when) => ({
          ...when,
          condition: part(when.condition),
          result: part(when.result),
        })),
        ...(expr.elseResult && { elseResult: part(expr.elseResult) }),
      };
    default:
      return expr;
  }
}

type OrderByItem = SelectStatement["orderBy"][number];

function byPart(part: Replace): (item: OrderByItem) => OrderByItem {
  return (item) => ({ ...item, expr: part(item.expr) });
}

/**
 * Calls `replace` for every expression of one SELECT, and changes the SELECT in place.
 * @param each called with each outermost expression after the replacement; its result takes the place of that expression
 */
export function replaceIn(select: SelectStatement, replace: Replace, each: Replace = (expr) => expr): void {
  const whole: Replace = (expr) => each(replaced(expr, replace));
  select.columns = select.columns.map((column) =>
    column.type === "star" ? column : { ...column, expr: whole(column.expr) },
  );
  select.joins = select.joins.map((join) => (join.on === undefined ? join : { ...join, on: whole(join.on) }));
  if (select.where !== undefined) select.where = whole(select.where);
  if (select.having !== undefined) select.having = whole(select.having);
  select.groupBy = select.groupBy.map(whole);
  select.orderBy = select.orderBy.map(byPart(whole));
}

/** The statements inside the expressions of one SELECT. @param kind limits the result to one kind of expression */
export function statementsIn(select: SelectStatement, kind?: ExprNode["type"]): readonly Statement[] {
  const found: Statement[] = [];
  replaceIn(select, (expr) => {
    if ("subquery" in expr && (kind === undefined || expr.type === kind)) found.push(expr.subquery);
    return expr;
  });
  return found;
}
