/** Runs SQL statements over the tables of an engine, as the admin API does. */
import { SqlEngine } from "../../../shared/adapters/sql/sql-engine.ts";
import { query } from "../../../shared/engine/query/query-tables.ts";
import type { Actor } from "./engine-fixture.ts";

/** @returns rows as objects, without the cells that have no value */
export async function rowsOf({ engine }: Pick<Actor, "engine">, statement: string): Promise<Record<string, unknown>[]> {
  const { columns, rows } = await query(engine, new SqlEngine(() => engine.clock.nowMs()), statement);
  return rows.map((row) =>
    Object.fromEntries(columns.map(({ name }, i) => [name, row[i]]).filter(([, value]) => value !== null)),
  );
}
