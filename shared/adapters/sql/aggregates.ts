/** Aggregates, whose results grow row by row, and window functions: row_number, rank, dense_rank, lag and lead. */
import { SqlError } from "../../engine/ports/sql.ts";
import { cast } from "./conversions.ts";
import { added } from "./arithmetic.ts";
import { constantOf, compareKeys, type Term, type SortTerm } from "./terms.ts";
import { isNumeric, keyOf, numberOf, order, textOf, type Known, type Type, type Value } from "./values.ts";

/** One aggregate of a SELECT. */
export interface AggregateCall {
  /** The slot of its result in the row of a group. */
  readonly slot: number;
  readonly type: Type;
  readonly args: readonly Term[];
  readonly orderBy: readonly SortTerm[];
  readonly filter?: Term;
  /** Counts only different values. */
  readonly isDistinct: boolean;
  readonly isStar: boolean;
  newFold(): Fold;
}

/** The state of one aggregate in one group. */
export interface Fold {
  /** @param keys the values of the terms of its ORDER BY */
  add(values: readonly Value[], keys: readonly Value[]): void;
  result(): Value;
}

type Kind = (
  args: readonly Term[],
  name: string,
  orderBy: readonly SortTerm[],
) => Pick<AggregateCall, "args" | "type" | "newFold">;

/** The aggregates by name. All of them leave out NULLs, except for FIRST_VALUE and ARRAY_AGG. */
const KINDS: Readonly<Record<string, Kind>> = {
  COUNT: (args) => ({ args, type: "integer", newFold: () => folded<number>(0, (count) => (count ?? 0) + 1) }),
  SUM: (args, name) => {
    const arg = summable(args, name);
    const isExact = isNumeric(arg.type) && arg.type !== "number";
    const newFold = isExact
      ? () => folded<number | bigint>(null, (sum, value) => added(sum ?? 0, value), exact)
      : () => folded<number>(null, (sum, value) => (sum ?? 0) + Number(value));
    return { args: [arg], type: arg.type, newFold };
  },
  AVG: (args, name) => {
    const arg = summable(args, name);
    const type = arg.type === "duration" ? arg.type : "number";
    return { args: [arg], type, newFold: () => ofNumbers((values) => values.sum / values.count) };
  },
  MIN: (args) => extreme(args, (value, best) => order(value, best) < 0),
  MAX: (args) => extreme(args, (value, best) => order(value, best) > 0),
  STDDEV: (args, name) => deviation(args, name, 1),
  STDDEV_SAMP: (args, name) => deviation(args, name, 1),
  STDDEV_POP: (args, name) => deviation(args, name, 0),
  MEDIAN: (args, name) => quantile(summable(args, name), 0.5),
  PERCENTILE_CONT: ([fraction, of], name) => quantile(summable([of!], name), fractionOf(fraction!, name)),
  APPROX_QUANTILE: ([of, fraction], name) => quantile(summable([of!], name), fractionOf(fraction!, name)),
  APPROX_PERCENTILE_CONT: ([of, fraction], name) => quantile(summable([of!], name), fractionOf(fraction!, name)),
  ARRAY_AGG: list,
  JSON_ARRAYAGG: list,
  STRING_AGG: ([of, separator]) => ({
    args: [cast(of!, "text"), cast(separator!, "text")],
    type: "text",
    newFold: () => {
      const texts: string[] = [];
      let between = "";
      return {
        add: ([text, given]) => {
          between = textOf(given ?? "");
          texts.push(textOf(text!));
        },
        result: () => (texts.length === 0 ? null : texts.join(between)),
      };
    },
  }),
  FIRST_VALUE: ([of], _name, orderBy) => ({ args: [of!], type: of!.type, newFold: () => new FirstBy(orderBy) }),
};

const TWO_ARGUMENTS = new Set(["PERCENTILE_CONT", "APPROX_QUANTILE", "APPROX_PERCENTILE_CONT", "STRING_AGG"]);
const WITH_NULLS = new Set(["FIRST_VALUE", "ARRAY_AGG", "JSON_ARRAYAGG"]);

export function isAggregate(name: string): boolean {
  return Object.hasOwn(KINDS, name) || name === "APPROX_DISTINCT";
}

/** @throws SqlError for arguments that the aggregate does not take */
export function aggregate(
  name: string,
  args: readonly Term[],
  given: Omit<AggregateCall, "args" | "type" | "newFold">,
): AggregateCall {
  if (name === "APPROX_DISTINCT") return aggregate("COUNT", args, { ...given, isDistinct: true });
  const count = given.isStar ? 0 : TWO_ARGUMENTS.has(name) ? 2 : 1;
  if (given.isStar && (name !== "COUNT" || given.isDistinct))
    throw new SqlError("syntax", `${name.toLowerCase()} does not take * here`);
  if (args.length !== count)
    throw new SqlError("syntax", `${name.toLowerCase()} takes ${count} arguments, and not ${args.length}`);
  const kind = KINDS[name]!(args, name.toLowerCase(), given.orderBy);
  const newFold = (): Fold => {
    const fold = given.isDistinct ? distinct(kind.newFold()) : kind.newFold();
    return WITH_NULLS.has(name) ? fold : withoutNulls(fold);
  };
  return { ...given, ...kind, newFold };
}

function withoutNulls(fold: Fold): Fold {
  return {
    add: (values, keys) => {
      if (!values.includes(null)) fold.add(values, keys);
    },
    result: () => fold.result(),
  };
}

function distinct(fold: Fold): Fold {
  const seen = new Set<string>();
  return {
    add: (values, keys) => {
      const key = keyOf(values);
      if (seen.has(key)) return;
      seen.add(key);
      fold.add(values, keys);
    },
    result: () => fold.result(),
  };
}

/** A fold over one value, which starts without a result. */
function folded<State extends Known>(
  start: State | null,
  add: (state: State | null, value: Known) => State,
  result: (state: State) => Value = (state) => state,
): Fold {
  let state = start;
  return {
    add: ([value]) => void (state = add(state, value!)),
    result: () => (state === null ? null : result(state)),
  };
}

function exact(sum: number | bigint): Value {
  return Number.isSafeInteger(Number(sum)) ? Number(sum) : sum;
}

function extreme(args: readonly Term[], isBetter: (value: Known, best: Known) => boolean): ReturnType<Kind> {
  const newFold = (): Fold =>
    folded<Known>(null, (best, value) => (best === null || isBetter(value, best) ? value : best));
  return { args, type: args[0]!.type, newFold };
}

interface Sums {
  readonly sum: number;
  readonly count: number;
  /** The sum of the squares of the differences from the mean. */
  readonly squares: number;
}

function ofNumbers(result: (sums: Sums) => Value): Fold {
  let sums: Sums = { sum: 0, count: 0, squares: 0 };
  return {
    add: ([value]) => {
      const number = Number(value);
      const count = sums.count + 1;
      const difference = sums.count === 0 ? 0 : number - sums.sum / sums.count;
      const squares = sums.squares + (difference * difference * sums.count) / count;
      sums = { sum: sums.sum + number, count, squares };
    },
    result: () => (sums.count === 0 ? null : result(sums)),
  };
}

/** @param without how many fewer than the values the divisor is */
function deviation(args: readonly Term[], name: string, without: number): ReturnType<Kind> {
  const result = ({ squares, count }: Sums): Value => (count > without ? Math.sqrt(squares / (count - without)) : null);
  return { args: [summable(args, name)], type: "number", newFold: () => ofNumbers(result) };
}

function quantile(of: Term, fraction: number): ReturnType<Kind> {
  const newFold = (): Fold => {
    const numbers: number[] = [];
    return {
      add: ([value]) => void numbers.push(Number(value)),
      result: () =>
        numbers.length === 0
          ? null
          : at(
              numbers.toSorted((a, b) => a - b),
              fraction,
            ),
    };
  };
  return { args: [of], type: of.type === "duration" ? of.type : "number", newFold };
}

function at(sorted: readonly number[], fraction: number): number {
  const place = fraction * (sorted.length - 1);
  const [lower, upper] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!];
  return lower + (upper - lower) * (place - Math.floor(place));
}

/** @throws SqlError unless the argument is a number from 0 to 1 */
function fractionOf(term: Term, name: string): number {
  const fraction = term.isConstant ? numberOf(constantOf(term) ?? "NULL") : NaN;
  if (!(fraction >= 0 && fraction <= 1)) throw new SqlError("syntax", `${name} needs a number from 0 to 1`);
  return fraction;
}

function list(args: readonly Term[]): ReturnType<Kind> {
  const newFold = (): Fold => {
    const texts: string[] = [];
    return { add: ([value]) => void texts.push(textOf(value ?? "null")), result: () => texts };
  };
  return { args: [cast(args[0]!, "text")], type: "texts", newFold };
}

class FirstBy implements Fold {
  readonly #orderBy: readonly SortTerm[];
  #best: { readonly value: Value; readonly keys: readonly Value[] } | undefined;

  constructor(orderBy: readonly SortTerm[]) {
    this.#orderBy = orderBy;
  }

  add([value = null]: readonly Value[], keys: readonly Value[]): void {
    if (this.#best === undefined || compareKeys(keys, this.#best.keys, this.#orderBy) < 0) this.#best = { value, keys };
  }

  result(): Value {
    return this.#best?.value ?? null;
  }
}

/** @throws SqlError if the argument is neither a number nor a duration */
function summable([of]: readonly Term[], name: string): Term {
  const { type } = of!;
  if (type === "null" || isNumeric(type) || type === "duration") return of!;
  throw new SqlError("syntax", `${name} needs numbers, and this is a ${type}; write ${name}(...::double)`);
}

/** One window function of a SELECT. */
export interface WindowCall {
  readonly name: string;
  /** The slot of its result in the row. */
  readonly slot: number;
  readonly type: Type;
  readonly args: readonly Term[];
  readonly partitionBy: readonly Term[];
  readonly orderBy: readonly SortTerm[];
  /** @returns the results for the rows of one partition, in their order */
  results(rows: readonly WindowRow[]): Value[];
}

interface WindowRow {
  readonly keys: readonly Value[];
  readonly args: readonly Value[];
}

type WindowKind = (rows: readonly WindowRow[], orderBy: readonly SortTerm[]) => Value[];

const WINDOW_KINDS: Readonly<Record<string, WindowKind>> = {
  ROW_NUMBER: (rows) => rows.map((_, at) => at + 1),
  RANK: (rows, orderBy) => ranks(rows, orderBy, (_last, at) => at + 1),
  DENSE_RANK: (rows, orderBy) => ranks(rows, orderBy, (last) => last + 1),
  LAG: (rows) => shifted(rows, -1),
  LEAD: (rows) => shifted(rows, 1),
};

const ARGUMENTS_MAX: Readonly<Record<string, number>> = { LAG: 3, LEAD: 3 };

export function isWindow(name: string): boolean {
  return Object.hasOwn(WINDOW_KINDS, name);
}

/** @throws SqlError for arguments that the function does not take */
export function windowCall(given: Omit<WindowCall, "type" | "results">): WindowCall {
  const { name, args, orderBy } = given;
  const most = ARGUMENTS_MAX[name] ?? 0;
  if (args.length > most || (most > 0 && args.length === 0))
    throw new SqlError("syntax", `${name.toLowerCase()} takes ${most === 0 ? "no" : `1 to ${most}`} arguments`);
  const type = args[0]?.type ?? "integer";
  return { ...given, type, results: (rows) => WINDOW_KINDS[name]!(rows, orderBy) };
}

/** @param next the rank after `last`, of the row at the index `at` */
function ranks(
  rows: readonly WindowRow[],
  orderBy: readonly SortTerm[],
  next: (last: number, at: number) => number,
): number[] {
  let rank = 0;
  return rows.map(({ keys }, at) => {
    const before = rows[at - 1];
    if (before === undefined || compareKeys(before.keys, keys, orderBy) !== 0) rank = next(rank, at);
    return rank;
  });
}

/** The first argument on another row; the second argument is the distance of that row, the third one the default. */
function shifted(rows: readonly WindowRow[], sign: 1 | -1): Value[] {
  return rows.map(({ args: [, distance, otherwise = null] }, at) => {
    const other = rows[at + sign * Number(distance ?? 1)];
    return other === undefined ? otherwise : (other.args[0] ?? null);
  });
}
