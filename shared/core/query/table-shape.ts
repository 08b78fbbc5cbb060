/** The shape of a table for SQL queries: its columns in order, with their types. */

/**
 * The type of a column. A `moment` is in epoch milliseconds, a `duration` in milliseconds. `bytes` are raw. An `integer`
 * beyond 2^53 may be a bigint. The SQL layer formats the values of each type.
 */
export type ColumnType = "text" | "boolean" | "integer" | "moment" | "duration" | "bytes" | "texts" | "integers";

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

export interface TableShape {
  readonly name: string;
  readonly columns: readonly Column[];
}

export type CellValue = string | number | bigint | boolean | Uint8Array | readonly string[] | readonly number[] | null;

const TYPES: Readonly<Record<string, ColumnType>> = {
  s: "text",
  b: "boolean",
  i: "integer",
  t: "moment",
  d: "duration",
  bin: "bytes",
  "[s]": "texts",
  "[i]": "integers",
};

/** @param columns `name type` pairs separated by commas; a name without a type is text */
export function tableShape(name: string, columns: string): TableShape {
  const pairs = columns.split(",").map((pair) => pair.trim().split(/\s+/));
  return {
    name,
    columns: pairs.map(([column = "", type = "s"]) => ({ name: column, type: TYPES[type] ?? "text" })),
  };
}
