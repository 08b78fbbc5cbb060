/** Reads the tables of one statement for its evaluator, which requests batches of rows, and later single expensive cells. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { CellValue } from "../../core/query/table-shape.ts";
import { SqlError, type SqlRow, type SqlTable } from "../../engine/ports/sql.ts";
import type { CellAsked, Failure, FromEvaluator, ToEvaluator } from "./messages.ts";

/** The first batch is this small, because a LIMIT may need few rows. Each later batch at most doubles the number of rows sent. */
const FIRST_ROWS = 8;
const ROWS_MAX = 4_000;
const BATCH_BYTES = 512 * 1024;
/** After this time the feed sends the rows that it has, so that slow reads do not delay an answer that is sent in pieces. */
const BATCH_MAX_MS = 50;
const PLAIN_BYTES = 8;
/** The limit of rows that are kept because an evaluator may request more of their cells. A row takes some 500 bytes here. */
export const KEPT_MAX = 300_000;

interface Scan {
  readonly columns: readonly string[];
  readonly rows: AsyncIterator<SqlRow>;
  /** Rows with cells that the evaluator may request later, by row number. */
  readonly kept: Map<number, SqlRow>;
  given: number;
  /** An error of the table; it is sent after the rows that came before it. */
  failure?: Failure;
}

export class TableFeed {
  readonly #tables: ReadonlyMap<string, SqlTable>;
  /** Resolves when the system has taken the message. */
  readonly #send: (message: ToEvaluator) => Promise<void>;
  readonly #scans = new Map<number, Scan>();
  readonly #errors: unknown[] = [];
  #isUnused = true;

  constructor(tables: readonly SqlTable[], send: (message: ToEvaluator) => Promise<void>) {
    this.#tables = new Map(tables.map((table) => [table.shape.name, table]));
    this.#send = send;
  }

  receive(message: FromEvaluator): void {
    if (message.kind === "scan") this.#open(message);
    else if (message.kind === "next") void this.#next(message.scan);
    else if (message.kind === "end-scan") this.#end(message.scan);
    else if (message.kind === "release") this.#release(message);
    else if (message.kind === "cells") void this.#cells(message.asked);
  }

  /** True if the statement has read no table. */
  get isUnused(): boolean {
    return this.#isUnused;
  }

  /** @returns the error with this number, which a table threw */
  keptError(number: number): unknown {
    return this.#errors[number];
  }

  /** Stops reading. */
  close(): void {
    for (const scan of this.#scans.keys()) this.#end(scan);
    this.#scans.clear();
  }

  #open({ scan, table, narrowing, order, columns }: Extract<FromEvaluator, { kind: "scan" }>): void {
    this.#isUnused = false;
    const rows = this.#tables.get(table)!.scan({ narrowing, columns, ...(order && { order }) });
    this.#scans.set(scan, { columns, rows: rows[Symbol.asyncIterator](), kept: new Map(), given: 0 });
  }

  /** After the end of a scan the evaluator may still request cells of the scanned rows, to sort or group them. */
  #end(number: number): void {
    const scan = this.#scans.get(number);
    if (scan?.kept.size === 0) this.#scans.delete(number);
    scan?.rows.return?.().catch(() => undefined);
  }

  #release({ scan: number, first, count }: Extract<FromEvaluator, { kind: "release" }>): void {
    const kept = this.#scans.get(number)?.kept;
    for (let row = first; row < first + count; row++) {
      kept?.get(row)?.release?.();
      kept?.delete(row);
    }
  }

  async #next(number: number): Promise<void> {
    const scan = this.#scans.get(number);
    if (scan === undefined) return;
    const first = scan.given;
    const rows: (CellValue | undefined)[][] = [];
    const most = Math.min(Math.max(first, FIRST_ROWS), ROWS_MAX);
    let isLast = false;
    try {
      const untilMs = performance.now() + BATCH_MAX_MS;
      const isFull = (bytes: number): boolean =>
        rows.length >= most || bytes >= BATCH_BYTES || (rows.length > 0 && performance.now() > untilMs);
      for (let bytes = 0; !isFull(bytes) && scan.failure === undefined;) {
        const { value, done } = await scan.rows.next();
        if (done === true) {
          isLast = true;
          break;
        }
        bytes += this.#add(rows, scan, value);
      }
    } catch (error) {
      scan.failure = this.#failureOf(error);
    }
    if (scan.failure !== undefined && rows.length === 0)
      await this.#send({ kind: "scan-failed", scan: number, failure: scan.failure });
    else await this.#send({ kind: "rows", scan: number, first, rows, isLast });
  }

  /** @returns the approximate size of the row in bytes */
  #add(rows: (CellValue | undefined)[][], scan: Scan, row: SqlRow): number {
    const cells = scan.columns.map((column) => atHand(row, column));
    rows.push(cells);
    if (cells.includes(undefined)) this.#keep(scan, row);
    else row.release?.();
    scan.given += 1;
    return cells.reduce<number>((sum, cell) => sum + sizeOf(cell), 0);
  }

  #keep({ kept, given }: Scan, row: SqlRow): void {
    kept.set(given, row);
    if (kept.size > KEPT_MAX)
      throw new SqlError(
        "refused",
        `the statement keeps more than ${KEPT_MAX} rows whose cells are not all read; narrow it by WHERE, or ask for fewer columns`,
      );
  }

  /**
   * Reads the cells that come from the store concurrently. This process computes the other cells one after the other, and other
   * work gets the thread after each of them.
   */
  async #cells(asked: readonly CellAsked[]): Promise<void> {
    for (const { cell, scan, row, column } of asked) {
      const from = this.#scans.get(scan);
      if (from === undefined) return;
      try {
        const value = from.kept.get(row)!.cell(from.columns[column]!);
        if (value instanceof Promise) void this.#later(cell, value);
        else {
          await this.#send({ kind: "cell", cell, value: value ?? null });
          await nextTurn();
        }
      } catch (error) {
        await this.#send({ kind: "cell-failed", cell, failure: this.#failureOf(error) });
      }
    }
  }

  async #later(cell: number, value: Promise<CellValue | undefined>): Promise<void> {
    try {
      await this.#send({ kind: "cell", cell, value: (await value) ?? null });
    } catch (error) {
      await this.#send({ kind: "cell-failed", cell, failure: this.#failureOf(error) });
    }
  }

  #failureOf(error: unknown): Failure {
    if (error instanceof SqlError) return { of: "statement", kind: error.kind, message: error.message };
    return { of: "table", kept: this.#errors.push(error) - 1 };
  }
}

function atHand(row: SqlRow, column: string): CellValue | undefined {
  if (row.atHand !== undefined) return row.atHand(column);
  const value = row.cell(column);
  return value instanceof Promise ? undefined : (value ?? null);
}

function sizeOf(cell: CellValue | undefined): number {
  if (typeof cell === "string" || cell instanceof Uint8Array) return PLAIN_BYTES + cell.length;
  if (!Array.isArray(cell)) return PLAIN_BYTES;
  return cell.reduce<number>((sum, one) => sum + sizeOf(one as string | number), PLAIN_BYTES);
}
