/** Rows as CSV (RFC 4180), safe to open in a spreadsheet. */
import type { StatementAnswer } from "./sql-answer.ts";
import { cellText, isNumber } from "./sql-answer.ts";

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
