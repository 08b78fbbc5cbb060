/** The tables of a statement as its evaluator sees them: their rows come in batches from the parent process. */
import type { CellValue, TableShape } from "../../core/query/table-shape.ts";
import { SqlError, type ScanRequest, type SqlRow, type SqlTable } from "../../engine/ports/sql.ts";
import type { CellAsked, Failure, FromEvaluator, ToEvaluator } from "./messages.ts";

/** An error that a table threw in the parent process. */
export class TableFailure extends Error {
  override name = "TableFailure";
  readonly kept: number;
  constructor(kept: number) {
    super("a table of the statement failed");
    this.kept = kept;
  }
}

type Rows = Extract<ToEvaluator, { kind: "rows" }>;

interface Waiting<Value> {
  resolve(value: Value): void;
  reject(error: Error): void;
}

/** If a batch has at least this many rows, the next batch is requested before these rows are used. */
const AHEAD_FROM = 500;

/** All scans of one evaluator, over one channel. */
export class RemoteTables {
  readonly #send: (message: FromEvaluator) => void;
  readonly #rows = new Map<number, Waiting<Rows>>();
  readonly #cells = new Map<number, Waiting<CellValue>>();
  /** Reports the batches whose rows no part of a statement refers to any more. */
  readonly #unused = new FinalizationRegistry<Omit<Extract<FromEvaluator, { kind: "release" }>, "kind">>((rows) =>
    this.#send({ kind: "release", ...rows }),
  );
  #asked: CellAsked[] = [];
  #count = 0;

  constructor(send: (message: FromEvaluator) => void) {
    this.#send = send;
  }

  table({ shape, ordered }: { readonly shape: TableShape; readonly ordered: boolean }): SqlTable {
    return { shape, ordered, scan: (asked) => this.#scan(shape, asked) };
  }

  receive(message: ToEvaluator): void {
    switch (message.kind) {
      case "rows":
        return this.#rows.get(message.scan)?.resolve(message);
      case "scan-failed":
        return this.#rows.get(message.scan)?.reject(errorOf(message.failure));
      case "cell":
        this.#cells.get(message.cell)?.resolve(message.value);
        break;
      case "cell-failed":
        this.#cells.get(message.cell)?.reject(errorOf(message.failure));
        break;
      default:
        return;
    }
    this.#cells.delete(message.cell);
  }

  async *#scan({ name: table, columns: all }: TableShape, asked: ScanRequest): AsyncGenerator<SqlRow> {
    const { narrowing, order, columns = all.map(({ name }) => name) } = asked;
    const scan = ++this.#count;
    const at = new Map(columns.map((column, place) => [column, place]));
    this.#send({ kind: "scan", scan, table, narrowing, columns, ...(order && { order }) });
    try {
      let ahead: Promise<Rows> | undefined;
      for (let isLast = false; !isLast;) {
        const batch = await (ahead ?? this.#next(scan));
        isLast = batch.isLast;
        // A statement that has read this many rows is likely to read more, so both processes work at the same time.
        ahead = isLast || batch.rows.length < AHEAD_FROM ? undefined : this.#next(scan);
        ahead?.catch(() => undefined);
        const isWhole = batch.rows.every((cells) => !cells.includes(undefined));
        if (!isWhole) this.#unused.register(batch, { scan, first: batch.first, count: batch.rows.length });
        for (const [place, cells] of batch.rows.entries()) {
          const row = batch.first + place;
          yield {
            atHand: (column) => cells[at.get(column)!],
            cell: (column) => {
              // A row refers to its batch, so that the batch is in use as long as one of its rows is.
              const value = (batch.rows[place] ?? cells)[at.get(column)!];
              return value === undefined ? this.#cell({ scan, row, column: at.get(column)! }) : value;
            },
          };
        }
      }
    } finally {
      this.#rows.delete(scan);
      this.#send({ kind: "end-scan", scan });
    }
  }

  #next(scan: number): Promise<Rows> {
    return new Promise((resolve, reject) => {
      this.#rows.set(scan, { resolve, reject });
      this.#send({ kind: "next", scan });
    });
  }

  /** One message carries all requests of one turn, so that the parent reads the requested cells together. */
  #cell(place: Omit<CellAsked, "cell">): Promise<CellValue> {
    const cell = ++this.#count;
    if (this.#asked.push({ cell, ...place }) === 1) queueMicrotask(() => this.#ask());
    return new Promise((resolve, reject) => void this.#cells.set(cell, { resolve, reject }));
  }

  #ask(): void {
    const asked = this.#asked;
    this.#asked = [];
    this.#send({ kind: "cells", asked });
  }
}

function errorOf(failure: Failure): Error {
  switch (failure.of) {
    case "statement":
      return new SqlError(failure.kind, failure.message);
    case "table":
      return new TableFailure(failure.kept);
    case "evaluator":
      return new Error(failure.message);
  }
}
