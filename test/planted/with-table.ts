/** Replaces calls of an engine's table, for planted mistakes. */
import type { Engine } from "../../shared/engine/engine.ts";
import type { Table } from "../../shared/engine/ports/table.ts";

/** @param change the calls that differ; the table keeps the others, which stay bound to it */
export function withTable(engine: Engine, change: Partial<Table>): Engine {
  const { get, getMany, query, queryIndex, partitions, put, update, delete: remove, transact } = engine.table;
  const kept: Table = { get, getMany, query, queryIndex, partitions, put, update, delete: remove, transact };
  return { ...engine, table: { ...kept, ...change } };
}
