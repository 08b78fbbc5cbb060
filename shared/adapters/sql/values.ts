/**
 * The values of expressions. A moment is a number of milliseconds since the epoch, a duration a number of milliseconds. Bytes are
 * texts of hexadecimal digits.
 */
import { hex } from "../../core/model/hex.ts";
import { momentIso } from "../../core/model/moment.ts";
import { type CellValue, type ColumnType, isInteger } from "../../core/query/table-shape.ts";
import { type SqlColumn, SqlError } from "../../engine/ports/sql.ts";

export type Value = string | number | bigint | boolean | readonly string[] | readonly number[] | null;
export type Known = NonNullable<Value>;

/** The type of an expression; `null` if it is NULL for each row. */
export type Type = SqlColumn["type"] | "null";

export function isNumeric(type: Type): boolean {
  return type === "number" || isInteger(type as ColumnType);
}

export function isList(type: Type): boolean {
  return type === "texts" || type === "integers";
}

export function valueOf(cell: CellValue | undefined, type: ColumnType): Value {
  if (cell === undefined || cell === null) return null;
  if (type === "moment") return Number(cell);
  return cell instanceof Uint8Array ? hex(cell) : cell;
}

export function cellOf(value: Value, type: Type): CellValue {
  return type === "bytes" && typeof value === "string" ? Uint8Array.from(Buffer.from(value, "hex")) : value;
}

export function textOf(value: Known, type: Type = "text"): string {
  if (type === "moment") return momentIso(Number(value));
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const PLAIN_BYTES = 8;

/** The approximate size in bytes, in memory and in an answer. */
export function sizeOf(value: CellValue): number {
  if (value === null) return 1;
  if (typeof value === "string" || value instanceof Uint8Array) return value.length + PLAIN_BYTES;
  return typeof value === "object" ? value.reduce<number>((sum, one) => sum + sizeOf(one), PLAIN_BYTES) : PLAIN_BYTES;
}

/** A text that is equal for two lists of values if, and only if, the values are equal. */
export function keyOf(values: readonly Value[]): string {
  let key = "";
  for (const value of values) {
    if (typeof value === "string") key += `${value.length}'${value}`;
    else if (typeof value === "object" && value !== null) key += `[${keyOf(value)}]`;
    else key += `${value},`;
  }
  return key;
}

/** A key of a map or a set that is the same for two lists of values if, and only if, the values are equal. */
export function hashKey(values: readonly Value[]): Value {
  const [first] = values;
  if (values.length !== 1 || first === undefined || Array.isArray(first)) return keyOf(values);
  return typeof first === "bigint" && Number.isSafeInteger(Number(first)) ? Number(first) : first;
}

/** Compares integers exactly, also if one of them is beyond 2^53. */
export function isEqual(left: Known, right: Known): boolean {
  if (left === right || typeof left === typeof right) return left === right;
  return Number(left) === Number(right) && BigInt(left as number) === BigInt(right as number);
}

/** @returns a negative number if `left` comes first, 0 if both are equal */
export function order(left: Known, right: Known): number {
  if (left < right) return -1;
  return left > right ? 1 : 0;
}

const SHOWN_MAX = 100;

export function noValue(value: Known, what: string): SqlError {
  return new SqlError("syntax", `'${textOf(value).slice(0, SHOWN_MAX)}' is no ${what}`);
}

const INTEGER = /^\s*[+-]?\d{1,40}\s*$/;
const INTEGER_MAX = 2n ** 63n;

/** Cuts the fraction of a number, as DataFusion does; a text with a fraction is no integer. The result has 64 bits. */
export function integerOf(value: Known): Value {
  if (typeof value === "boolean") return value ? 1 : 0;
  const isNumber = typeof value === "number" && Number.isFinite(value);
  const isText = typeof value === "string" && INTEGER.test(value);
  if (!isNumber && !isText && typeof value !== "bigint") throw noValue(value, "integer");
  const whole = isNumber ? BigInt(Math.trunc(value)) : BigInt(textOf(value).trim().replace(/^\+/, ""));
  if (whole >= INTEGER_MAX || whole < -INTEGER_MAX) throw noValue(value, "integer of 64 bits");
  return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole;
}

export function numberOf(value: Known): number {
  const isNumber = typeof value === "number" || typeof value === "bigint" || typeof value === "boolean";
  const number = isNumber || (typeof value === "string" && value.trim() !== "") ? Number(value) : NaN;
  if (Number.isNaN(number)) throw noValue(value, "number");
  return number;
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...["true", "t", "yes", "y", "on", "1"].map((word) => [word, true] as const),
  ...["false", "f", "no", "n", "off", "0"].map((word) => [word, false] as const),
]);

export function booleanOf(value: Known): boolean {
  if (typeof value === "boolean") return value;
  if (typeof value === "number" || typeof value === "bigint") return Number(value) !== 0;
  const known = BOOLEANS.get(textOf(value).trim().toLowerCase());
  if (known === undefined) throw noValue(value, "boolean");
  return known;
}
