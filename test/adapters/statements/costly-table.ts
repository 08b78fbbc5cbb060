/** A table whose rows have a cell that is read only on request. */
import { tableShape, type CellValue } from "../../../shared/core/query/table-shape.ts";
import type { ScanRequest, SqlRow, SqlTable } from "../../../shared/engine/ports/sql.ts";

/** The rows are `{ id: 0 }`, `{ id: 1 }` and so on; their column `large` is read only on request. */
export class CostlyTable implements SqlTable {
  readonly shape = tableShape("sys_journal", "id i, large");
  readonly ordered = false;
  readonly asked: number[] = [];
  taken = 0;
  readonly #count: number;
  readonly #large: (id: number) => CellValue | Promise<CellValue>;

  constructor(count: number, large: (id: number) => CellValue | Promise<CellValue> = String) {
    this.#count = count;
    this.#large = large;
  }

  async *scan(_asked: ScanRequest): AsyncGenerator<SqlRow> {
    for (let id = 0; id < this.#count; id++) {
      this.taken++;
      yield {
        atHand: (column) => (column === "id" ? id : undefined),
        cell: (column) => {
          if (column === "id") return id;
          this.asked.push(id);
          return this.#large(id);
        },
      };
    }
  }
}
