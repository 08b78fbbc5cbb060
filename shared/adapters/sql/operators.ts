/** The steps that rows take through a statement. They pass on small groups of rows, and keep as few as they can. */
import type { AggregateCall, WindowCall } from "./aggregates.ts";
import type { StepLimit } from "./limits.ts";
import { type Around, computed, type Row, type Term, valuesOf, compareKeys, type SortTerm } from "./terms.ts";
import { hashKey, type Value } from "./values.ts";

export type Groups = AsyncIterable<Row[]>;

/** The values that all steps of one run of a SELECT share. */
export interface Running {
  readonly around: Around | undefined;
  readonly steps: StepLimit;
  /** The number of slots of a row. */
  readonly width: number;
}

const GROUP_ROWS = 256;

/** Keeps the rows on which all conditions are true. */
export async function* filtered(rows: Groups, conditions: readonly Term[], { around }: Running): Groups {
  for await (const group of rows) {
    const passes = await computed(group, (row) => conditions.every(({ of }) => of(row, around) === true));
    const kept = group.filter((_, at) => passes[at]);
    if (kept.length > 0) yield kept;
  }
}

export interface JoinStep {
  readonly kind: "inner" | "left" | "right" | "full";
  readonly right: Groups;
  /** The slots that the right rows bring. */
  readonly slots: readonly number[];
  readonly leftKeys: readonly Term[];
  readonly rightKeys: readonly Term[];
  /** The condition of the join beside the equality of the keys. */
  readonly conditions: readonly Term[];
}

/** Keeps the right rows, and passes on the left ones with those that match. */
export async function* joined(left: Groups, step: JoinStep, running: Running): Groups {
  const { kind, slots, conditions } = step;
  const { around, steps, width } = running;
  const { all, byKey } = await rightRows(step, running);
  const matched = kind === "right" || kind === "full" ? new Set<Row>() : undefined;
  let out: Row[] = [];
  for await (const group of left) {
    steps.take(group.length);
    const keys = await computed(group, (row) => valuesOf(step.leftKeys, row, around));
    for (const [at, row] of group.entries()) {
      const candidates = keys[at]!.includes(null) ? [] : (byKey.get(hashKey(keys[at]!)) ?? []);
      let isMatched = false;
      for (let from = 0; from < candidates.length; from += GROUP_ROWS) {
        const some = candidates.slice(from, from + GROUP_ROWS);
        steps.take(some.length);
        const pairs = some.map((other) => merged(row, other, slots));
        const passes =
          conditions.length === 0 ? undefined : await computed(pairs, (pair) => areTrue(conditions, pair, around));
        for (const [place, pair] of pairs.entries()) {
          if (passes?.[place] === false) continue;
          isMatched = true;
          matched?.add(some[place]!);
          out.push(pair);
        }
        if (out.length >= GROUP_ROWS) yield out.splice(0);
      }
      if (!isMatched && (kind === "left" || kind === "full")) out.push(row);
    }
    if (out.length > 0) yield out.splice(0);
  }
  if (matched === undefined) return;
  out = all.filter((row) => !matched.has(row)).map((row) => merged(emptyRow(width), row, slots));
  for (let from = 0; from < out.length; from += GROUP_ROWS) yield out.slice(from, from + GROUP_ROWS);
}

async function rightRows({ right, rightKeys, kind }: JoinStep, { around, steps }: Running) {
  const all: Row[] = [];
  const byKey = new Map<Value, Row[]>();
  for await (const group of right) {
    steps.take(group.length);
    const keys = await computed(group, (row) => valuesOf(rightKeys, row, around));
    for (const [at, row] of group.entries()) {
      if (kind === "right" || kind === "full") all.push(row);
      if (keys[at]!.includes(null)) continue;
      const key = hashKey(keys[at]!);
      const known = byKey.get(key);
      if (known === undefined) byKey.set(key, [row]);
      else known.push(row);
    }
  }
  return { all, byKey };
}

function merged(left: Row, right: Row, slots: readonly number[]): Row {
  const row = left.slice();
  for (const slot of slots) row[slot] = right[slot]!;
  return row;
}

export function emptyRow(width: number): Row {
  return Array.from<Value>({ length: width }).fill(null);
}

function areTrue(conditions: readonly Term[], row: Row, around: Around | undefined): boolean {
  return conditions.every(({ of }) => of(row, around) === true);
}

/** Groups rows by the keys. A group keeps its first row, and the states of its aggregates. Without keys, there is one group. */
export async function* grouped(
  rows: Groups,
  keys: readonly Term[],
  aggregates: readonly AggregateCall[],
  { around, steps, width }: Running,
): Groups {
  const inputs = aggregates.map(inputsOf);
  const terms = [...keys, ...inputs.flat()];
  const groups = new Map<Value, { readonly row: Row; readonly folds: ReturnType<AggregateCall["newFold"]>[] }>();
  const newGroup = (row: Row) => ({ row, folds: aggregates.map((one) => one.newFold()) });
  for await (const group of rows) {
    steps.take(group.length);
    const values = await computed(group, (row) => valuesOf(terms, row, around));
    for (const [at, given] of values.entries()) {
      const key = hashKey(given.slice(0, keys.length));
      let one = groups.get(key);
      if (one === undefined) groups.set(key, (one = newGroup(group[at]!)));
      let from = keys.length;
      for (const [place, { args, filter }] of aggregates.entries()) {
        const to = from + inputs[place]!.length;
        const isCounted = filter === undefined || given[to - 1] === true;
        if (isCounted)
          one.folds[place]!.add(given.slice(from, from + args.length), given.slice(from + args.length, to));
        from = to;
      }
    }
  }
  if (keys.length === 0 && groups.size === 0) groups.set("", newGroup(emptyRow(width)));
  const out: Row[] = [];
  for (const { row, folds } of groups.values()) {
    const result = row.slice();
    for (const [at, { slot }] of aggregates.entries()) result[slot] = folds[at]!.result();
    if (out.push(result) >= GROUP_ROWS) yield out.splice(0);
  }
  if (out.length > 0) yield out;
}

/** The arguments of an aggregate, then the keys of its order, then its filter. */
export function inputsOf({ args, orderBy, filter }: AggregateCall): readonly Term[] {
  return [...args, ...orderBy.map(({ term }) => term), ...(filter ? [filter] : [])];
}

/** Sets the results of window functions. Only those that number all rows do not need every row first. */
export async function* windowed(rows: Groups, windows: readonly WindowCall[], running: Running): Groups {
  const isPlain = windows.every(
    ({ args, partitionBy, orderBy }) => args.length + partitionBy.length + orderBy.length === 0,
  );
  if (isPlain && windows.every(({ name }) => name === "ROW_NUMBER")) return yield* numbered(rows, windows);
  const all: Row[] = [];
  for await (const group of rows) {
    running.steps.take(group.length);
    for (const row of group) all.push(row.slice());
  }
  for (const window of windows) await setResults(all, window, running);
  for (let from = 0; from < all.length; from += GROUP_ROWS) yield all.slice(from, from + GROUP_ROWS);
}

async function* numbered(rows: Groups, windows: readonly WindowCall[]): Groups {
  let number = 0;
  for await (const group of rows)
    yield group.map((row) => {
      const copy = row.slice();
      number += 1;
      for (const { slot } of windows) copy[slot] = number;
      return copy;
    });
}

async function setResults(all: readonly Row[], window: WindowCall, { around }: Running): Promise<void> {
  const { partitionBy, orderBy, args, slot } = window;
  const terms = [...partitionBy, ...orderBy.map(({ term }) => term), ...args];
  const values = await computed(all, (row) => valuesOf(terms, row, around));
  const argsFrom = partitionBy.length + orderBy.length;
  const rows = all.map((row, at) => ({
    row,
    keys: values[at]!.slice(partitionBy.length, argsFrom),
    args: values[at]!.slice(argsFrom),
  }));
  const partitions = new Map<Value, (typeof rows)[number][]>();
  for (const [at, row] of rows.entries()) {
    const key = hashKey(values[at]!.slice(0, partitionBy.length));
    const known = partitions.get(key);
    if (known === undefined) partitions.set(key, [row]);
    else known.push(row);
  }
  for (const partition of partitions.values()) {
    const sorted = partition.toSorted((one, other) => compareKeys(one.keys, other.keys, orderBy));
    for (const [at, result] of window.results(sorted).entries()) sorted[at]!.row[slot] = result;
  }
}

/** Keeps the first of the rows whose outputs are equal. */
export async function* distinct(rows: Groups, outputs: readonly Term[], { around, steps }: Running): Groups {
  const seen = new Set<Value>();
  for await (const group of rows) {
    steps.take(group.length);
    const keys = await computed(group, (row) => hashKey(valuesOf(outputs, row, around)));
    const kept = group.filter((_, at) => {
      const isNew = !seen.has(keys[at]!);
      seen.add(keys[at]!);
      return isNew;
    });
    if (kept.length > 0) yield kept;
  }
}

/** Once a sort under a LIMIT keeps twice the limit and this many more rows, it drops the rows that cannot be in the answer. */
const SORTED_MORE = 2_000;

/** @param count the number of rows that are needed; absent for all */
export async function* sorted(
  rows: Groups,
  by: readonly SortTerm[],
  count: number | undefined,
  { around, steps }: Running,
): Groups {
  const terms = by.map(({ term }) => term);
  let kept: { readonly row: Row; readonly keys: readonly Value[] }[] = [];
  const sort = (): void => {
    kept.sort((one, other) => compareKeys(one.keys, other.keys, by));
    if (count !== undefined) kept = kept.slice(0, count);
  };
  for await (const group of rows) {
    steps.take(group.length);
    const keys = await computed(group, (row) => valuesOf(terms, row, around));
    for (const [at, row] of group.entries()) kept.push({ row, keys: keys[at]! });
    if (count !== undefined && kept.length >= 2 * count + SORTED_MORE) sort();
  }
  sort();
  for (let from = 0; from < kept.length; from += GROUP_ROWS)
    yield kept.slice(from, from + GROUP_ROWS).map(({ row }) => row);
}

/** @param count the number of rows after the first `offset` ones; absent for all */
export async function* limited(rows: Groups, count: number | undefined, offset: number): Groups {
  let [skipped, left] = [offset, count ?? Infinity];
  if (left === 0) return;
  for await (const group of rows) {
    const some = group.slice(skipped, skipped + left);
    skipped -= Math.min(skipped, group.length);
    left -= some.length;
    if (some.length > 0) yield some;
    if (left === 0) return;
  }
}
