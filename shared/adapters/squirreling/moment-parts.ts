/** The functions that take moments or durations apart: date_bin, date_trunc, extract and date_part. */
import type { ExprNode, SqlPrimitive, UserDefinedFunction } from "squirreling";
import { SqlError } from "../../engine/ports/sql.ts";
import { call, intervalText, refuseMonths } from "./moment-expressions.ts";
import { asAlike, momentLiteral } from "./moment-literals.ts";
import { epochMs, hasOnlyMonths, isoOf } from "./moments.ts";
import { typeOf, type Scope } from "./scope.ts";
import { textOf } from "./values.ts";

type Call = Extract<ExprNode, { type: "function" }>;

const DAY_MS = 86_400_000;
/** 1970-01-05 is the first Monday of the epoch. */
const MONDAY_MS = 4 * DAY_MS;

const TRUNCATED = "TRUNCATED";
const DURATION_PART = "DURATION_PART";
const two = { min: 2, max: 2 };

export const PART_FUNCTIONS: Readonly<Record<string, UserDefinedFunction>> = {
  [TRUNCATED]: { apply: (unit = null, moment = null) => truncated(textOf(unit), moment), arguments: two },
  [DURATION_PART]: { apply: (_part, ms = null) => (ms === null ? null : Number(ms) / 1000), arguments: two },
};

/** Turns a call over moments or durations into one that the SQL engine can run; returns any other call unchanged. */
export function withMomentArguments(expr: Call, scope: Scope): ExprNode {
  switch (expr.funcName.toUpperCase()) {
    case "FIRST_KNOWN":
    case "GREATEST":
    case "LEAST":
    case "NULLIF":
      return { ...expr, args: asAlike(expr.args, scope) };
    case "DATE_BIN":
      return withMonths(expr);
    case "DATE_TRUNC":
      return withUnit(expr, scope);
    case "EXTRACT":
    case "DATE_PART":
      return withPart(expr, scope);
    default:
      return expr;
  }
}

/** Passes the interval of a date_bin as text if it consists of whole months, because bins of months follow the calendar. */
function withMonths(expr: Call): Call {
  const [span, ...rest] = expr.args;
  if (span === undefined) return expr;
  const text = intervalText(span);
  if (text !== undefined && hasOnlyMonths(text.value)) return { ...expr, args: [text, ...rest] };
  refuseMonths(span);
  return expr;
}

const ENGINE_UNITS = ["year", "month", "day", "hour", "minute", "second"];
const OWN_UNITS = ["quarter", "week", "millisecond", "milliseconds"];

function withUnit(expr: Call, scope: Scope): ExprNode {
  const [unit, of] = momentsIn(expr);
  const name = wordOf(unit, "date_trunc", [...ENGINE_UNITS, ...OWN_UNITS]);
  if (of !== undefined && typeOf(of, scope) === "duration")
    throw new SqlError("syntax", "date_trunc takes a moment, and this is a duration");
  const args = of === undefined ? expr.args : [unit!, of];
  return OWN_UNITS.includes(name) ? call(expr, TRUNCATED, args) : { ...expr, args };
}

const MOMENT_PARTS = [...ENGINE_UNITS, "dow", "epoch"];
/**
 * For the hours of `modified_at - created_at`, DataFusion returns all hours, and PostgreSQL only those beyond whole
 * days. Stepwell refuses parts on which the two differ.
 */
const DURATION_PARTS = ["epoch"];

function withPart(expr: Call, scope: Scope): ExprNode {
  const [part, of] = momentsIn(expr);
  const isDuration = of !== undefined && typeOf(of, scope) === "duration";
  wordOf(part, isDuration ? "extract of a duration" : "extract", isDuration ? DURATION_PARTS : MOMENT_PARTS);
  if (of === undefined) return expr;
  return isDuration ? call(expr, DURATION_PART, [part!, of]) : { ...expr, args: [part!, of] };
}

/** The first two arguments; a text in the second place becomes a moment. */
function momentsIn({ args: [word, of] }: Call): readonly [ExprNode | undefined, ExprNode | undefined] {
  const isText = of?.type === "literal" && typeof of.value === "string" && !("isMoment" in of);
  return [word, isText ? momentLiteral(of, of.value as string) : of];
}

/** @throws SqlError for an unknown word, and for an expression that is no literal, because its word depends on the row */
function wordOf(expr: ExprNode | undefined, of: string, known: readonly string[]): string {
  const word = expr?.type === "literal" ? textOf(expr.value).toLowerCase() : "";
  if (!known.includes(word))
    throw new SqlError("syntax", `${of} reads ${known.join(", ")} here, and not '${word.slice(0, SHOWN_MAX)}'`);
  return word;
}

const SHOWN_MAX = 50;

/** The start of the quarter, of the week (a Monday) or of the millisecond that contains the moment. */
function truncated(unit: string, moment: SqlPrimitive): SqlPrimitive {
  const atMs = epochMs(moment);
  if (atMs === undefined) return null;
  const at = new Date(atMs);
  switch (unit.toLowerCase()) {
    case "week":
      return isoOf(Math.floor((atMs - MONDAY_MS) / (7 * DAY_MS)) * 7 * DAY_MS + MONDAY_MS);
    case "quarter":
      at.setUTCMonth(at.getUTCMonth() - (at.getUTCMonth() % 3), 1);
      return isoOf(at.setUTCHours(0, 0, 0, 0));
    default:
      return isoOf(atMs);
  }
}
