/** Plans UNION, INTERSECT and EXCEPT: a column has a common type, so that equal values of both sides are one value. */
import { SqlError } from "../../engine/ports/sql.ts";
import { alike } from "./conversions.ts";
import type { Binder } from "./bind.ts";
import { type Groups, limited, type Running, sorted } from "./operators.ts";
import type { OutputColumn, Plan } from "./plan.ts";
import { slotTerm } from "./scope.ts";
import { atPosition } from "./select.ts";
import type { StepLimit } from "./limits.ts";
import type { Query, SetOperation } from "./syntax.ts";
import { type Around, computed, type Row, type Term, valuesOf, type SortTerm } from "./terms.ts";
import { hashKey, type Value } from "./values.ts";

export class SetPlan implements Plan {
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
