/** Plans a whole statement: its named statements, its sets, and the statements within its expressions. */
import { SqlError, type SqlTable } from "../../engine/ports/sql.ts";
import { Binder, type InnerQueries } from "./bind.ts";
import { type InnerList, type ListValues, listValues } from "./conditions.ts";
import { type Feed, Scan, Subquery } from "./feeds.ts";
import type { Plan } from "./plan.ts";
import { Scope, slotTerm } from "./scope.ts";
import { SelectPlan } from "./select.ts";
import { SetPlan } from "./set.ts";
import type { StepLimit } from "./limits.ts";
import type { From, Query } from "./syntax.ts";
import { type Around, computed, open, Pending, type Row, type Term, valuesOf } from "./terms.ts";
import type { Value } from "./values.ts";
import { withinLimits, type WholeLimits } from "./limits.ts";

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
