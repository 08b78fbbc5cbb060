/** Plans a whole statement: its named statements, its sets, and the statements within its expressions. */
import { SqlError, type SqlTable } from "../../engine/ports/sql.ts";
import { Binder, type InnerQueries } from "./bind.ts";
import { listValues, type InnerList, type ListValues } from "./conditions.ts";
import { Scan, Subquery, type Feed } from "./feeds.ts";
import type { Plan, OutputColumn } from "./plan.ts";
import { Scope, slotTerm } from "./scope.ts";
import { SelectPlan, atPosition } from "./select.ts";
import { withinLimits, type StepLimit, type WholeLimits } from "./limits.ts";
import type { From, Query, SetOperation } from "./syntax.ts";
import { computed, open, Pending, valuesOf, type Around, type Row, type Term, type SortTerm } from "./terms.ts";
import { hashKey, type Value } from "./values.ts";
import { alike } from "./conversions.ts";
import { limited, sorted, type Groups, type Running } from "./operators.ts";

/** If each of many definitions mentions the previous one twice, the readings grow exponentially; this limit stops them. */
const READINGS_MAX = 1000;

interface Named {
  readonly plan: Plan;
  /** How often a run of the plan reads tables. */
  readonly readings: number;
}

export interface Planning {
  readonly tables: ReadonlyMap<string, SqlTable>;
  readonly nowMs: number;
  readonly steps: StepLimit;
  /** The limits of the list of an IN. */
  readonly limits: WholeLimits;
}

export class Planner implements InnerQueries {
  readonly #planning: Planning;
  readonly #names: ReadonlyMap<string, Named>;
  /** How often the statement reads tables; each mention of a name reads them again. */
  readonly #readings: { count: number };

  constructor(planning: Planning, names: ReadonlyMap<string, Named> = new Map(), readings = { count: 0 }) {
    this.#planning = planning;
    this.#names = names;
    this.#readings = readings;
  }

  get nowMs(): number {
    return this.#planning.nowMs;
  }

  /** @param outer the scope of the expression that contains the query. @throws SqlError if the query has no meaning */
  plan(query: Query, outer?: Scope): Plan {
    const { body } = query;
    const planner = query.names.reduce<Planner>((known, named) => known.#withName(named), this);
    if (body.type !== "select") {
      const [left, right] = [planner.plan(body.left, outer), planner.plan(body.right, outer)];
      const binder = (aliases: ReadonlyMap<string, Term>) => new Binder(new Scope(), planner, { aliases });
      return new SetPlan(body, query, { left, right }, binder, this.#planning.steps);
    }
    return new SelectPlan(body, query, outer, (from) => planner.#feed(from, outer), planner, this.#planning.steps);
  }

  #withName({ name, query }: Query["names"][number]): Planner {
    const before = this.#readings.count;
    const plan = this.plan(query);
    const named = { plan, readings: this.#readings.count - before };
    return new Planner(this.#planning, new Map([...this.#names, [name, named]]), this.#readings);
  }

  #feed(from: From, outer: Scope | undefined): Feed {
    if (from.type === "query") return new Subquery(this.plan(from.query, outer), from.alias, true);
    const name = from.name.toLowerCase();
    const named = this.#names.get(name);
    this.#read(named?.readings ?? 1);
    if (named !== undefined) return new Subquery(named.plan, from.alias, false);
    const table = this.#planning.tables.get(name);
    if (table === undefined) throw unknownTable(from.name, this.#planning.tables);
    return new Scan(table, from.alias);
  }

  #read(count: number): void {
    this.#readings.count += count;
    if (this.#readings.count > READINGS_MAX)
      throw new SqlError("refused", `this statement would read tables more than ${READINGS_MAX} times`);
  }

  scalar(query: Query, scope: Scope): Term {
    const { plan, parts } = this.#inner(query, scope);
    const { type } = oneColumn(plan);
    const value = once(parts, async (around) => {
      for await (const [first] of plan.rows(around, 1)) if (first !== undefined) return await finished(first, plan);
      return [null];
    });
    return open(type, parts, (row, around) => value(row, around)[0] ?? null);
  }

  exists(query: Query, scope: Scope): Term {
    const { plan, parts } = this.#inner(query, scope);
    const isThere = once(parts, async (around) => {
      for await (const group of plan.rows(around, 1)) if (group.length > 0) return true;
      return false;
    });
    return open("boolean", parts, isThere);
  }

  list(query: Query, scope: Scope): InnerList {
    const { plan, parts } = this.#inner(query, scope);
    const { type } = oneColumn(plan);
    const values = once(parts, async (around): Promise<ListValues> => {
      const list: Value[] = [];
      for await (const group of withinLimits(finishedGroups(plan, around), this.#planning.limits))
        for (const [value] of group) list.push(value as Value);
      return listValues(list);
    });
    return { type, parts, isConstant: false, values };
  }

  /** @returns the plan, and the terms of the scope that it names */
  #inner(query: Query, scope: Scope): { readonly plan: Plan; readonly parts: readonly Term[] } {
    const from = scope.captured.length;
    const plan = this.plan(query, scope);
    return { plan, parts: scope.captured.slice(from) };
  }
}

/**
 * Runs an inner statement once for each row that it depends on: once for all rows, if it names nothing of the statement around.
 * The runs take turns, so that they do not scan tables at the same time.
 * @returns a function that throws Pending until the run for its row is over
 */
function once<Result>(
  parts: readonly Term[],
  run: (around: Around) => Promise<Result>,
): (row: Row, around: Around | undefined) => Result {
  const known = new WeakMap<object, { readonly result: Result } | Pending>();
  const always = {};
  let last: Promise<unknown> = Promise.resolve();
  return (row, around) => {
    const isFixed = parts.every((part) => part.isFixed);
    const key = parts.length === 0 ? always : isFixed ? around! : row;
    const state = known.get(key);
    if (state instanceof Pending) throw state;
    if (state !== undefined) return state.result;
    last = last.then(async () => known.set(key, { result: await run({ row, around }) }));
    const pending = new Pending(last);
    known.set(key, pending);
    throw pending;
  };
}

/** @throws SqlError for a query with another number of columns */
function oneColumn(plan: Plan): Plan["columns"][number] {
  const [first, ...more] = plan.columns;
  if (first === undefined || more.length > 0) throw new SqlError("syntax", "a query in an expression has one column");
  plan.need(0);
  return first;
}

/** How many rows have their cells read together, because the cells of a row may be large. */
const TOGETHER = 16;

/** The rows of a plan with all their values. */
export async function* finishedGroups(plan: Plan, around?: Around): AsyncGenerator<Value[][]> {
  const terms = plan.columns.map(({ type }, at) => slotTerm(at, type));
  for await (const group of plan.rows(around))
    for (let from = 0; from < group.length; from += TOGETHER)
      yield await computed(group.slice(from, from + TOGETHER), (row) => valuesOf(terms, row, undefined));
}

async function finished(row: Row, { columns }: Plan): Promise<Value[]> {
  const terms = columns.map(({ type }, at) => slotTerm(at, type));
  const [values] = await computed([row], (one) => valuesOf(terms, one, undefined));
  return values!;
}

export function unknownTable(name: string, tables: ReadonlyMap<string, SqlTable>): SqlError {
  return new SqlError("unknown", `table '${name}' not found; there are ${[...tables.keys()].join(", ")}`);
}

/** Plans UNION, INTERSECT and EXCEPT: a column has a common type, so that equal values of both sides are one value. */
class SetPlan implements Plan {
  readonly columns: readonly OutputColumn[];
  readonly #operation: SetOperation;
  readonly #query: Query;
  readonly #steps: StepLimit;
  readonly #left: Plan;
  readonly #right: Plan;
  /** The columns of each side with the common types. */
  readonly #leftTerms: readonly Term[];
  readonly #rightTerms: readonly Term[];
  readonly #orderBy: readonly SortTerm[];

  /** @throws SqlError if the sides do not fit together */
  constructor(
    operation: SetOperation,
    query: Query,
    sides: { readonly left: Plan; readonly right: Plan },
    binder: (aliases: ReadonlyMap<string, Term>) => Binder,
    steps: StepLimit,
  ) {
    this.#operation = operation;
    this.#query = query;
    this.#steps = steps;
    this.#left = sides.left;
    this.#right = sides.right;
    const [left, right] = [this.#left.columns, this.#right.columns];
    if (left.length !== right.length)
      throw new SqlError(
        "syntax",
        `the sides of ${operation.type.toUpperCase()} have ${left.length} and ${right.length} columns`,
      );
    const pairs = left.map(({ type }, at) => alike([slotTerm(at, type), slotTerm(at, right[at]!.type)]));
    this.#leftTerms = pairs.map(({ terms }) => terms[0]!);
    this.#rightTerms = pairs.map(({ terms }) => terms[1]!);
    this.columns = left.map(({ name }, at) => ({ name, type: pairs[at]!.type }));
    const outputs = this.columns.map(({ name, type }, at) => ({ name, term: slotTerm(at, type) }));
    const names = binder(new Map(outputs.map(({ name, term }) => [name, term])));
    this.#orderBy = query.orderBy.map((item) => ({
      ...item,
      term: atPosition(item.expr, outputs) ?? names.term(item.expr),
    }));
    if (operation.type !== "union" || !operation.isAll) for (const at of left.keys()) this.need(at);
    for (const { term } of this.#orderBy) this.#needSlots(term);
  }

  #needSlots({ slot, parts }: Term): void {
    if (slot !== undefined) this.need(slot);
    for (const part of parts) this.#needSlots(part);
  }

  need(at: number): void {
    this.#left.need(at);
    this.#right.need(at);
  }

  async *rows(around: Around | undefined, first?: number): Groups {
    const { limit, offset } = this.#query;
    const running: Running = { around, steps: this.#steps, width: this.columns.length };
    const most = limit === undefined ? undefined : limit + offset;
    let rows = this.#combined(running, this.#orderBy.length > 0 ? undefined : (most ?? first));
    if (this.#orderBy.length > 0) rows = sorted(rows, this.#orderBy, most, running);
    yield* limited(rows, limit, offset);
  }

  #combined(running: Running, first: number | undefined): Groups {
    const { type, isAll } = this.#operation;
    const left = converted(this.#left.rows(running.around, first), this.#leftTerms);
    const right = converted(this.#right.rows(running.around, first), this.#rightTerms);
    if (type !== "union") return matched(left, right, type === "intersect", isAll, running);
    return isAll ? concatenated(left, right) : different(concatenated(left, right), running);
  }
}

/** Rows of values with the common types. A cell whose type does not change is passed on without being read. */
async function* converted(rows: Groups, terms: readonly Term[]): Groups {
  for await (const group of rows)
    yield await computed(group, (row): Row =>
      terms.map(({ slot, of }, at) => (slot === undefined ? of(row, undefined) : (row[at] ?? null))),
    );
}

async function* concatenated(left: Groups, right: Groups): Groups {
  yield* left;
  yield* right;
}

async function* different(rows: Groups, running: Running): Groups {
  const seen = new Set<Value>();
  for await (const { group, keys } of keyed(rows, running)) {
    const kept = group.filter((_, at) => !seen.has(keys[at]!) && seen.add(keys[at]!));
    if (kept.length > 0) yield kept;
  }
}

/** Keeps the left rows that the right side has, or that it does not have. Without ALL, equal rows are one row. */
async function* matched(left: Groups, right: Groups, areWanted: boolean, isAll: boolean, running: Running): Groups {
  const counts = new Map<Value, number>();
  for await (const { keys } of keyed(right, running))
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  const given = new Set<Value>();
  for await (const { group, keys } of keyed(left, running)) {
    const kept = group.filter((_, at) => {
      const key = keys[at]!;
      const count = counts.get(key) ?? 0;
      if (isAll && count > 0) counts.set(key, count - 1);
      return count > 0 === areWanted && (isAll || (!given.has(key) && given.add(key)));
    });
    if (kept.length > 0) yield kept;
  }
}

async function* keyed(rows: Groups, { steps, width }: Running) {
  const terms = Array.from({ length: width }, (_, at) => slotTerm(at, "text"));
  for await (const group of rows) {
    steps.take(group.length);
    yield { group, keys: await computed(group, (row) => hashKey(valuesOf(terms, row, undefined))) };
  }
}
