/** Aggregates as sums that grow row by row, so that a group keeps only its first row and its sums. */
import type { AsyncRow, ExprNode, QueryPlan, SqlPrimitive } from "squirreling";
import { derivedAlias } from "squirreling";
import { withParts } from "./expressions.ts";
import { isAggregate } from "./names.ts";
import { textOf } from "./values.ts";

type Aggregate = Extract<QueryPlan, { type: "HashAggregate" | "ScalarAggregate" }>;
type Call = Extract<ExprNode, { type: "function" }>;

export interface Folding {
  /** The expressions to evaluate on each row: the keys of the group, then the argument and the filter of each aggregate. */
  readonly inputs: readonly ExprNode[];
  /** The columns of the output. Here, in `having` and in `orderBy`, a name stands in place of each aggregate. */
  readonly columns: readonly { readonly expr: ExprNode; readonly alias: string }[];
  readonly having: ExprNode | undefined;
  readonly orderBy: Extract<QueryPlan, { type: "Sort" }>["orderBy"];
  groups(): Groups;
}

const TRUE = { type: "literal", value: true } as const;

/** @returns undefined if an aggregate needs all rows at once */
export function foldOf(plan: Aggregate): Folding | undefined {
  const calls: Call[] = [];
  const named = (expr: ExprNode): ExprNode => {
    if (expr.type !== "function" || !isAggregate(expr)) return withParts(expr, named);
    const { positionStart, positionEnd } = expr;
    return { type: "identifier", name: nameAt(calls.push(expr) - 1), positionStart, positionEnd };
  };
  const columns: { readonly expr: ExprNode; readonly alias: string }[] = [];
  for (const column of plan.columns) {
    if (column.type === "star") return undefined;
    columns.push({ expr: named(column.expr), alias: column.alias ?? derivedAlias(column.expr) });
  }
  const [groupBy, order] = plan.type === "HashAggregate" ? [plan.groupBy, plan.orderBy ?? []] : [[], []];
  const having = plan.having && named(plan.having);
  const orderBy = order.map((item) => ({ ...item, expr: named(item.expr) }));
  if (!calls.every(isFoldable)) return undefined;
  const inputs = [...groupBy, ...calls.flatMap((call) => [inputOf(call), call.filter ?? truth(call)])];
  const groups = (): Groups => new Groups(calls, groupBy.length, plan.type === "ScalarAggregate");
  return { inputs, columns, having, orderBy, groups };
}

function nameAt(at: number): string {
  return `aggregate#${at}`;
}

function truth({ positionStart, positionEnd }: ExprNode): ExprNode {
  return { ...TRUE, positionStart, positionEnd };
}

function inputOf(call: Call): ExprNode {
  const [first] = call.args;
  return first === undefined || first.type === "star" ? truth(call) : first;
}

function isFoldable({ funcName }: Call): boolean {
  return Object.hasOwn(FOLDS, funcName.toUpperCase());
}

interface Fold {
  add(value: SqlPrimitive): void;
  result(): SqlPrimitive;
}

/** The aggregates as the SQL engine computes them: SUM and AVG leave out non-numbers, and all of them leave out NULLs. */
const FOLDS: Readonly<Record<string, (call: Call) => Fold>> = {
  COUNT: ({ distinct }) => (distinct === true ? new Distinct() : new Count()),
  SUM: () => new Sum(({ sum, count }) => (count === 0 ? null : sum)),
  AVG: () => new Sum(({ sum, count }) => (count === 0 ? null : sum / count)),
  MIN: () => new Extreme((value, best) => value < best),
  MAX: () => new Extreme((value, best) => value > best),
};

class Count implements Fold {
  #count = 0;
  add(): void {
    this.#count += 1;
  }
  result(): number {
    return this.#count;
  }
}

class Distinct implements Fold {
  readonly #seen = new Set<string>();
  add(value: SqlPrimitive): void {
    this.#seen.add(keyOf(value));
  }
  result(): number {
    return this.#seen.size;
  }
}

class Sum implements Fold {
  readonly #of: (sums: { sum: number; count: number }) => number | null;
  readonly #sums = { sum: 0, count: 0 };
  constructor(of: (sums: { sum: number; count: number }) => number | null) {
    this.#of = of;
  }
  add(value: SqlPrimitive): void {
    const number = Number(value);
    if (!Number.isFinite(number)) return;
    this.#sums.sum += number;
    this.#sums.count += 1;
  }
  result(): number | null {
    return this.#of(this.#sums);
  }
}

type Known = NonNullable<SqlPrimitive>;

class Extreme implements Fold {
  readonly #isBetter: (value: Known, best: Known) => boolean;
  #best: Known | null = null;
  constructor(isBetter: (value: Known, best: Known) => boolean) {
    this.#isBetter = isBetter;
  }
  add(value: Known): void {
    if (this.#best === null || this.#isBetter(value, this.#best)) this.#best = value;
  }
  result(): SqlPrimitive {
    return this.#best;
  }
}

function keyOf(value: SqlPrimitive): string {
  return `${typeof value} ${typeof value === "bigint" ? String(value) : textOf(value)}`;
}

interface Group {
  readonly first: AsyncRow;
  readonly folds: readonly Fold[];
}

export class Groups {
  readonly #calls: readonly Call[];
  readonly #keys: number;
  readonly #groups = new Map<string, Group>();

  /** @param keys the number of inputs that are keys @param isOne true if there is one group even without rows */
  constructor(calls: readonly Call[], keys: number, isOne: boolean) {
    this.#calls = calls;
    this.#keys = keys;
    if (isOne) this.#groups.set("", this.#group({ columns: [], cells: {} }));
  }

  /** @param values the values of the inputs on the row */
  add(row: AsyncRow, values: readonly SqlPrimitive[]): void {
    const key = values.slice(0, this.#keys).map(keyOf).join("\n");
    let group = this.#groups.get(key);
    if (group === undefined || (group.first.columns.length === 0 && row.columns.length > 0)) {
      group = { first: row, folds: group?.folds ?? this.#group(row).folds };
      this.#groups.set(key, group);
    }
    for (const [at, fold] of group.folds.entries()) {
      const [value, passes] = values.slice(this.#keys + 2 * at);
      if (passes && value !== null && value !== undefined) fold.add(value);
    }
  }

  /** @returns a row for each group: its first row, with the results of the aggregates */
  *rows(): Generator<AsyncRow> {
    for (const { first, folds } of this.#groups.values()) {
      const cells = { ...first.cells };
      for (const [at, fold] of folds.entries()) cells[nameAt(at)] = async () => fold.result();
      yield { columns: [...first.columns, ...folds.map((_, at) => nameAt(at))], cells };
    }
  }

  #group(first: AsyncRow): Group {
    return { first, folds: this.#calls.map((call) => FOLDS[call.funcName.toUpperCase()]!(call)) };
  }
}
