/**
 * Turns a parsed statement into one that the SQL engine can run. Each mention of a table becomes a `Source` of its own, narrowed
 * by the bounds that follow from WHERE.
 */
import type { ExprNode, SelectStatement, Statement, WithStatement } from "squirreling";
import { SqlError } from "../../engine/ports/sql.ts";
import { boundsIn } from "./bounds.ts";
import { nameWithNothing, ONE_ROW_SOURCE, withNothing } from "./optional-side.ts";
import { nameColumns } from "./column-names.ts";
import { replaced, replaceIn, statementsIn } from "./expressions.ts";
import { evaluateLists, mentions } from "./inner-lists.ts";
import { withConstant } from "./moment-expressions.ts";
import { refuseEqualNames, resolveNames } from "./names.ts";
import { Negation } from "./negation.ts";
import type { Named, Names, Preparation } from "./preparation.ts";
import { keepApart, needsApart, withGroupKey, withoutStars, withPlainTexts } from "./row-keys.ts";
import { outputTypes, type Brought, type Scope, type Source, typeOf } from "./scope.ts";
import { withOwnKey } from "./sort-keys.ts";
import { ONE_ROW_TABLE } from "./sources.ts";
import { ThreeValues } from "./three-values.ts";
import { understood } from "./understood.ts";
import { asSet } from "./value-sets.ts";

/** Changes the statement in place. @returns the names of its output, in order, with the known types */
export async function prepare(
  statement: Statement,
  given: Preparation,
  outer: Names = new Map(),
): Promise<Brought["types"]> {
  if (statement.type === "select") return await prepareSelect(statement, given, outer);
  if (statement.type === "compound") return await prepareCompound(statement, given, outer);
  const known = new Map(outer);
  const optional: [Named, WithStatement["ctes"][number]][] = [];
  for (const cte of statement.ctes) {
    // `prepare` changes the statement in place, but an inner statement of IN that mentions this name runs alone and needs the
    // original definition.
    const definition = structuredClone(cte);
    const types = await given.readings.define(() => prepare(cte.query, given, known));
    const name = cte.name.toLowerCase();
    const before = [...known].filter(([other]) => other !== name && mentions(definition.query, other));
    const definitions = [...new Set([...before.flatMap(([, { definitions: own }]) => own), definition])];
    const named: Named = { types, definitions, isOptional: false };
    known.set(name, named);
    optional.push([named, withNothing(cte, types)]);
  }
  const types = await prepare(statement.query, given, known);
  statement.ctes = statement.ctes.flatMap((cte, at) => {
    const [named, orNothing] = optional[at]!;
    return named.isOptional ? [cte, orNothing] : [cte];
  });
  return types;
}

async function prepareCompound(
  statement: Extract<Statement, { type: "compound" }>,
  given: Preparation,
  outer: Names,
): Promise<Brought["types"]> {
  given.compounds.add(statement);
  await prepare(statement.right, given, outer);
  const types = await prepare(statement.left, given, outer);
  const scope = [{ alias: "", types }];
  const { value } = new ThreeValues(new Negation());
  const whole = (expr: ExprNode): ExprNode =>
    given.size.add(value(replaced(expr, (one) => understood(one, scope, given))));
  statement.orderBy = statement.orderBy.map((item) => withOwnKey({ ...item, expr: whole(item.expr) }));
  if (statement.operator !== "UNION" || !statement.all) {
    keepApart(statement);
    withPlainTexts(statement, [...types.keys()]);
  }
  return types;
}

async function prepareSelect(select: SelectStatement, given: Preparation, named: Names): Promise<Brought["types"]> {
  const scope = await scopeOf(select, given, named);
  refuseLooseJoins(select);
  await evaluateLists(select, given, named);
  for (const inner of statementsIn(select)) await prepare(inner, given, named);
  const isTable = scope.length === 1 && scope[0]?.source !== undefined;
  if (isTable || select.distinct) withoutStars(select, scope);
  nameColumns(select);
  refuseEqualNames(select, scope);
  keepNullsApart(select);
  replaceIn(select, (expr) => withConstant(understood(expr, scope, given), given.functions), given.size.add);
  if (select.where !== undefined) {
    for (const [source, columns] of boundsIn(withoutNot(select.where), scope))
      for (const [column, bound] of columns) source.narrowing.set(column, bound);
  }
  const [first] = select.columns;
  given.scalarTypes.set(select, first?.type === "derived" ? typeOf(first.expr, scope) : undefined);
  const types = outputTypes(select, scope);
  takeOrder(select, scope);
  resolveNames(select, scope);
  withGroupKey(select, scope);
  readByThreeValues(select, given);
  replaceIn(select, (expr) => asSet(expr, given.sets));
  select.orderBy = select.orderBy.map(withOwnKey);
  if (select.distinct && needsApart(types)) {
    keepApart(select);
    withPlainTexts(select, [...types.keys()]);
  }
  return types;
}

/** Moves each NOT inward, so that bounds can follow from the comparisons inside it. */
function withoutNot(where: ExprNode): ExprNode {
  const negation = new Negation();
  return replaced(where, (expr) => (expr.type === "unary" && expr.op === "NOT" ? negation.of(expr.argument) : expr));
}

function readByThreeValues(select: SelectStatement, { size }: Preparation): void {
  const { value, condition } = new ThreeValues(new Negation());
  const asValue = (expr: ExprNode): ExprNode => size.add(value(expr));
  const asCondition = (expr: ExprNode): ExprNode => size.add(condition(expr));
  select.columns = select.columns.map((column) =>
    column.type === "star" ? column : { ...column, expr: asValue(column.expr) },
  );
  select.joins = select.joins.map((join) => (join.on === undefined ? join : { ...join, on: asCondition(join.on) }));
  if (select.where !== undefined) select.where = asCondition(select.where);
  if (select.having !== undefined) select.having = asCondition(select.having);
  select.groupBy = select.groupBy.map(asValue);
  select.orderBy = select.orderBy.map((item) => ({ ...item, expr: asValue(item.expr) }));
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
    if (join.on !== undefined) join.on = joinedLast(join.on, join.alias ?? join.table);
  }
  return scope;
}

/** Puts the column of the joined table on the right of an equality, where the SQL engine expects this column. */
function joinedLast(on: ExprNode, joined: string): ExprNode {
  if (on.type !== "binary" || on.left.type !== "identifier" || on.right.type !== "identifier") return on;
  const isFirst = on.op === "=" && on.left.prefix === joined && on.right.prefix !== joined;
  return isFirst ? { ...on, left: on.right, right: on.left } : on;
}

function nameWithin(query: Statement): string {
  const from = query.type === "select" && query.joins.length === 0 ? query.from : undefined;
  return (from?.type === "table" ? (from.alias ?? from.table) : undefined) ?? "subquery";
}

/** Gives each mention of a table its own key, and keeps the statement's name for the table as the alias. */
function bring(
  mention: { table: string; alias?: string; readonly joinType?: SelectStatement["joins"][number]["joinType"] },
  { tables, sources, readings }: Preparation,
  named: Names,
): Brought {
  const name = mention.table.toLowerCase();
  const alias = mention.alias ?? mention.table;
  const isOptional = mention.joinType === "LEFT";
  const known = named.get(name);
  readings.mention(known?.types);
  if (known !== undefined) {
    if (isOptional) {
      known.isOptional = true;
      sources.set(ONE_ROW_SOURCE.key, ONE_ROW_SOURCE);
      mention.alias = alias;
      mention.table = nameWithNothing(name);
    }
    return { alias, types: known.types };
  }
  const table = tables.get(name);
  if (table === undefined) {
    throw unknownTable(mention.table, { tables });
  }
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

/** The SQL engine joins a NULL with the text NULL. For an inner join, a condition removes the rows whose column is NULL. */
function keepNullsApart(select: SelectStatement): void {
  for (const { joinType, on } of select.joins) {
    if (joinType !== "INNER" || on?.type !== "binary" || on.op !== "=") continue;
    const { positionStart, positionEnd } = on;
    const place = { positionStart, positionEnd };
    const isKnown = (argument: ExprNode): ExprNode => ({ ...place, type: "unary", op: "IS NOT NULL", argument });
    const known: ExprNode = { ...place, type: "binary", op: "AND", left: isKnown(on.left), right: isKnown(on.right) };
    const { where } = select;
    select.where = where === undefined ? known : { ...place, type: "binary", op: "AND", left: where, right: known };
  }
}

function isEquality(on: ExprNode): boolean {
  if (on.type !== "binary") return false;
  if (on.op === "AND") return isEquality(on.left) || isEquality(on.right);
  return (on.op === "=" || on.op === "==") && on.left.type === "identifier" && on.right.type === "identifier";
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
