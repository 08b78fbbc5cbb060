/** Where the rows of a SELECT come from: the scan of a table, or another statement. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Bound } from "../../core/query/narrowing.ts";
import type { ScanRequest, SqlRow, SqlTable } from "../../engine/ports/sql.ts";
import { boundsIn } from "./bounds.ts";
import type { Groups, Running } from "./operators.ts";
import type { Plan } from "./plan.ts";
import { Source } from "./scope.ts";
import { type Around, computed, type Row, type Term, Unread } from "./terms.ts";
import { valueOf } from "./values.ts";

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
