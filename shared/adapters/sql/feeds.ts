/** Where the rows of a SELECT come from: the scan of a table, or another statement. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { both, either, type Bound } from "../../core/query/narrowing.ts";
import type { ScanRequest, SqlRow, SqlTable } from "../../engine/ports/sql.ts";
import type { Groups, Running } from "./operators.ts";
import type { Plan } from "./plan.ts";
import { Source } from "./scope.ts";
import { computed, Unread, type Around, type Row, type Term } from "./terms.ts";
import { valueOf, textOf, type Known } from "./values.ts";
import type { Comparison } from "./syntax.ts";

/** The first group is this small, because a LIMIT may need few rows. Each later group at most doubles it. */
const GROUP_FIRST = 8;
const GROUP_MAX = 256;
/** A group ends after this time, so that slow reads do not delay rows that are ready. */
const GROUP_MAX_MS = 20;
/** After this many rows the loop yields the thread, which all other work shares. */
const ROWS_PER_TURN = 500;

export interface Feed {
  readonly source: Source;
  /** @param first the number of rows that may be enough */
  rows(running: Running, first?: number): Groups;
}

/** One mention of a table. If a SELECT names the same table twice, it has two scans, each with its own narrowing. */
export class Scan implements Feed {
  readonly source: Source;
  readonly table: SqlTable;
  /** The condition whose bounds narrow the scan. */
  condition: Term | undefined;
  order: ScanRequest["order"] | undefined;

  constructor(table: SqlTable, alias: string) {
    this.table = table;
    this.source = new Source(alias, new Map(table.shape.columns.map(({ name, type }) => [name, type])));
  }

  async *rows({ around, steps, width }: Running, first = GROUP_FIRST): Groups {
    const columns = [...this.source.needed];
    const read = this.#reader(columns, width);
    const asked = { narrowing: await this.#narrowing(around), columns, ...(this.order && { order: this.order }) };
    let size = Math.min(Math.max(first, 1), GROUP_MAX);
    let group: Row[] = [];
    let untilMs = performance.now() + GROUP_MAX_MS;
    for await (const row of this.table.scan(asked)) {
      // A statement that runs for each row of another one may read few rows many times.
      if (around !== undefined) steps.take(1);
      if (steps.countRead() % ROWS_PER_TURN === 0) await nextTurn();
      if (group.push(read(row)) < size && performance.now() < untilMs) continue;
      yield group;
      group = [];
      size = Math.min(size * 2, GROUP_MAX);
      untilMs = performance.now() + GROUP_MAX_MS;
    }
    if (group.length > 0) yield group;
  }

  async #narrowing(around: Around | undefined): Promise<ReadonlyMap<string, Bound>> {
    const { condition, source } = this;
    if (condition === undefined) return new Map();
    const [bounds] = await computed([[]], () => boundsIn(condition, source, around));
    return bounds!;
  }

  /** @returns a function that puts the cells of a row into the slots; a cell that costs a read is read later */
  #reader(columns: readonly string[], width: number): (row: SqlRow) => Row {
    const types = new Map(this.table.shape.columns.map(({ name, type }) => [name, type]));
    const cells = columns.map((name) => ({ name, type: types.get(name)!, slot: this.source.slots.get(name)! }));
    return (row) => {
      const values: Row = Array.from<null>({ length: width }).fill(null);
      for (const { name, type, slot } of cells) {
        const cell = row.atHand === undefined ? row.cell(name) : row.atHand(name);
        const isUnread = cell === undefined && row.atHand !== undefined;
        values[slot] = isUnread || cell instanceof Promise ? new Unread(row, name, type) : valueOf(cell, type);
      }
      return values;
    };
  }
}

/** A statement in FROM, or the name of one that a WITH defines. */
export class Subquery implements Feed {
  readonly source: Source;
  readonly #plan: Plan;
  readonly #names: ReadonlyMap<string, number>;
  /** False for a WITH, which does not see the rows around the statement that mentions it. */
  readonly #seesAround: boolean;

  constructor(plan: Plan, alias: string, seesAround: boolean) {
    this.#plan = plan;
    this.#seesAround = seesAround;
    this.#names = new Map(plan.columns.map(({ name }, at) => [name, at]));
    const columns = new Map(plan.columns.map(({ name, type }) => [name, type]));
    this.source = new Source(alias, columns, (name) => plan.need(this.#names.get(name)!));
  }

  async *rows({ around, width }: Running, first?: number): Groups {
    const slots = [...this.source.needed].map(
      (name) => [this.#names.get(name)!, this.source.slots.get(name)!] as const,
    );
    for await (const group of this.#plan.rows(this.#seesAround ? around : undefined, first))
      yield group.map((outputs) => {
        const row: Row = Array.from<null>({ length: width }).fill(null);
        for (const [at, slot] of slots) row[slot] = outputs[at]!;
        return row;
      });
  }
}

/** The one row of a SELECT without FROM. */
export async function* oneRow(width: number): Groups {
  yield [Array.from<null>({ length: width }).fill(null)];
}

/** The bounds by column. */
type Bounds = Map<string, Bound>;

const MIRRORED: Readonly<Record<Comparison, Comparison>> = {
  "=": "=",
  "<>": "<>",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};
const CONTRARY: Readonly<Record<Comparison, Comparison>> = {
  "=": "<>",
  "<>": "=",
  "<": ">=",
  "<=": ">",
  ">": "<=",
  ">=": "<",
};

/**
 * The bounds of the source's columns that follow if the condition is true, or if it is false with `isNot`.
 * @throws Pending if a statement within the condition has to run first
 */
function boundsIn(condition: Term, source: Source, around: Around | undefined, isNot = false): Bounds {
  const { form } = condition;
  switch (form?.is) {
    case "and":
    case "or": {
      const parts = form.parts.map((part) => boundsIn(part, source, around, isNot));
      return parts.reduce((form.is === "and") !== isNot ? conjunction : disjunction);
    }
    case "not":
      return boundsIn(form.of, source, around, !isNot);
    case "comparison": {
      const op = isNot ? CONTRARY[form.op] : form.op;
      const right = ofComparison(form.left, op, form.right, source, around);
      return right ?? ofComparison(form.right, MIRRORED[op], form.left, source, around) ?? new Map();
    }
    case "in": {
      const name = columnOf(form.of, source);
      const values = name === undefined || form.of.type === "moment" ? undefined : form.values(around);
      if (name === undefined || values === undefined) return new Map();
      const texts = values.map((value) => textOf(value!));
      return new Map([[name, isNot ? { notIn: texts } : { in: texts }]]);
    }
    case "null": {
      const name = columnOf(form.of, source);
      return name === undefined || isNot ? new Map() : new Map([[name, { isAbsent: true }]]);
    }
    case "like":
      return isNot ? new Map() : ofLike(form.left, form.pattern, source, around);
    default:
      return new Map();
  }
}

function columnOf({ form }: Term, source: Source): string | undefined {
  return form?.is === "column" && form.source === source ? form.name : undefined;
}

function ofComparison(
  left: Term,
  op: Comparison,
  right: Term,
  source: Source,
  around: Around | undefined,
): Bounds | undefined {
  const name = columnOf(left, source);
  if (name === undefined || !right.isFixed) return undefined;
  const value = right.of([], around);
  // A comparison with NULL is never true, and neither is its negation.
  if (value === null) return left.type === "moment" ? new Map() : new Map([[name, { in: [] }]]);
  if (typeof value === "object") return new Map();
  const bound = left.type === "moment" ? momentBound(op, Number(value)) : valueBound(op, value);
  return bound === undefined ? new Map() : new Map([[name, bound]]);
}

function valueBound(op: Comparison, value: Known): Bound | undefined {
  if (op === "=") return { in: [textOf(value)] };
  return op === "<>" ? { notIn: [textOf(value)] } : undefined;
}

function momentBound(op: Comparison, atMs: number): Bound | undefined {
  if (op === "=") return { fromMs: atMs, toMs: atMs };
  if (op === "<" || op === "<=") return { toMs: atMs };
  return op === ">" || op === ">=" ? { fromMs: atMs } : undefined;
}

/** A target begins with the name of its service, so `Greeter/%` restricts the service. */
function ofLike(left: Term, pattern: Term, source: Source, around: Around | undefined): Bounds {
  if (columnOf(left, source) !== "target" || !source.columns.has("target_service_name") || !pattern.isFixed)
    return new Map();
  const fixed = /^[^%_\\]*/.exec(textOf(pattern.of([], around) ?? ""))![0];
  const slash = fixed.indexOf("/");
  return slash < 0 ? new Map() : new Map([["target_service_name", { in: [fixed.slice(0, slash)] }]]);
}

function conjunction(left: Bounds, right: Bounds): Bounds {
  const joined = new Map(left);
  for (const [column, bound] of right) joined.set(column, both(joined.get(column) ?? {}, bound));
  return joined;
}

function disjunction(left: Bounds, right: Bounds): Bounds {
  const joined: Bounds = new Map();
  for (const [column, bound] of left) {
    const other = right.get(column);
    const one = other && either(bound, other);
    if (one !== undefined) joined.set(column, one);
  }
  return joined;
}
