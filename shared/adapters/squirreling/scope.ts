/** Resolves the column names of one SELECT, and determines the types of its output as far as its syntax shows them. */
import type { ExprNode, SelectStatement, Statement } from "squirreling";
import type { Bound } from "../../core/query/narrowing.ts";
import type { ColumnType } from "../../core/query/table-shape.ts";
import { isTruth } from "./truths.ts";
import type { ScanRequest, SqlTable } from "../../engine/ports/sql.ts";

/** One mention of a table. If a SELECT names the same table twice, it has two sources, each with its own narrowing. */
export interface Source {
  readonly key: string;
  readonly table: SqlTable;
  readonly narrowing: Map<string, Bound>;
  order?: NonNullable<ScanRequest["order"]>;
  /** True on the right of a LEFT JOIN: the SQL engine must get its columns even without rows. */
  readonly isOptional: boolean;
}

/** The result of a FROM or a JOIN. A subquery is no source, but its columns have types as well. */
export interface Brought {
  readonly alias: string;
  readonly source?: Source;
  readonly types: ReadonlyMap<string, ColumnType>;
}

export type Scope = readonly Brought[];

type Named = Extract<ExprNode, { type: "identifier" }>;

export interface ResolvedColumn {
  readonly brought: Brought;
  readonly type: ColumnType;
}

/** @returns undefined for an unknown or ambiguous name */
export function resolveColumn({ name, prefix }: Named, scope: Scope): ResolvedColumn | undefined {
  const fitting = scope.filter(({ alias, types }) => (prefix === undefined || alias === prefix) && types.has(name));
  const [only] = fitting;
  return only === undefined || fitting.length > 1 ? undefined : { brought: only, type: only.types.get(name)! };
}

const GIVES_MOMENT = /^(NOW|MOVED|DATE_BIN|DATE_TRUNC|TO_TIMESTAMP(_\w+)?)$/;
const GIVES_DURATION = new Set(["INTERVAL_OF", "MS_BETWEEN", "AGE"]);
const KEEPS_TYPE = new Set(["MIN", "MAX", "FIRST_OF", "FIRST_BY", "ARRAY_AGG", "COALESCE"]);

/** @returns the type that the syntax of an expression determines; undefined if the type depends on the values */
export function typeOf(expr: ExprNode, scope: Scope): ColumnType | undefined {
  switch (expr.type) {
    case "identifier":
      return resolveColumn(expr, scope)?.type;
    case "function": {
      const name = expr.funcName.toUpperCase();
      if (name === "COUNT") return "integer";
      if (isTruth(name)) return "boolean";
      if (GIVES_MOMENT.test(name)) return "moment";
      if (GIVES_DURATION.has(name)) return "duration";
      const [first] = expr.args;
      return KEEPS_TYPE.has(name) && first !== undefined ? typeOf(first, scope) : undefined;
    }
    case "literal":
      return "isMoment" in expr ? "moment" : undefined;
    case "binary":
      return isSum(expr.op) && typeOf(expr.left, scope) === "duration" ? "duration" : undefined;
    case "unary":
      return expr.op === "-" ? undefined : "boolean";
    default:
      return undefined;
  }
}

function isSum(op: string): boolean {
  return op === "+" || op === "-";
}

/** The names of a SELECT's output, with the known types. */
export function outputTypes({ columns }: SelectStatement, scope: Scope): Map<string, ColumnType> {
  const types = new Map<string, ColumnType>();
  for (const column of columns) {
    if (column.type === "star") {
      for (const { alias, types: own } of scope) {
        if (column.table !== undefined && column.table !== alias) continue;
        for (const [name, type] of own) types.set(name, type);
      }
      continue;
    }
    const name = column.alias ?? (column.expr.type === "identifier" ? column.expr.name : undefined);
    const type = typeOf(column.expr, scope);
    if (name !== undefined && type !== undefined) types.set(name, type);
  }
  return types;
}

/** The SELECT that determines the columns of the statement. */
export function outermost(statement: Statement): SelectStatement {
  if (statement.type === "select") return statement;
  return outermost(statement.type === "with" ? statement.query : statement.left);
}
