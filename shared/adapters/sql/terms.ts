/**
 * Terms: expressions whose names and types are known, so that they can be computed on a row. A cell that has to be read first
 * interrupts the computation; the caller awaits the cell and computes the row again.
 */
import type { ColumnType } from "../../core/query/table-shape.ts";
import type { SqlRow } from "../../engine/ports/sql.ts";
import type { Interval } from "./moments.ts";
import type { Comparison } from "./syntax.ts";
import { order, type Type, type Value, valueOf } from "./values.ts";

/** The cells of a row, in the slots of its SELECT. */
export type Row = (Value | Unread)[];

/** The rows around the one that is computed: those of the statements that contain its statement. */
export interface Around {
  readonly row: Row;
  readonly around: Around | undefined;
}

export interface Term {
  readonly type: Type;
  /** @throws Pending if a cell has to be read first; SqlError if there is no value */
  readonly of: (row: Row, around: Around | undefined) => Value;
  readonly parts: readonly Term[];
  /** True if the value is the same for all rows of the SELECT. */
  readonly isFixed: boolean;
  /** True if the value is known before any row is read. */
  readonly isConstant: boolean;
  readonly form?: Form;
  /** The slot whose cell is the value, so that the cell can be passed on without being read. */
  readonly slot?: number;
  /** An interval in the statement, whose months have no fixed length. */
  readonly interval?: Interval;
  /** Called if the term will be computed, so that the columns it needs are read. */
  readonly need?: () => void;
}

/** The shapes of terms from which a scan can derive bounds. */
export type Form =
  | { readonly is: "column"; readonly source: object; readonly name: string }
  | { readonly is: "comparison"; readonly op: Comparison; readonly left: Term; readonly right: Term }
  | { readonly is: "and" | "or"; readonly parts: readonly Term[] }
  | { readonly is: "not"; readonly of: Term }
  | { readonly is: "null"; readonly of: Term }
  /** `values` is undefined if the list is too long, or its values differ from row to row. */
  | {
      readonly is: "in";
      readonly of: Term;
      readonly values: (around: Around | undefined) => readonly Value[] | undefined;
    }
  | { readonly is: "like"; readonly left: Term; readonly pattern: Term };

/** Interrupts the computation of a row. */
export class Pending extends Error {
  override name = "Pending";
  readonly ready: Promise<unknown>;
  constructor(ready: Promise<unknown>) {
    super("a cell has to be read first");
    this.ready = ready;
  }
}

/** A cell that is read when a term needs it. */
export class Unread {
  readonly #row: SqlRow;
  readonly #name: string;
  readonly #type: ColumnType;
  #value: Value = null;
  #state: "unread" | "read" | Pending = "unread";

  constructor(row: SqlRow, name: string, type: ColumnType) {
    this.#row = row;
    this.#name = name;
    this.#type = type;
  }

  /** @throws Pending until the cell is read */
  get value(): Value {
    if (this.#state === "unread") this.#read();
    if (this.#state !== "read") throw this.#state;
    return this.#value;
  }

  #read(): void {
    const keep = (cell: Parameters<typeof valueOf>[0]): void => {
      this.#value = valueOf(cell, this.#type);
      this.#state = "read";
    };
    const cell = this.#row.cell(this.#name);
    if (cell instanceof Promise) this.#state = new Pending(cell.then(keep));
    else keep(cell);
  }
}

/** @throws Pending if the cell has to be read first */
export function read(cell: Value | Unread | undefined): Value {
  if (typeof cell !== "object" || cell === null) return cell ?? null;
  return cell instanceof Unread ? cell.value : cell;
}

/** Computes each row, and awaits the cells that have to be read. The reads of all rows run at the same time. */
export async function computed<T>(rows: readonly Row[], compute: (row: Row) => T): Promise<T[]> {
  const results: T[] = Array.from({ length: rows.length });
  let open: Iterable<number> = rows.keys();
  for (;;) {
    const waiting: number[] = [];
    const ready: Promise<unknown>[] = [];
    for (const at of open) {
      try {
        results[at] = compute(rows[at]!);
      } catch (error) {
        if (!(error instanceof Pending)) throw error;
        waiting.push(at);
        ready.push(error.ready);
      }
    }
    if (waiting.length === 0) return results;
    await Promise.all(ready);
    open = waiting;
  }
}

/** The values of the terms on one row. @throws Pending for the cells of all terms that have to be read first */
export function valuesOf(terms: readonly Term[], row: Row, around: Around | undefined): Value[] {
  const values: Value[] = [];
  let ready: Promise<unknown>[] | undefined;
  for (const { of } of terms) {
    try {
      values.push(of(row, around));
    } catch (error) {
      if (!(error instanceof Pending)) throw error;
      (ready ??= []).push(error.ready);
    }
  }
  if (ready !== undefined) throw new Pending(Promise.all(ready));
  return values;
}

export function constant(value: Value, type: Type): Term {
  return { type, of: () => value, parts: [], isFixed: true, isConstant: true };
}

export function constantOf(term: Term): Value {
  return term.of([], undefined);
}

/**
 * A term that is computed from parts. It is computed at once if its parts are constant, so that bounds can follow from it. If
 * this fails, it fails again on the first row that needs it.
 */
export function term(
  type: Type,
  parts: readonly Term[],
  of: Term["of"],
  more: Pick<Term, "form" | "interval"> = {},
): Term {
  const isFixed = parts.every((part) => part.isFixed);
  const plain: Term = { type, of, parts, isFixed, isConstant: false, ...more };
  if (!parts.every((part) => part.isConstant)) return plain;
  try {
    const value = constantOf(plain);
    return { ...plain, of: () => value, isConstant: true };
  } catch {
    return plain;
  }
}

/** Like `term`, but its value is known only when another statement has run. */
export function open(type: Type, parts: readonly Term[], of: Term["of"]): Term {
  return { type, of, parts, isFixed: parts.every((part) => part.isFixed), isConstant: false };
}

/** Marks the columns that the terms need. */
export function need(terms: readonly Term[]): void {
  for (const one of terms) {
    one.need?.();
    need(one.parts);
  }
}

/** A part of an ORDER BY. */
export interface SortTerm {
  readonly term: Term;
  readonly isDescending: boolean;
  readonly areNullsFirst: boolean;
}

/** @returns a negative number if the row with the keys `left` comes first, 0 if both are equal */
export function compareKeys(left: readonly Value[], right: readonly Value[], by: readonly SortTerm[]): number {
  for (const [at, { isDescending, areNullsFirst }] of by.entries()) {
    const [one, other] = [left[at]!, right[at]!];
    if (one === null || other === null) {
      if (one === other) continue;
      return (one === null) === areNullsFirst ? -1 : 1;
    }
    const sign = order(one, other);
    if (sign !== 0) return isDescending ? -sign : sign;
  }
  return 0;
}
