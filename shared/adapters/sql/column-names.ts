/** Names computed columns without an alias: literals, counts and moments as the reference server names them. */
import type { Expr, Literal } from "./syntax.ts";

export function nameOf(expr: Expr): string {
  return referenceName(expr) ?? ownName(expr);
}

const NAMED = /^(COUNT|NOW|CURRENT_TIMESTAMP|CURRENT_DATE|AGE|DATE_BIN|TO_TIMESTAMP(_\w+)?)$/;

function referenceName(expr: Expr): string | undefined {
  if (expr.type === "literal") return literalName(expr.value);
  if (expr.type !== "call" || !NAMED.test(expr.name) || expr.isDistinct) return undefined;
  if (expr.isStar) return `${expr.name.toLowerCase()}(*)`;
  const args = expr.args.map((arg) => (arg.type === "column" ? arg.name : referenceName(arg)));
  if (expr.name === "COUNT" && expr.args.some(({ type }) => type === "column")) return undefined;
  return args.includes(undefined) ? undefined : `${expr.name.toLowerCase()}(${args.join(",")})`;
}

function literalName(value: Literal): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return `Utf8("${value}")`;
  if (typeof value === "boolean") return `Boolean(${value})`;
  if (typeof value === "object") return JSON.stringify(value);
  return Number.isInteger(Number(value)) ? `Int64(${value})` : `Float64(${value})`;
}

function ownName(expr: Expr): string {
  switch (expr.type) {
    case "column":
      return expr.name;
    case "literal":
      return String(expr.value);
    case "cast":
      return `${ownName(expr.of)}_as_${expr.to}`;
    case "negative":
      return `-_${ownName(expr.of)}`;
    case "not":
      return `NOT_${ownName(expr.of)}`;
    case "is":
      return `IS ${expr.isNot ? "NOT " : ""}${expr.test}_${ownName(expr.of)}`;
    case "arithmetic":
    case "comparison":
      return `${ownName(expr.left)}_${expr.op}_${ownName(expr.right)}`;
    case "and":
    case "or":
      return expr.parts.map(ownName).join(`_${expr.type.toUpperCase()}_`);
    case "like":
      return `${ownName(expr.left)}_LIKE_${ownName(expr.pattern)}`;
    case "call":
      if (expr.over !== undefined) return expr.name.toLowerCase();
      return `${expr.name.toLowerCase()}_${expr.isStar ? "all" : expr.args.map(ownName).join("_")}`;
    default:
      return "expr";
  }
}
