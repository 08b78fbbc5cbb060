/** The shape of a table for SQL queries: its columns in order, with their types. */

/**
 * The type of a column. A `moment` is in epoch milliseconds, a `duration` in milliseconds. `bytes` are raw. An `integer` has 64
 * bits and a sign; an `integer` or a `uint64` beyond 2^53 may be a bigint. `integers` are unsigned and have 32 bits each. The SQL
 * layer formats the values of each type.
 */
export type ColumnType =
  | "text"
  | "boolean"
  | "integer"
  | "uint32"
  | "uint64"
  | "moment"
  | "duration"
  | "bytes"
  | "texts"
  | "integers";

export function isInteger(type: ColumnType | undefined): type is "integer" | "uint32" | "uint64" {
  return type === "integer" || type === "uint32" || type === "uint64";
}

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
  u32: "uint32",
  u64: "uint64",
  t: "moment",
  d: "duration",
  bin: "bytes",
  "[s]": "texts",
  "[u32]": "integers",
};

/** The names of the types in `information_schema.columns`. Clients that read Arrow know the types by these names. */
const DATA_TYPES: Readonly<Record<ColumnType, string>> = {
  text: "LargeUtf8",
  boolean: "Boolean",
  integer: "Int64",
  uint32: "UInt32",
  uint64: "UInt64",
  moment: 'Timestamp(Millisecond, Some("+00:00"))',
  duration: "Duration(Millisecond)",
  bytes: "LargeBinary",
  texts: "List(LargeUtf8)",
  integers: "List(UInt32)",
};

export function dataTypeOf({ type }: Pick<Column, "type">): string {
  return DATA_TYPES[type];
}

/** @param columns `name type` pairs separated by commas; a name without a type is text */
export function tableShape(name: string, columns: string): TableShape {
  const pairs = columns.split(",").map((pair) => pair.trim().split(/\s+/));
  return {
    name,
    columns: pairs.map(([column = "", type = "s"]) => ({ name: column, type: TYPES[type] ?? "text" })),
  };
}
