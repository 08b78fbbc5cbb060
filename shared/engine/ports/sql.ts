/** The port of SQL, which runs one statement over tables of rows and answers with columns and rows. */
import type { Narrowing } from "../../core/query/narrowing.ts";
import type { CellValue, ColumnType, TableShape } from "../../core/query/table-shape.ts";

/** A row of a table. Cells that an index contains are available at once. Other cells are read on request. */
export interface SqlRow {
  cell(column: string): CellValue | undefined | Promise<CellValue | undefined>;
  /**
   * Returns the cell; null if the cell has no value; undefined if the cell costs a read or much work. A row whose cells are all
   * in memory lacks this method.
   */
  atHand?(column: string): CellValue | undefined;
  /** Called when the statement will ask for no more cells of this row. */
  release?(): void;
}

export interface ScanRequest {
  /** A hint. `scan` may return other rows as well, because the SQL engine filters every row again. */
  readonly narrowing: Narrowing;
  /** The order of rows: by `created_at`, then by `id`. Set only for tables that are `ordered`. */
  readonly order?: "newest-first" | "oldest-first";
  /** The columns whose cells the statement may read; all columns if absent. */
  readonly columns?: readonly string[];
}

export interface SqlTable {
  readonly shape: TableShape;
  /** True if the table can return rows in the order of a `ScanRequest`. */
  readonly ordered: boolean;
  scan(asked: ScanRequest): AsyncIterable<SqlRow>;
}

export interface SqlColumn {
  readonly name: string;
  readonly type: ColumnType | "number";
}

export type SqlCells = readonly CellValue[];

/** The rows of a statement, which are evaluated while the reader takes them. */
export interface SqlRows {
  readonly columns: readonly SqlColumn[];
  /** Small groups of rows, each with its cells in the order of the columns. @throws SqlError */
  readonly groups: AsyncIterable<readonly SqlCells[]>;
}

export interface SqlAnswer {
  readonly columns: readonly SqlColumn[];
  /** Cells in the order of the columns. */
  readonly rows: readonly SqlCells[];
}

/** An answer in its written form, whose later pieces are evaluated while the reader takes them. */
export interface WrittenAnswer {
  /** The first piece. */
  readonly body: Uint8Array;
  /**
   * The other pieces, which can be iterated once; absent if there are none. The iteration throws if the statement fails, and
   * `return` of its iterator ends the statement.
   */
  readonly rest?: AsyncIterable<Uint8Array>;
}

/** The bounds of one run, set by its caller. */
export interface SqlRun {
  /** Aborts when the client has left. */
  readonly signal?: AbortSignal;
  /** The deadline of the answer, in epoch milliseconds. */
  readonly untilMs?: number;
}

export interface Sql<Answer = SqlAnswer> {
  /** @throws SqlError if the statement cannot be parsed or answered; errors of a table pass through */
  run(statement: string, tables: readonly SqlTable[], run?: SqlRun): Promise<Answer>;
}

/**
 * `syntax`: the statement cannot be parsed, or uses an unsupported feature. `unknown`: it names an unknown table or column.
 * `refused`: it exceeds a limit, such as that of reads, memory or time. `busy`: the statement is valid, and may be answered
 * later. `gone`: the client has left.
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
