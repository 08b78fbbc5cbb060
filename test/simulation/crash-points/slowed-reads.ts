/** A table whose reads of single partitions take time, as under load. */
import type { Clock } from "../../../shared/engine/ports/clock.ts";
import type { Table } from "../../../shared/engine/ports/table.ts";

export function slowedReads(table: Table, clock: Clock, readMs: number): Table {
  const late = async <T>(read: () => Promise<T>): Promise<T> => {
    await clock.sleep(readMs);
    return await read();
  };
  return {
    ...table,
    get: (key) => late(() => table.get(key)),
    getMany: (keys) => late(() => table.getMany(keys)),
    query: (pk, range) => late(() => table.query(pk, range)),
  };
}
