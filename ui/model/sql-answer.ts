/** The answer to a statement: its columns, its cells as text, the widths that fit them, and its rows as CSV. */
import { ExactNumber, parseExact } from "./exact-json.ts";

export type AnswerRow = Readonly<Record<string, unknown>>;

export interface StatementAnswer {
  readonly columns: readonly string[];
  readonly rows: readonly AnswerRow[];
}

/** The widths fit the first rows only, because measuring 100,000 rows would take time. */
const MEASURED_ROWS = 200;
const WIDTH_MAX_CHARS = 44;
const WIDTH_MIN_CHARS = 6;

/** @throws SyntaxError for a text that is not the answer to a statement */
export function answerIn(text: string): StatementAnswer {
  const { columns, rows } = parseExact(text) as Partial<StatementAnswer>;
  if (!Array.isArray(rows)) throw new SyntaxError("The answer has no rows.");
  // A row without a cell has no member of its name; an object would inherit some, such as `__proto__`.
  for (const row of rows as readonly AnswerRow[]) Object.setPrototypeOf(row, null);
  return { columns: columns ?? [...new Set((rows as readonly AnswerRow[]).flatMap((row) => Object.keys(row)))], rows };
}

/** @returns undefined for a cell without a value (NULL) */
export function cellText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  return value instanceof ExactNumber ? value.text : JSON.stringify(value);
}

function isNumber(value: unknown): boolean {
  return typeof value === "number" || value instanceof ExactNumber;
}

/** The widths in characters, between a minimum and a maximum. */
export function columnWidths({ columns, rows }: StatementAnswer): readonly number[] {
  const measured = rows.slice(0, MEASURED_ROWS);
  return columns.map((column) => {
    const longest = Math.max(column.length, ...measured.map((row) => cellText(row[column])?.length ?? 0));
    return Math.min(WIDTH_MAX_CHARS, Math.max(WIDTH_MIN_CHARS, longest)) + 1;
  });
}

/** A column is aligned to the right if its first values are numbers. */
export function isNumeric({ rows }: StatementAnswer, column: string): boolean {
  const values = rows.slice(0, MEASURED_ROWS).map((row) => row[column]);
  return values.some(isNumber) && values.every((value) => value === undefined || isNumber(value));
}

/** The position that the message names, counted in the statement that was sent; undefined if it names none. */
export function positionIn(message: string): number | undefined {
  const found = /\bat position (\d{1,7})\b/.exec(message)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Line and column from 1. */
export function placeOf(statement: string, position: number): { readonly line: number; readonly column: number } {
  const before = statement.slice(0, position).split("\n");
  return { line: before.length, column: before.at(-1)!.length + 1 };
}

const LINE_END = "\r\n";
/**
 * Matches the beginning of a cell that a spreadsheet would evaluate as a formula, even after white space or a control
 * character.
 */
const FORMULA = /^[\s\0]*[=+\-@]|^[\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

export function csvText({ columns, rows }: StatementAnswer): string {
  const lines = rows.map((row) => columns.map((column) => csvCell(row[column])).join(","));
  return [columns.map(csvCell).join(","), ...lines, ""].join(LINE_END);
}

/** An apostrophe in front makes a spreadsheet show the text as it is. A negative number is no formula. */
function csvCell(value: unknown): string {
  const text = cellText(value) ?? "";
  const safe = !isNumber(value) && FORMULA.test(text) ? `'${text}` : text;
  return safe !== text || NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
