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
  type DataType,
} from "@uwdata/flechette";
import type { CellValue } from "../../core/query/table-shape.ts";
import type { SqlCells, SqlColumn } from "../../engine/ports/sql.ts";

/** The end mark of a stream. */
const END_BYTES = 8;
/** A message begins with a mark and the length of its head, of four bytes each. */
const MESSAGE_START_BYTES = 8;

/** @returns a function that writes the next rows of the answer as one record batch */
export function arrowWriter(columns: readonly SqlColumn[]): (rows: readonly SqlCells[], isLast: boolean) => Uint8Array {
  let isFirst = true;
  return (rows, isLast) => {
    const stream = streamOf(columns, rows);
    const from = isFirst ? 0 : schemaBytes(stream);
    isFirst = false;
    return stream.subarray(from, stream.length - (isLast ? 0 : END_BYTES));
  };
}

/** A whole stream with one batch: the Arrow package can write a batch only as a part of a whole stream. */
function streamOf(columns: readonly SqlColumn[], rows: readonly SqlCells[]): Uint8Array {
  const named = columns.map(({ name, type }, at): [string, ReturnType<typeof columnFromArray>] => {
    const values = rows.map((row) => valueOf(row[at] ?? null, type));
    return [name, columnFromArray(values, dataType(type), { maxBatchRows: Math.max(1, rows.length), useBigInt: true })];
  });
  const bytes = tableToIPC(tableFromColumns(named), { format: "stream" });
  if (bytes === null) throw new Error("the Arrow writer gave no bytes");
  return bytes;
}

/** The length of the first message, the schema, which has no body. */
function schemaBytes(stream: Uint8Array): number {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  return MESSAGE_START_BYTES + view.getInt32(4, true);
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

/** Integers become 64 bits. A value beyond the signed 64 bits keeps its lower 64 bits, unless its column is unsigned. */
function valueOf(value: CellValue, type: SqlColumn["type"]): unknown {
  if (value === null) return null;
  if (type === "integer") return BigInt.asIntN(64, BigInt(value as number | bigint));
  if (type === "uint64") return BigInt(value as number | bigint);
  if (type === "duration") return BigInt(value as number);
  return type === "text" ? String(value) : value;
}
