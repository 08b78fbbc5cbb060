/** Casts to numbers and booleans. A text that has no such value makes the statement fail; it does not become NULL. */
import type { ExprNode, SqlPrimitive, UserDefinedFunction } from "squirreling";
import { SqlError } from "../../engine/ports/sql.ts";
import { textOf } from "./values.ts";

type Cast = Extract<ExprNode, { type: "cast" }>;

export const TO_INTEGER = "TO_INTEGER";
export const TO_BOOLEAN = "TO_BOOLEAN";
const TO_DOUBLE = "TO_DOUBLE";

const FUNCTIONS: Readonly<Partial<Record<Cast["toType"], string>>> = {
  INTEGER: TO_INTEGER,
  INT: TO_INTEGER,
  BIGINT: TO_INTEGER,
  FLOAT: TO_DOUBLE,
  REAL: TO_DOUBLE,
  DOUBLE: TO_DOUBLE,
  BOOLEAN: TO_BOOLEAN,
  BOOL: TO_BOOLEAN,
};

const one = { min: 1, max: 1 };

export const CAST_FUNCTIONS: Readonly<Record<string, UserDefinedFunction>> = {
  [TO_INTEGER]: { apply: (value = null) => (value === null ? null : integerOf(value)), arguments: one },
  [TO_DOUBLE]: { apply: (value = null) => (value === null ? null : doubleOf(value)), arguments: one },
  [TO_BOOLEAN]: { apply: (value = null) => (value === null ? null : booleanOf(value)), arguments: one },
};

/** Turns a cast to a number or a boolean into a function call, and returns a cast to a text unchanged. */
export function withCast(cast: Cast): ExprNode {
  const { expr, toType, positionStart, positionEnd } = cast;
  const funcName = FUNCTIONS[toType];
  return funcName === undefined ? cast : { type: "function", funcName, args: [expr], positionStart, positionEnd };
}

const INTEGER = /^\s*[+-]?\d{1,40}\s*$/;
const INTEGER_MAX = 2n ** 63n;

/** Cuts the fraction of a number, as DataFusion does; a text with a fraction is no integer. The result has 64 bits. */
function integerOf(value: SqlPrimitive): SqlPrimitive {
  if (typeof value === "boolean") return value ? 1 : 0;
  const isNumber = typeof value === "number" && Number.isFinite(value);
  const isText = typeof value === "string" && INTEGER.test(value);
  if (!isNumber && !isText && typeof value !== "bigint") throw noValue(value, "integer");
  const whole = isNumber ? BigInt(Math.trunc(value)) : BigInt(textOf(value).trim().replace(/^\+/, ""));
  if (whole >= INTEGER_MAX || whole < -INTEGER_MAX) throw noValue(value, "integer of 64 bits");
  return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole;
}

function doubleOf(value: SqlPrimitive): SqlPrimitive {
  const isNumber = typeof value === "number" || typeof value === "bigint" || typeof value === "boolean";
  const number = isNumber || (typeof value === "string" && value.trim() !== "") ? Number(value) : NaN;
  if (Number.isNaN(number)) throw noValue(value, "number");
  return number;
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...["true", "t", "yes", "y", "on", "1"].map((word) => [word, true] as const),
  ...["false", "f", "no", "n", "off", "0"].map((word) => [word, false] as const),
]);

export function booleanOf(value: SqlPrimitive): SqlPrimitive {
  if (typeof value === "boolean") return value;
  if (typeof value === "number" || typeof value === "bigint") return Number(value) !== 0;
  const known = BOOLEANS.get(textOf(value).trim().toLowerCase());
  if (known === undefined) throw noValue(value, "boolean");
  return known;
}

function noValue(value: SqlPrimitive, what: string): SqlError {
  return new SqlError("syntax", `'${textOf(value).slice(0, SHOWN_MAX)}' is no ${what}`);
}

const SHOWN_MAX = 100;
