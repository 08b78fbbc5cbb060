/** A table in memory that records its scans, for tests of SQL statements. */
import { tableShape, type CellValue } from "../../../shared/core/query/table-shape.ts";
import type { ScanRequest, SqlTable } from "../../../shared/engine/ports/sql.ts";

export class MemorySqlTable implements SqlTable {
  readonly shape;
  readonly ordered: boolean;
  readonly scans: ScanRequest[] = [];
  /** The number of rows that were taken; `read` lists the cells that were read. */
  taken = 0;
  readonly read: string[] = [];
  readonly #rows: readonly Readonly<Record<string, CellValue>>[];

  constructor(
    name: string,
    columns: string,
    rows: readonly Readonly<Record<string, CellValue>>[],
    { ordered = false } = {},
  ) {
    this.shape = tableShape(name, columns);
    this.ordered = ordered;
    this.#rows = rows;
  }

  async *scan(asked: ScanRequest) {
    this.scans.push(asked);
    const sign = asked.order === "newest-first" ? -1 : 1;
    const rows =
      asked.order === undefined
        ? this.#rows
        : this.#rows.toSorted((a, b) => sign * (Number(a["created_at"]) - Number(b["created_at"])));
    for (const row of rows) {
      this.taken++;
      yield {
        cell: (column: string) => {
          this.read.push(column);
          return row[column];
        },
      };
    }
  }
}
