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
} from "@uwdata/flechette";
import type { DataType } from "@uwdata/flechette";
import type { CellValue } from "../../core/query/table-shape.ts";
import type { SqlAnswer, SqlColumn } from "../../engine/ports/sql.ts";

const ROWS_PER_BATCH = 8192;

export function arrowStream({ columns, rows }: SqlAnswer): Uint8Array {
  const named = columns.map((column, at): [string, ReturnType<typeof columnFromArray>] => {
    const values = rows.map((row) => valueOf(row[at] ?? null, column.type));
    return [column.name, columnFromArray(values, dataType(column), { maxBatchRows: ROWS_PER_BATCH, useBigInt: true })];
  });
  const bytes = tableToIPC(tableFromColumns(named), { format: "stream" });
  if (bytes === null) throw new Error("the Arrow writer gave no bytes");
  return bytes;
}

function dataType({ type }: SqlColumn): DataType {
  switch (type) {
    case "text":
      return largeUtf8();
    case "boolean":
      return bool();
    case "integer":
      return int64();
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
      return list(int64());
  }
}

/** Arrow integers have 64 bits and a sign. A larger value, such as the unsigned key of a partition, keeps its lower 64 bits. */
function valueOf(value: CellValue, type: SqlColumn["type"]): unknown {
  if (value === null) return null;
  if (type === "integer") return BigInt.asIntN(64, BigInt(value as number | bigint));
  if (type === "integers") return (value as readonly number[]).map((one) => BigInt(one));
  if (type === "duration") return BigInt(value as number);
  return type === "text" ? String(value) : value;
}
