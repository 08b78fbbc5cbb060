/** Names columns without an alias as clients of the reference's dialect expect. */
import type { ExprNode, SelectStatement, SqlPrimitive } from "squirreling";
import { textOf } from "./values.ts";

/** Names counts, literals and functions of time; the SQL engine names the others. */
export function nameColumns(select: SelectStatement): void {
  for (const column of select.columns) {
    if (column.type === "star" || column.alias !== undefined) continue;
    const name = nameOf(column.expr);
    if (name !== undefined) column.alias = name;
  }
}

const NAMED = /^(COUNT|NOW|AGE|DATE_BIN|TO_TIMESTAMP(_\w+)?)$/i;

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
