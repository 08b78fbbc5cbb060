/** Names computed columns without an alias as the reference server names them; if that is unknown, as the SQL engine does. */
import type { ExprNode, SelectStatement, SqlPrimitive } from "squirreling";
import { textOf } from "./values.ts";

/**
 * Gives an alias to each computed column without one, because the SQL engine would name the column after the rewritten
 * expression. A second column of the same name gets a number.
 */
export function nameColumns(select: SelectStatement): void {
  const taken = new Set<string>();
  const renamed = new Map<string, string>();
  for (const column of select.columns) {
    if (column.type === "star" || column.alias !== undefined || column.expr.type === "identifier") continue;
    const ofEngine = engineName(column.expr);
    const name = nameOf(column.expr) ?? ofEngine;
    let alias = name;
    for (let count = 2; taken.has(alias); count++) alias = `${name}:${count}`;
    taken.add(alias);
    column.alias = alias;
    if (!renamed.has(ofEngine)) renamed.set(ofEngine, alias);
  }
  // The parser turns `ORDER BY 2` into the expression of the second column, or into the SQL engine's name of that column.
  const byPosition = new Map(
    select.columns.map((column) => [column.type === "derived" && column.expr.positionStart, column]),
  );
  select.orderBy = select.orderBy.map((item) => {
    const { expr } = item;
    const column = byPosition.get(expr.positionStart);
    if (column?.type === "derived" && column.alias !== undefined)
      return { ...item, expr: { ...positionOf(expr), type: "identifier", name: column.alias } };
    const alias = expr.type === "identifier" && expr.prefix === undefined ? renamed.get(expr.name) : undefined;
    return alias === undefined ? item : { ...item, expr: { ...expr, name: alias } as ExprNode };
  });
}

const NAMED = /^(COUNT|NOW|CURRENT_TIMESTAMP|CURRENT_DATE|AGE|DATE_BIN|TO_TIMESTAMP(_\w+)?)$/i;

function nameOf(expr: ExprNode): string | undefined {
  if (expr.type === "literal") return literalName(expr.value);
  if (expr.type !== "function" || !NAMED.test(expr.funcName) || expr.distinct === true) return undefined;
  const args = expr.args.map((arg) => (arg.type === "star" ? "*" : arg.type === "identifier" ? arg.name : nameOf(arg)));
  if (expr.funcName.toUpperCase() === "COUNT" && expr.args.some(({ type }) => type === "identifier")) return undefined;
  return args.includes(undefined) ? undefined : `${expr.funcName.toLowerCase()}(${args.join(",")})`;
}

function literalName(value: SqlPrimitive): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return `Utf8("${value}")`;
  if (typeof value === "boolean") return `Boolean(${value})`;
  return Number.isInteger(Number(value)) ? `Int64(${textOf(value)})` : `Float64(${textOf(value)})`;
}

function positionOf({ positionStart, positionEnd }: ExprNode): { positionStart: number; positionEnd: number } {
  return { positionStart, positionEnd };
}

/** The name that the SQL engine gives to a column without an alias. */
function engineName(expr: ExprNode): string {
  switch (expr.type) {
    case "identifier":
      return expr.name;
    case "literal":
      return String(expr.value as string);
    case "cast":
      return `${engineName(expr.expr)}_as_${expr.toType}`;
    case "unary":
      return `${expr.op}_${engineName(expr.argument)}`;
    case "binary":
      return `${engineName(expr.left)}_${expr.op}_${engineName(expr.right)}`;
    case "function": {
      const [first] = expr.args;
      const args = first?.type === "star" ? "all" : expr.args.map(engineName).join("_");
      return `${expr.funcName.toLowerCase()}_${args}`;
    }
    case "window":
      return expr.funcName.toLowerCase();
    case "interval":
      return `interval_${expr.value}_${expr.unit.toLowerCase()}`;
    default:
      return "expr";
  }
}
