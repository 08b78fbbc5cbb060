/** Resolves the column names of one SELECT, and determines the types of its output as far as its syntax shows them. */
import type { ExprNode, SelectStatement, Statement } from "squirreling";
import type { Bound } from "../../core/query/narrowing.ts";
import { type ColumnType, isInteger } from "../../core/query/table-shape.ts";
import { TO_BOOLEAN, TO_INTEGER } from "./casts.ts";
import { isTruth } from "./truths.ts";
import type { ScanRequest, SqlTable } from "../../engine/ports/sql.ts";

/** One mention of a table. If a SELECT names the same table twice, it has two sources, each with its own narrowing. */
export interface Source {
  readonly key: string;
  readonly table: SqlTable;
  readonly narrowing: Map<string, Bound>;
  order?: NonNullable<ScanRequest["order"]>;
  /** True on the right of a LEFT JOIN: the SQL engine must learn the columns of the source even if the source has no rows. */
  readonly isOptional: boolean;
}

/** The result of a FROM or a JOIN. A subquery is no source, but its columns have types as well. */
export interface Brought {
  readonly alias: string;
  readonly source?: Source;
  /** The names of its columns, in order. The type is undefined if only the values determine it. */
  readonly types: ReadonlyMap<string, ColumnType | undefined>;
}

export type Scope = readonly Brought[];

type Named = Extract<ExprNode, { type: "identifier" }>;

export interface ResolvedColumn {
  readonly brought: Brought;
  readonly type: ColumnType | undefined;
}

/** @returns undefined for an unknown or ambiguous name */
export function resolveColumn({ name, prefix }: Named, scope: Scope): ResolvedColumn | undefined {
  const fitting = scope.filter(({ alias, types }) => (prefix === undefined || alias === prefix) && types.has(name));
  const [only] = fitting;
  return only === undefined || fitting.length > 1 ? undefined : { brought: only, type: only.types.get(name) };
}

const GIVES_MOMENT = /^(NOW|MOVED|DATE_BIN|DATE_TRUNC|TRUNCATED|TO_TIMESTAMP(_\w+)?)$/;
const INTEGERS = new Set(["COUNT", "ROW_NUMBER", "TEXT_LENGTH", "TEXT_POSITION", TO_INTEGER]);
const GIVES_DURATION = new Set(["INTERVAL_OF", "MS_BETWEEN", "AGE"]);
const KEEPS_TYPE = new Set(["MIN", "MAX", "FIRST_OF", "FIRST_BY", "ARRAY_AGG", "NULLIF", "KEPT_APART", "PLAIN"]);
/**
 * Each of these functions gives a duration for durations. For integers, only SUM and ABS give a known type; for other types, no
 * function does.
 */
const KEEPS_NUMBER = new Set(["SUM", "AVG", "MEDIAN", "ABS"]);
const CHOOSES = new Set(["FIRST_KNOWN", "GREATEST", "LEAST"]);

/** A scalar subquery with the type of its one column. */
export interface Typed {
  readonly valueType?: ColumnType | undefined;
}

export function isTimed(type: ColumnType | undefined): type is "moment" | "duration" {
  return type === "moment" || type === "duration";
}

/** @returns the type that the syntax of an expression determines; undefined if the type depends on the values */
export function typeOf(expr: ExprNode, scope: Scope): ColumnType | undefined {
  switch (expr.type) {
    case "identifier":
      return resolveColumn(expr, scope)?.type;
    case "function": {
      const name = expr.funcName.toUpperCase();
      if (INTEGERS.has(name)) return "integer";
      if (isTruth(name) || name === TO_BOOLEAN) return "boolean";
      if (GIVES_MOMENT.test(name)) return "moment";
      if (GIVES_DURATION.has(name)) return "duration";
      if (CHOOSES.has(name)) return commonType(expr.args, scope);
      const [first] = expr.args;
      const type = first !== undefined ? typeOf(first, scope) : undefined;
      if (KEEPS_NUMBER.has(name))
        return type === "duration" || (isInteger(type) && (name === "SUM" || name === "ABS")) ? type : undefined;
      if (name === CALCULATED) return isIntegerCall(expr) ? "integer" : undefined;
      return KEEPS_TYPE.has(name) ? type : undefined;
    }
    case "literal":
      return "isMoment" in expr ? "moment" : undefined;
    case "binary":
      return ofArithmetic(expr, scope);
    case "unary":
      if (expr.op !== "-") return "boolean";
      return typeOf(expr.argument, scope) === "duration" ? "duration" : undefined;
    case "case":
      return commonType(resultsOf(expr), scope);
    case "subquery":
      return (expr as Typed).valueType;
    default:
      return undefined;
  }
}

/** Functions have replaced the arithmetic of moments, so an arithmetic operator gives a duration or a result of unknown type. */
function ofArithmetic(
  { op, left, right }: Extract<ExprNode, { type: "binary" }>,
  scope: Scope,
): ColumnType | undefined {
  if (!["+", "-", "*", "/"].includes(op)) return op === "%" ? undefined : "boolean";
  const [first, second] = [typeOf(left, scope), typeOf(right, scope)];
  if (op === "/") return first === "duration" && second !== "duration" ? "duration" : undefined;
  return first === "duration" || second === "duration" ? "duration" : undefined;
}

/** The function that replaces arithmetic; its last argument is the kind of the result. */
export const CALCULATED = "CALCULATED";

function isIntegerCall({ args }: Extract<ExprNode, { type: "function" }>): boolean {
  const kind = args.at(-1);
  return kind?.type === "literal" && kind.value === "integer";
}

/** The results that a CASE chooses from. */
export function resultsOf({ whenClauses, elseResult }: Extract<ExprNode, { type: "case" }>): readonly ExprNode[] {
  const results = whenClauses.map(({ result }) => result);
  return elseResult === undefined ? results : [...results, elseResult];
}

/**
 * The type of a value that is chosen from the expressions. If one of them is a moment or a duration, all must have its type, or
 * the result is undefined; a number beside a duration counts as a duration. Otherwise the first expression determines the type.
 * Each literal NULL is left out.
 */
function commonType(exprs: readonly ExprNode[], scope: Scope): ColumnType | undefined {
  const known = exprs.filter((expr) => expr.type !== "literal" || expr.value !== null);
  const types = known.map((expr) => typeOf(expr, scope));
  const timed = types.find(isTimed);
  if (timed === undefined) return types[0];
  const isOne = known.every(
    (expr, at) =>
      types[at] === timed || (timed === "duration" && expr.type === "literal" && typeof expr.value === "number"),
  );
  return isOne ? timed : undefined;
}

/** The names of a SELECT's output, with the known types. */
export function outputTypes({ columns }: SelectStatement, scope: Scope): Map<string, ColumnType | undefined> {
  const types = new Map<string, ColumnType | undefined>();
  for (const column of columns) {
    if (column.type === "star") {
      for (const { alias, types: own } of scope) {
        if (column.table !== undefined && column.table !== alias) continue;
        for (const [name, type] of own) types.set(name, type);
      }
      continue;
    }
    const name = column.alias ?? (column.expr.type === "identifier" ? column.expr.name : undefined);
    if (name !== undefined) types.set(name, typeOf(column.expr, scope));
  }
  return types;
}

/** The SELECT that determines the columns of the statement. */
export function outermost(statement: Statement): SelectStatement {
  if (statement.type === "select") return statement;
  return outermost(statement.type === "with" ? statement.query : statement.left);
}
