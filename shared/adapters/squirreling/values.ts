/** Converts cells to values of the SQL engine and back: moments and bytes become texts, which the engine can compare. */
import type { SqlPrimitive } from "squirreling";
import type { CellValue, ColumnType } from "../../core/query/table-shape.ts";
import { hex } from "../../core/model/hex.ts";
import { momentIso } from "../../core/model/moment.ts";
import type { SqlColumn, StreamedColumn } from "../../engine/ports/sql.ts";

export function engineValue(value: CellValue | undefined, type: ColumnType): SqlPrimitive {
  if (value === undefined || value === null) return null;
  if (type === "moment") return momentIso(Number(value));
  if (value instanceof Uint8Array) return hex(value);
  return typeof value === "object" ? [...value] : value;
}

export function cellOf(value: SqlPrimitive | undefined, type: StreamedColumn["type"]): CellValue {
  if (value === undefined || value === null) return null;
  if (type === "moment" && typeof value === "string") return Date.parse(value);
  if (type === "bytes" && typeof value === "string") return Uint8Array.from(Buffer.from(value, "hex"));
  if (Array.isArray(value))
    return value.map((one) => (typeof one === "number" && type === "integers" ? one : String(one))) as string[];
  if (typeof value === "object") return value instanceof Date ? value.toISOString() : JSON.stringify(value);
  return value;
}

const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d:\d\d)?)?$/i;

/**
 * Parses a moment. A text without a zone means UTC, whatever the zone of the process is.
 * @returns milliseconds since the epoch; undefined for a text that is no moment, or names a day that does not exist
 */
export function momentOf(text: string): number | undefined {
  const [, day, time = "00:00", zone = "Z"] = MOMENT.exec(text) ?? [];
  if (day === undefined || !isDay(day)) return undefined;
  const atMs = Date.parse(`${day}T${time}${zone.toUpperCase()}`);
  return Number.isNaN(atMs) ? undefined : atMs;
}

function isDay(day: string): boolean {
  const atMs = Date.parse(day);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(day);
}

/** Derives the type of a column from its values, for a column whose type the statement does not determine. */
export function typeOfValues(rows: readonly (readonly CellValue[])[], at: number): SqlColumn["type"] {
  const values = rows.map((row) => row[at]).filter((value) => value !== null && value !== undefined);
  const every = (test: (value: CellValue | undefined) => boolean): boolean => values.length > 0 && values.every(test);
  if (every((value) => typeof value === "boolean")) return "boolean";
  if (every((value) => typeof value === "bigint" || Number.isSafeInteger(value))) return "integer";
  if (every((value) => typeof value === "number" || typeof value === "bigint")) return "number";
  return every((value) => Array.isArray(value)) ? "texts" : "text";
}

const PLAIN_BYTES = 8;

/** The approximate size in bytes, in memory and in an answer. */
export function sizeOf(value: SqlPrimitive | CellValue | undefined): number {
  if (value === null || value === undefined) return 1;
  if (typeof value === "string") return value.length + PLAIN_BYTES;
  if (value instanceof Uint8Array) return value.length + PLAIN_BYTES;
  if (!Array.isArray(value)) return typeof value === "object" ? textOf(value).length : PLAIN_BYTES;
  return (value as readonly SqlPrimitive[]).reduce<number>((sum, one) => sum + sizeOf(one), PLAIN_BYTES);
}

/** Converts the value of a literal, or of a cell, to a text. */
export function textOf(value: SqlPrimitive | CellValue | undefined): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
