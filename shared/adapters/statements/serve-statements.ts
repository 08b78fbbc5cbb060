/** Runs statements in the evaluator: requests rows from the parent process, and sends the answer piece by piece. */
import {
  SqlError,
  type SqlCells,
  type SqlRows,
  type SqlTable,
  type SqlColumn,
  type ScanRequest,
  type SqlRow,
} from "../../engine/ports/sql.ts";
import type { AnswerForm, Failure, FromEvaluator, ToEvaluator, CellAsked } from "./messages.ts";
import type { CellValue, TableShape } from "../../core/query/table-shape.ts";

/** Writes rows in one format. @returns the next piece of the answer */
export type AnswerWriter = (rows: readonly SqlCells[], isLast: boolean) => Uint8Array;

export interface Evaluation {
  readonly evaluate: (
    statement: string,
    tables: readonly SqlTable[],
    asked: { readonly nowMs: number; readonly isWhole: boolean },
  ) => SqlRows;
  readonly write: Readonly<Record<AnswerForm, (columns: readonly SqlColumn[]) => AnswerWriter>>;
}

/** The channel to the parent process. */
export interface Channel {
  /** Resolves when the operating system has taken the message. A sender that awaits the promise keeps few messages in memory. */
  send(message: FromEvaluator): Promise<void>;
  onMessage(receive: (message: ToEvaluator) => void): void;
}

const PIECE_BYTES = 256 * 1024;
/** The evaluator pauses while this many of the pieces that it sent wait for the parent to take them. */
const UNTAKEN_MAX = 2;
/** A piece ends at the first of these limits. The wait is short, so the client of a slow statement soon gets small pieces. */
const GATHERED = { sizeMaxBytes: PIECE_BYTES, rowsMax: 8192, waitMaxMs: 100 };

type Run = Extract<ToEvaluator, { kind: "run" }>;

export function serveStatements(channel: Channel, evaluation: Evaluation): void {
  const tables = new RemoteTables((message) => void channel.send(message));
  let room = new Room();
  channel.onMessage((message) => {
    if (message.kind === "run") void answer(channel, evaluation, tables, message, (room = new Room()));
    else if (message.kind === "taken") room.give();
    else tables.receive(message);
  });
  void channel.send({ kind: "ready" });
}

async function answer(
  channel: Channel,
  { evaluate, write }: Evaluation,
  remote: RemoteTables,
  { statement, form, tables, nowMs, wholeMaxBytes }: Run,
  room: Room,
): Promise<void> {
  try {
    const remotes = tables.map((table) => remote.table(table));
    const rows = evaluate(statement, remotes, { nowMs, isWhole: wholeMaxBytes !== undefined });
    const written = write[form](rows.columns);
    let given = 0;
    for await (const group of gathered(rows.groups, GATHERED)) {
      const bytes = written(group.rows, group.isLast);
      given += bytes.length;
      if (given > (wholeMaxBytes ?? Infinity)) throw tooLarge(wholeMaxBytes!);
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        await room.take();
        const isLast = group.isLast && at + PIECE_BYTES >= bytes.length;
        await channel.send({ kind: "piece", bytes: bytes.subarray(at, at + PIECE_BYTES), isLast });
      }
    }
  } catch (error) {
    await channel.send({ kind: "failed", failure: failureOf(error) });
  }
}

/** The room for pieces that the parent has not taken. */
class Room {
  #left = UNTAKEN_MAX;
  #waiting: (() => void) | undefined;

  async take(): Promise<void> {
    if (this.#left === 0) await new Promise<void>((resolve) => (this.#waiting = resolve));
    this.#left -= 1;
  }

  give(): void {
    this.#left += 1;
    this.#waiting?.();
    this.#waiting = undefined;
  }
}

function tooLarge(maxBytes: number): SqlError {
  return new SqlError(
    "refused",
    `the answer has more than ${maxBytes} bytes, and here it can be sent only as a whole; ask for fewer columns, or add a LIMIT`,
  );
}

function failureOf(error: unknown): Failure {
  if (error instanceof SqlError) return { of: "statement", kind: error.kind, message: error.message };
  if (error instanceof TableFailure) return { of: "table", kept: error.kept };
  return { of: "evaluator", message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/**
 * Gathers small groups of rows into one piece of an answer, until the piece is large enough or its first row has waited long
 * enough.
 */
interface GatherLimits {
  /** The approximate size of the rows of one piece. */
  readonly sizeMaxBytes: number;
  readonly rowsMax: number;
  /** How long a row waits for further rows. */
  readonly waitMaxMs: number;
}

interface Gathered {
  readonly rows: readonly SqlCells[];
  readonly isLast: boolean;
}

const CELL_BYTES = 8;

/** The last piece may have no rows. */
async function* gathered(groups: SqlRows["groups"], limits: GatherLimits): AsyncGenerator<Gathered> {
  const source = groups[Symbol.asyncIterator]();
  let rows: SqlCells[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let due: Promise<"due"> | undefined;
  const taken = (isLast: boolean): Gathered => {
    clearTimeout(timer);
    const all = { rows, isLast };
    [rows, bytes, due] = [[], 0, undefined];
    return all;
  };
  try {
    let next = source.next();
    for (;;) {
      const come = await (due === undefined ? next : Promise.race([next, due]));
      if (come === "due") {
        yield taken(false);
        continue;
      }
      if (come.done === true) return yield taken(true);
      rows.push(...come.value);
      bytes += come.value.reduce((sum, row) => sum + sizeOf(row), 0);
      due ??= new Promise((resolve) => (timer = setTimeout(() => resolve("due"), limits.waitMaxMs)));
      if (bytes >= limits.sizeMaxBytes || rows.length >= limits.rowsMax) yield taken(false);
      next = source.next();
    }
  } finally {
    clearTimeout(timer);
    await source.return?.();
  }
}

function sizeOf(row: SqlCells): number {
  return row.reduce<number>((sum, cell) => sum + (typeof cell === "object" ? objectSize(cell) : plainSize(cell)), 0);
}

function plainSize(cell: string | number | bigint | boolean): number {
  return typeof cell === "string" ? CELL_BYTES + cell.length : CELL_BYTES;
}

function objectSize(cell: Extract<SqlCells[number], object | null>): number {
  if (cell === null) return 1;
  if (cell instanceof Uint8Array) return CELL_BYTES + cell.length;
  return cell.reduce<number>((sum, one) => sum + plainSize(one), CELL_BYTES);
}

/** An error that a table threw in the parent process. */
class TableFailure extends Error {
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
class RemoteTables {
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
