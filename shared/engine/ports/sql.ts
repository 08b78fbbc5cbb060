/** The port of the SQL front: it reads one statement, asks the tables for rows, and answers with columns and rows. */
import type { Narrowing } from "../../core/query/narrowing.ts";
import type { CellValue, ColumnType, TableShape } from "../../core/query/table-shape.ts";

/** Cells that an index shows are there at once; what has to be read for is read when it is asked for. */
export interface SqlRow {
  cell(column: string): CellValue | undefined | Promise<CellValue | undefined>;
  /** The cell, null if it has no value, or undefined if it costs a read or much work. Absent if no cell does. */
  atHand?(column: string): CellValue | undefined;
}

export interface ScanRequest {
  /** Rows that it leaves out may come all the same: the front looks at every row again. */
  readonly narrowing: Narrowing;
  /** Set where rows must come by `created_at`, those of one moment by `id`; only for tables that are `ordered`. */
  readonly order?: "newest-first" | "oldest-first";
  /** The columns whose cells the statement may read; all columns if absent. */
  readonly columns?: readonly string[];
}

export interface SqlTable {
  readonly shape: TableShape;
  /** Whether it can give its rows in the order of a `ScanRequest`. */
  readonly ordered: boolean;
  scan(asked: ScanRequest): AsyncIterable<SqlRow>;
}

export interface SqlColumn {
  readonly name: string;
  readonly type: ColumnType | "number";
}

export interface SqlAnswer {
  readonly columns: readonly SqlColumn[];
  /** Cells in the order of the columns. */
  readonly rows: readonly (readonly CellValue[])[];
}

/** The bounds of one run, set by its caller. */
export interface SqlRun {
  /** Aborts when the client has left. */
  readonly signal?: AbortSignal;
  /** The deadline of the answer, in epoch milliseconds. */
  readonly untilMs?: number;
}

export interface Sql<Answer = SqlAnswer> {
  /** @throws SqlError where the statement cannot be read or answered; what a table throws passes through */
  run(statement: string, tables: readonly SqlTable[], run?: SqlRun): Promise<Answer>;
}

/**
 * `syntax`: the statement cannot be parsed, or uses an unsupported feature. `unknown`: it names an unknown table or column.
 * `refused`: it would take too much. `busy`: the statement is valid, and may be answered later. `gone`: the client has left.
 */
export type SqlErrorKind = "syntax" | "unknown" | "refused" | "busy" | "gone";

export class SqlError extends Error {
  override name = "SqlError";
  readonly kind: SqlErrorKind;
  constructor(kind: SqlErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
