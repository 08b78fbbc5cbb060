/**
 * Keeps different rows apart in GROUP BY, DISTINCT and UNION. The SQL engine joins the values of a row with `|` to a key, and
 * writes NULL as the text NULL. So a row with the values `a|b` and `c` has the same key as a row with the values `a` and `b|c`.
 */
import type { ExprNode, SelectStatement, SqlPrimitive, Statement, UserDefinedFunction } from "squirreling";
import type { ColumnType } from "../../core/query/table-shape.ts";
import { typeOf, type Scope } from "./scope.ts";

const GROUP_KEY = "GROUP_KEY";
export const KEPT_APART = "KEPT_APART";
export const PLAIN = "PLAIN";

const one = { min: 1, max: 1 };

export const ROW_KEY_FUNCTIONS: Readonly<Record<string, UserDefinedFunction>> = {
  [GROUP_KEY]: { apply: (...values) => JSON.stringify(values, keyPart), arguments: { min: 1, max: 1000 } },
  // The SQL engine writes an object into a key as JSON, and thus in quotes.
  [KEPT_APART]: {
    apply: (value = null) => (typeof value === "string" ? (Object(value) as SqlPrimitive) : value),
    arguments: one,
  },
  [PLAIN]: { apply: (value = null) => plainOf(value), arguments: one },
};

function keyPart(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? { n: String(value) } : value;
}

function plainOf(value: SqlPrimitive): SqlPrimitive {
  return value instanceof String ? value.valueOf() : value;
}

/** Types whose values contain no `|`, and are never the text NULL. */
const SAFE: ReadonlySet<ColumnType | undefined> = new Set([
  "integer",
  "uint32",
  "uint64",
  "boolean",
  "moment",
  "duration",
  "bytes",
]);

/** True if different rows of a SELECT DISTINCT may have the same key. */
export function needsApart(types: ReadonlyMap<string, ColumnType | undefined>): boolean {
  return [...types.values()].some((type) => !SAFE.has(type));
}

/** Groups by one key in place of the values. Two rows have the same key if, and only if, they have the same values. */
export function withGroupKey(select: SelectStatement, scope: Scope): void {
  const [first] = select.groupBy;
  if (first === undefined || select.groupBy.every((expr) => SAFE.has(typeOf(expr, scope)))) return;
  select.groupBy = [call(GROUP_KEY, first, select.groupBy)];
}

/** Replaces each `*` by the columns of the scope, so that each of them can be kept apart. */
export function withoutStars(select: SelectStatement, scope: Scope): void {
  const { positionStart, positionEnd } = select;
  select.columns = select.columns.flatMap((column) => {
    if (column.type !== "star") return [column];
    const brought = scope.filter(({ alias }) => column.table === undefined || column.table === alias);
    return brought.flatMap(({ alias, types }) =>
      [...types.keys()].map((name) => {
        const prefix = scope.length > 1 ? { prefix: alias } : {};
        const place = { positionStart, positionEnd };
        return { ...place, type: "derived" as const, expr: { ...place, type: "identifier" as const, name, ...prefix } };
      }),
    );
  });
}

/**
 * Wraps each column of each SELECT in KEPT_APART. It is meant for statements whose whole rows the SQL engine compares
 * (DISTINCT, UNION), and is called after `prepare` has treated the parts of the statement.
 */
export function keepApart(statement: Statement): void {
  if (statement.type === "with") keepApart(statement.query);
  if (statement.type === "compound") {
    keepApart(statement.left);
    keepApart(statement.right);
  }
  if (statement.type !== "select") return;
  statement.columns = statement.columns.map((column) => {
    if (column.type === "star") return column;
    const alias = column.alias ?? (column.expr.type === "identifier" ? column.expr.name : undefined);
    return { ...column, ...(alias !== undefined && { alias }), expr: call(KEPT_APART, column.expr, [column.expr]) };
  });
}

/** Puts a SELECT of plain texts around a statement, in place. @param names the names of its columns, in order */
export function withPlainTexts(statement: Statement, names: readonly string[]): void {
  const { positionStart, positionEnd } = statement;
  const place = { positionStart, positionEnd };
  const query = { ...statement };
  for (const name of Object.keys(statement)) Reflect.deleteProperty(statement, name);
  const columns = names.map((name) => {
    const named: ExprNode = { ...place, type: "identifier", name };
    return { ...place, type: "derived" as const, expr: call(PLAIN, named, [named]), alias: name };
  });
  const select: SelectStatement = {
    ...place,
    type: "select",
    distinct: false,
    columns,
    from: { ...place, type: "subquery", query, alias: "kept_apart" },
    joins: [],
    groupBy: [],
    orderBy: [],
  };
  Object.assign(statement, select);
}

function call(funcName: string, { positionStart, positionEnd }: ExprNode, args: ExprNode[]): ExprNode {
  return { type: "function", funcName, args, positionStart, positionEnd };
}
