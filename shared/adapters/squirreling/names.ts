/** Decides whether a name in a SELECT means a column or an alias; the SQL engine alone would always take the alias. */
import type { ExprNode, SelectStatement } from "squirreling";
import { SqlError } from "../../engine/ports/sql.ts";
import { replaced, withParts, type Replace } from "./expressions.ts";
import type { Scope } from "./scope.ts";

const AGGREGATE =
  /^(COUNT|SUM|AVG|MIN|MAX|ARRAY_AGG|JSON_ARRAYAGG|STDDEV_SAMP|STDDEV_POP|MEDIAN|PERCENTILE_CONT|APPROX_QUANTILE|STRING_AGG)$/i;

/** The SQL engine keeps one value for each name of a row. @throws SqlError if two different columns have one name */
export function refuseEqualNames(select: SelectStatement, scope: Scope): void {
  const known = new Map<string, string>();
  const add = (name: string, meaning: string): void => {
    if ((known.get(name) ?? meaning) !== meaning)
      throw new SqlError("syntax", `two columns have the name '${name}'; name the columns, and one of these with AS`);
    known.set(name, meaning);
  };
  for (const column of select.columns) {
    if (column.type === "star") {
      for (const { alias, types } of scope) {
        if (column.table !== undefined && column.table !== alias) continue;
        for (const name of types.keys()) if (!isJoinedBy(select, name)) add(name, `${alias}.${name}`);
      }
      continue;
    }
    const { expr, alias } = column;
    const name = alias ?? (expr.type === "identifier" ? expr.name : undefined);
    if (name === undefined) continue;
    const meaning =
      expr.type === "identifier"
        ? `${expr.prefix ?? ownerOf(expr.name, scope)}.${expr.name}`
        : `at ${expr.positionStart}`;
    add(name, meaning);
  }
}

/** True if an inner join makes both columns of the name equal. */
function isJoinedBy({ joins }: SelectStatement, name: string): boolean {
  return joins.some(({ joinType, on }) => {
    if (joinType !== "INNER" || on?.type !== "binary" || on.op !== "=") return false;
    return [on.left, on.right].every((side) => side.type === "identifier" && side.name === name);
  });
}

/**
 * A name that is both a column and an alias means the column. Only in ORDER BY, outside of aggregates, it means the alias. If a
 * key of GROUP BY is only an alias, the function replaces it by the aliased expression.
 */
export function resolveNames(select: SelectStatement, scope: Scope): void {
  const aliases = aliasesOf(select);
  const asColumn: Replace = (expr) => {
    if (expr.type !== "identifier" || expr.prefix !== undefined || !aliases.has(expr.name)) return expr;
    const owner = ownerOf(expr.name, scope);
    return owner === undefined ? expr : { ...expr, prefix: owner };
  };
  const asKey: Replace = (expr) => {
    const isAlias = expr.type === "identifier" && expr.prefix === undefined && ownerOf(expr.name, scope) === undefined;
    return (isAlias ? aliases.get(expr.name) : undefined) ?? expr;
  };
  const isGrouped = select.groupBy.length > 0;
  select.groupBy = select.groupBy.map((expr) => replaced(replaced(expr, asKey), asColumn));
  const ofRow: Replace = (expr) => replaced(expr, asColumn);
  const outside: Replace = (expr) => (isGrouped ? ofGroup(expr, asColumn) : ofRow(expr));
  select.columns = select.columns.map((column) =>
    column.type === "star" ? column : { ...column, expr: outside(column.expr) },
  );
  if (select.having !== undefined) select.having = outside(select.having);
  select.orderBy = select.orderBy.map((item) => ({ ...item, expr: withinAggregates(item.expr, ofRow) }));
}

function ownerOf(name: string, scope: Scope): string | undefined {
  return scope.find(({ types }) => types.has(name))?.alias;
}

function aliasesOf({ columns }: SelectStatement): ReadonlyMap<string, ExprNode> {
  const aliases = new Map<string, ExprNode>();
  for (const column of columns) {
    if (column.type === "star" || column.alias === undefined) continue;
    const { alias, expr } = column;
    if (expr.type !== "identifier" || expr.name !== alias) aliases.set(alias, expr);
  }
  return aliases;
}

/**
 * Makes names mean columns in an expression of a grouped SELECT. Inside an aggregate, the SQL engine reads columns from the rows
 * of the group. Outside, it reads one row on which the alias hides the column, so the column becomes its MIN over the group.
 */
function ofGroup(expr: ExprNode, asColumn: Replace): ExprNode {
  if (isAggregate(expr)) return replaced(expr, asColumn);
  if (expr.type !== "identifier") return withParts(expr, (part) => ofGroup(part, asColumn));
  const column = asColumn(expr);
  if (column === expr) return expr;
  const { positionStart, positionEnd } = expr;
  return { type: "function", funcName: "MIN", args: [column], positionStart, positionEnd };
}

function withinAggregates(expr: ExprNode, change: Replace): ExprNode {
  return isAggregate(expr) ? change(expr) : withParts(expr, (part) => withinAggregates(part, change));
}

export function isAggregate(expr: ExprNode): boolean {
  return expr.type === "function" && AGGREGATE.test(expr.funcName);
}
