/** Runs SQL statements over the tables of an engine, as the admin API does. */
import { SquirrelingSql } from "../../../shared/adapters/squirreling/squirreling-sql.ts";
import { query } from "../../../shared/engine/query/query-tables.ts";
import type { Actor } from "./engine-fixture.ts";

/** @returns rows as objects, without the cells that have no value */
export async function rowsOf({ engine }: Pick<Actor, "engine">, statement: string): Promise<Record<string, unknown>[]> {
  const { columns, rows } = await query(engine, new SquirrelingSql(() => engine.clock.nowMs()), statement);
  return rows.map((row) =>
    Object.fromEntries(columns.map(({ name }, i) => [name, row[i]]).filter(([, value]) => value !== null)),
  );
}
