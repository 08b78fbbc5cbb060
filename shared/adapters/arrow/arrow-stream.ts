/** Encodes rows as an Arrow stream (schema, record batches, end), the format that clients of the query route read by default. */
import {
  bool,
  columnFromArray,
  duration,
  float64,
  int64,
  largeBinary,
  largeUtf8,
  list,
  tableFromColumns,
  tableToIPC,
  timestamp,
  TimeUnit,
  uint32,
  uint64,
} from "@uwdata/flechette";
import type { DataType } from "@uwdata/flechette";
import type { CellValue } from "../../core/query/table-shape.ts";
import type { SqlAnswer, SqlColumn } from "../../engine/ports/sql.ts";

const ROWS_PER_BATCH = 8192;

export function arrowStream({ columns, rows }: SqlAnswer): Uint8Array {
  const named = columns.map((column, at): [string, ReturnType<typeof columnFromArray>] => {
    const type = typeOf(column, rows, at);
    const values = rows.map((row) => valueOf(row[at] ?? null, type));
    return [column.name, columnFromArray(values, dataType(type), { maxBatchRows: ROWS_PER_BATCH, useBigInt: true })];
  });
  const bytes = tableToIPC(tableFromColumns(named), { format: "stream" });
  if (bytes === null) throw new Error("the Arrow writer gave no bytes");
  return bytes;
}

/** The type of a column. An unsigned column becomes signed if it has values that are not unsigned, as after a UNION. */
function typeOf({ type }: SqlColumn, rows: SqlAnswer["rows"], at: number): SqlColumn["type"] {
  if (type !== "uint32" && type !== "uint64") return type;
  const max = type === "uint32" ? UINT32_MAX : UINT64_MAX;
  const fits = (value: CellValue): boolean => value === null || ((value as bigint) >= 0 && (value as bigint) <= max);
  return rows.every((row) => fits(row[at] ?? null)) ? type : "integer";
}

function dataType(type: SqlColumn["type"]): DataType {
  switch (type) {
    case "text":
      return largeUtf8();
    case "boolean":
      return bool();
    case "integer":
      return int64();
    case "uint32":
      return uint32();
    case "uint64":
      return uint64();
    case "number":
      return float64();
    case "moment":
      return timestamp(TimeUnit.MILLISECOND, "+00:00");
    case "duration":
      return duration(TimeUnit.MILLISECOND);
    case "bytes":
      return largeBinary();
    case "texts":
      return list(largeUtf8());
    case "integers":
      return list(uint32());
  }
}

const UINT32_MAX = 2n ** 32n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;

/** Integers become 64 bits. A value beyond the signed 64 bits keeps its lower 64 bits, unless its column is unsigned. */
function valueOf(value: CellValue, type: SqlColumn["type"]): unknown {
  if (value === null) return null;
  if (type === "integer") return BigInt.asIntN(64, BigInt(value as number | bigint));
  if (type === "uint64") return BigInt(value as number | bigint);
  if (type === "duration") return BigInt(value as number);
  return type === "text" ? String(value) : value;
}
