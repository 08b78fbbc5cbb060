/** Turns a parsed statement into one that the SQL engine can run: each mention of a table becomes a narrowed source. */
import type { ExprNode, SelectStatement, Statement, UserDefinedFunction, WithStatement } from "squirreling";
import { SqlError, type SqlTable } from "../../engine/ports/sql.ts";
import { boundsIn } from "./bounds.ts";
import { nameColumns } from "./column-names.ts";
import { replaceIn, statementsIn } from "./expressions.ts";
import { isRefused, LIKE } from "./functions.ts";
import { withConstant, withMoments } from "./moment-expressions.ts";
import { Negation } from "./negation.ts";
import { outermost, outputTypes, type Brought, type Scope, type Source, typeOf } from "./scope.ts";
import { ONE_ROW_TABLE } from "./sources.ts";
import { isTruth, withKnownFalse } from "./truths.ts";
import { asSet } from "./value-sets.ts";
import { momentOf, textOf } from "./values.ts";

/** The state of a statement's preparation. */
export interface Preparation {
  readonly tables: ReadonlyMap<string, SqlTable>;
  /** The sources that the statement reads, by key. */
  readonly sources: Map<string, Source>;
  readonly readings: Readings;
  readonly functions: Readonly<Record<string, UserDefinedFunction>>;
  /** Long lists as sets, for lookups in place of comparisons with each value. */
  readonly sets: Set<string>[];
  /** Runs an independent inner statement. @returns undefined if it depends on the outer one */
  evaluate(statement: Statement): Promise<readonly ExprNode[] | undefined>;
}

/** A statement that a WITH names. */
interface Named {
  readonly types: Brought["types"];
  /** The unprepared statement, with the names that it may mention. */
  readonly definitions: WithStatement["ctes"];
}

type Names = ReadonlyMap<string, Named>;

/** If each of many definitions mentions the one before twice, the readings grow exponentially; this limit stops them. */
const READINGS_MAX = 1000;

/** Counts how often tables will be read: each mention of a name reads it again. */
export class Readings {
  #count = 0;
  readonly #within = new Map<unknown, number>();

  /** @param types the types object of a named statement, which identifies it; undefined for a table */
  mention(types?: Brought["types"]): void {
    this.#count += (types && this.#within.get(types)) ?? 1;
    if (this.#count > READINGS_MAX)
      throw new SqlError("refused", `this statement would read tables more than ${READINGS_MAX} times`);
  }

  async define(prepared: () => Promise<Brought["types"]>): Promise<Brought["types"]> {
    const before = this.#count;
    const types = await prepared();
    this.#within.set(types, this.#count - before);
    return types;
  }
}

/** A list that an inner statement returned narrows a source only up to this number of values. */
const NARROWING_MAX = 1000;

/** Changes the statement in place. @returns the known types of its output */
export async function prepare(
  statement: Statement,
  given: Preparation,
  outer: Names = new Map(),
): Promise<Brought["types"]> {
  if (statement.type === "select") return await prepareSelect(statement, given, outer);
  if (statement.type === "compound") {
    await prepare(statement.right, given, outer);
    return await prepare(statement.left, given, outer);
  }
  const known = new Map(outer);
  for (const cte of statement.ctes) {
    // `prepare` changes the statement in place, but a list that mentions this name needs the original statement.
    const definition = structuredClone(cte);
    const types = await given.readings.define(() => prepare(cte.query, given, known));
    const name = cte.name.toLowerCase();
    const before = [...known].filter(([other]) => other !== name && mentions(definition.query, other));
    const definitions = [...new Set([...before.flatMap(([, { definitions: own }]) => own), definition])];
    known.set(name, { types, definitions });
  }
  return await prepare(statement.query, given, known);
}

async function prepareSelect(select: SelectStatement, given: Preparation, named: Names): Promise<Brought["types"]> {
  const scope = await scopeOf(select, given, named);
  refuseLooseJoins(select);
  await evaluateLists(select, given, named);
  for (const inner of statementsIn(select)) await prepare(inner, given, named);
  nameColumns(select);
  const negation = new Negation();
  replaceIn(select, (expr) => withConstant(understood(expr, scope, negation), given.functions));
  if (select.where !== undefined) {
    for (const [source, columns] of boundsIn(select.where, scope))
      for (const [column, bound] of columns) source.narrowing.set(column, bound);
  }
  replaceIn(select, (expr) => asSet(expr, given.sets));
  const types = outputTypes(select, scope);
  takeOrder(select, scope);
  return types;
}

async function scopeOf(select: SelectStatement, given: Preparation, named: Names): Promise<Scope> {
  const { from } = select;
  if (from.type === "function") throw new SqlError("syntax", `the table function ${from.funcName} is not here`);
  const scope: Brought[] = [];
  if (from.type === "subquery") {
    // Clients expect that a subquery without a name takes the name of its table.
    from.alias ??= nameWithin(from.query);
    scope.push({ alias: from.alias, types: await prepare(from.query, given, named) });
  } else {
    scope.push(bring(from, given, named));
  }
  for (const join of select.joins) {
    if (join.fromFunction) throw new SqlError("syntax", `the table function ${join.table} is not here`);
    scope.push(bring(join, given, named));
  }
  return scope;
}

function nameWithin(query: Statement): string {
  const from = query.type === "select" && query.joins.length === 0 ? query.from : undefined;
  return (from?.type === "table" ? (from.alias ?? from.table) : undefined) ?? "subquery";
}

/** Gives each mention of a table its own key, with the statement's name for it as the alias. */
function bring(
  mention: { table: string; alias?: string; readonly joinType?: SelectStatement["joins"][number]["joinType"] },
  { tables, sources, readings }: Preparation,
  named: Names,
): Brought {
  const name = mention.table.toLowerCase();
  const alias = mention.alias ?? mention.table;
  const known = named.get(name)?.types;
  readings.mention(known);
  if (known !== undefined) return { alias, types: known };
  const table = tables.get(name);
  if (table === undefined) {
    throw unknownTable(mention.table, { tables });
  }
  const isOptional = mention.joinType === "LEFT";
  const source: Source = { key: `${name}#${sources.size}`, table, narrowing: new Map(), isOptional };
  sources.set(source.key, source);
  mention.alias = alias;
  mention.table = source.key;
  return { alias, source, types: new Map(table.shape.columns.map(({ name: column, type }) => [column, type])) };
}

export function unknownTable(name: string, { tables }: Pick<Preparation, "tables">): SqlError {
  const all = [...tables.keys()].filter((known) => known !== ONE_ROW_TABLE.shape.name);
  return new SqlError("unknown", `table '${name}' not found; there are ${all.join(", ")}`);
}

/** Refuses joins without an equality: a cross product grows without bound, and no client needs one. */
function refuseLooseJoins({ joins }: SelectStatement): void {
  for (const { joinType, on } of joins) {
    if (joinType !== "CROSS" && joinType !== "POSITIONAL" && on !== undefined && isEquality(on)) continue;
    throw new SqlError("refused", "a JOIN needs ON with an equality between columns of both sides");
  }
}

function isEquality(on: ExprNode): boolean {
  if (on.type !== "binary") return false;
  if (on.op === "AND") return isEquality(on.left) || isEquality(on.right);
  return (on.op === "=" || on.op === "==") && on.left.type === "identifier" && on.right.type === "identifier";
}

/** Runs the inner statement of an IN once, in place of once for each row, so that its list narrows like any other. */
async function evaluateLists(select: SelectStatement, given: Preparation, named: Names): Promise<void> {
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

/** True also if the name means something other than a table: an unused definition costs little. */
function mentions(statement: Statement, name: string): boolean {
  return JSON.stringify(statement, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value))
    .toLowerCase()
    .includes(JSON.stringify(name));
}

function understood(expr: ExprNode, scope: Scope, negation: Negation): ExprNode {
  if (expr.type === "identifier") return { ...expr, name: inCase(expr.name, scope) };
  if (expr.type === "function" && isRefused(expr.funcName))
    throw new SqlError("syntax", `the function ${expr.funcName} is not here`);
  if (expr.type === "function" && isTruth(expr.funcName)) return withKnownFalse(expr, (one) => negation.of(one));
  if (expr.type === "unary" && expr.op === "NOT") return negation.of(expr.argument);
  if (expr.type === "binary" && expr.op === "LIKE") return asLike(expr);
  if (expr.type === "binary" && expr.op === "OR")
    return { ...expr, left: negation.asOperand(expr.left), right: negation.asOperand(expr.right) };
  if (expr.type === "binary") {
    const [left, right] = [asMoment(expr.left, expr.right, scope), asMoment(expr.right, expr.left, scope)];
    return withMoments({ ...expr, left, right }, scope);
  }
  if (expr.type === "in valuelist") {
    return negation.withoutNulls({
      ...expr,
      values: expr.values.map((value) => asMoment(value, expr.expr, scope)),
    });
  }
  return expr;
}

function asLike(expr: Extract<ExprNode, { type: "binary" }>): ExprNode {
  const { left, right } = expr;
  const isFixed = right.type === "literal" && !/[%_]/.test(textOf(right.value));
  if (isFixed) return { ...expr, op: "=" };
  return { ...positionOf(expr), type: "function", funcName: LIKE, args: [left, right] };
}

/** The column's name in lower case, unless the scope has a column with the name as written. */
function inCase(name: string, scope: Scope): string {
  const small = name.toLowerCase();
  const isKnown = (one: string): boolean => scope.some(({ types }) => types.has(one));
  return !isKnown(name) && isKnown(small) ? small : name;
}

/** Converts a text to an ISO text of fixed length; these compare as moments do. @throws SqlError for any other text */
function asMoment(expr: ExprNode, beside: ExprNode, scope: Scope): ExprNode {
  if (expr.type !== "literal" || typeof expr.value !== "string" || beside.type === "literal") return expr;
  if ("isMoment" in expr || typeOf(beside, scope) !== "moment") return expr;
  const atMs = momentOf(expr.value);
  if (atMs === undefined) throw new SqlError("syntax", `'${expr.value}' is no moment; write 2026-01-31T08:15:00Z`);
  return { ...expr, value: new Date(atMs).toISOString() };
}

/** Leaves out a sort that an index provides, so that a LIMIT ends the scan early. */
function takeOrder(select: SelectStatement, scope: Scope): void {
  const { orderBy, columns } = select;
  const source = scope[0]?.source;
  const [first, second, ...more] = orderBy;
  if (scope.length !== 1 || source?.table.ordered !== true || first === undefined || more.length > 0) return;
  if (select.groupBy.length > 0 || select.having !== undefined || select.distinct) return;
  if (!isColumn(first.expr, "created_at") || (second !== undefined && !isColumn(second.expr, "id"))) return;
  if (second?.direction === "DESC") return;
  const isShadowed = columns.some(
    (column) =>
      column.type === "derived" &&
      (column.expr.type === "function" || (column.alias === "created_at" && !isColumn(column.expr, "created_at"))),
  );
  if (isShadowed) return;
  source.order = first.direction === "DESC" ? "newest-first" : "oldest-first";
  select.orderBy = [];
}

function isColumn(expr: ExprNode, name: string): boolean {
  return expr.type === "identifier" && expr.name === name;
}

function positionOf({ positionStart, positionEnd }: Pick<ExprNode, "positionStart" | "positionEnd">): {
  positionStart: number;
  positionEnd: number;
} {
  return { positionStart, positionEnd };
}

/** True if the statement has one output column, as an IN needs. */
function hasOneColumn(statement: Statement): boolean {
  const { columns } = outermost(statement);
  return columns.length === 1 && columns[0]?.type === "derived";
}
