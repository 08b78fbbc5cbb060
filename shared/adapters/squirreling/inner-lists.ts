/** Runs the inner statements of IN before the statement that contains them, so that each becomes a list of values. */
import type { ExprNode, SelectStatement, Statement } from "squirreling";
import { replaceIn, statementsIn } from "./expressions.ts";
import type { Names, Preparation } from "./preparation.ts";
import { outermost } from "./scope.ts";

/** A list that an inner statement returned narrows a source only up to this number of values. */
const NARROWING_MAX = 1000;

/** Runs the inner statement of an IN once, in place of once for each row, so that its list narrows like any other. */
export async function evaluateLists(select: SelectStatement, given: Preparation, named: Names): Promise<void> {
  const lists = new Map<Statement, readonly ExprNode[]>();
  for (const inner of statementsIn(select, "in")) {
    if (!hasOneColumn(inner)) continue;
    const values = await given.evaluate(withNames(inner, named));
    if (values !== undefined) lists.set(inner, values);
  }
  replaceIn(select, (expr) => {
    const values = expr.type === "in" ? lists.get(expr.subquery) : undefined;
    if (values === undefined || expr.type !== "in") return expr;
    const list: ExprNode = { ...positionOf(expr), type: "in valuelist", expr: expr.expr, values: [...values] };
    return values.length > NARROWING_MAX ? { ...list, isWide: true } : list;
  });
}

/** Adds the definitions of the mentioned names to a statement that runs alone. */
function withNames(inner: Statement, named: Names): Statement {
  const used = [...named].filter(([name]) => mentions(inner, name));
  const ctes = [...new Set(used.flatMap(([, { definitions }]) => definitions))];
  return ctes.length === 0 ? inner : { ...positionOf(inner), type: "with", ctes, query: inner };
}

/**
 * True if the text of the statement contains the name, even where the name means something other than a table. An unused
 * definition costs little.
 */
export function mentions(statement: Statement, name: string): boolean {
  return JSON.stringify(statement, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value))
    .toLowerCase()
    .includes(JSON.stringify(name));
}

/** True if the statement has one output column, as an IN needs. */
function hasOneColumn(statement: Statement): boolean {
  const { columns } = outermost(statement);
  return columns.length === 1 && columns[0]?.type === "derived";
}

function positionOf({ positionStart, positionEnd }: Pick<ExprNode, "positionStart" | "positionEnd">): {
  positionStart: number;
  positionEnd: number;
} {
  return { positionStart, positionEnd };
}
