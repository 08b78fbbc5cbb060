/** The table of `stepwell invocations list`, in lines that fit the terminal. */
import type { InvocationSummaryBody } from "../../../shared/api/contract/invocations.ts";
import { ageText } from "./moment.ts";
import { tableText } from "./table.ts";
import type { Colours } from "./terminal.ts";
import { TARGET_MAX, cutLine, foreignLine } from "./visible-text.ts";

/** The widths are numbers of characters. */
const GAP = 2;
const TARGET_MIN = 12;
const ERROR_MIN = 20;
const INDENT = "  ";

/** The texts of one invocation by column. A text is empty if the invocation has no value for the column. */
interface Row {
  readonly id: string;
  readonly target: string;
  /** The scope, with the limit key behind it. */
  readonly scope: string;
  readonly status: string;
  readonly age: string;
  readonly attempts: string;
  readonly retry: string;
  readonly error: string;
}

type Column = keyof Row;

const HEADS: Readonly<Record<Column, string>> = {
  id: "ID",
  target: "TARGET",
  scope: "SCOPE",
  status: "STATUS",
  age: "AGE",
  attempts: "ATTEMPTS",
  retry: "NEXT RETRY",
  error: "ERROR",
};
const SHORT: readonly Column[] = ["id", "status", "age"];
const ALWAYS: ReadonlySet<Column> = new Set(["id", "target", "status", "age"]);

/**
 * If the columns do not fit, each invocation with attempts gets a second line for its attempts, next retry and error.
 * @param width the width of the terminal, in characters
 * @param nowMs the present moment in epoch milliseconds, for ages and for the time until the next retry
 */
export function invocationTable(
  colours: Colours,
  invocations: readonly InvocationSummaryBody[],
  { width, nowMs }: { readonly width: number; readonly nowMs: number },
): string {
  const rows = invocations.map((one) => rowOf(one, nowMs));
  const columns = (Object.keys(HEADS) as Column[]).filter(
    (column) => ALWAYS.has(column) || rows.some((row) => row[column] !== ""),
  );
  const hasErrors = columns.includes("error");
  const fixed = columns.filter((column) => column !== "target" && column !== "error");
  const room = width - widthOf(rows, fixed) - (hasErrors ? ERROR_MIN + GAP : 0);
  if (room < TARGET_MIN) return twoLines(colours, rows, width);
  const targetMax = Math.min(TARGET_MAX, room, longest(rows, "target"));
  const errorMax = width - widthOf(rows, fixed) - targetMax - GAP;
  const shown = rows.map((row) => ({
    ...row,
    target: cutLine(row.target, targetMax),
    error: cutLine(row.error, Math.max(ERROR_MIN, errorMax)),
  }));
  return table(colours, shown, columns);
}

function twoLines(colours: Colours, rows: readonly Row[], width: number): string {
  const targetMax = Math.max(TARGET_MIN, Math.min(TARGET_MAX, width - widthOf(rows, SHORT)));
  const shown = rows.map((row) => ({ ...row, target: cutLine(row.target, targetMax) }));
  const [heads = "", ...lines] = table(colours, shown, ["id", "target", "status", "age"]).split("\n");
  const second = rows.map((row) => {
    const text = cutLine(secondLine(row), Math.max(ERROR_MIN, width - INDENT.length));
    return text === "" ? [] : [`${INDENT}${text}`];
  });
  return [heads, ...lines.flatMap((line, at) => [line, ...(second[at] ?? [])])].join("\n");
}

function secondLine({ scope, attempts, retry, error }: Row): string {
  const count = attempts === "" ? "" : attempts === "1" ? "1 attempt" : `${attempts} attempts`;
  const facts = [scope === "" ? "" : `in ${scope}`, count, retry === "" ? "" : `next ${retry}`]
    .filter((fact) => fact !== "")
    .join(", ");
  return [facts, error].filter((part) => part !== "").join(": ");
}

function rowOf(one: InvocationSummaryBody, nowMs: number): Row {
  const { error, attempts, next_retry_at: retryAt } = one;
  return {
    id: foreignLine(one.id),
    target: cutLine(one.target, TARGET_MAX),
    scope: foreignLine([one.scope ?? "", one.limit_key ?? ""].filter((part) => part !== "").join(" ")),
    status: foreignLine(one.outcome ?? one.status),
    age: ageText(nowMs - Date.parse(one.created_at)),
    attempts: attempts === undefined ? "" : String(attempts),
    retry: retryAt === undefined ? "" : `in ${ageText(Date.parse(retryAt) - nowMs)}`,
    error: error === undefined ? "" : `${error.code} ${error.message}`,
  };
}

function table(colours: Colours, rows: readonly Row[], columns: readonly Column[]): string {
  const cells = rows.map((row) => columns.map((column) => row[column]));
  const alignments = columns.map((column) => (column === "age" || column === "attempts" ? "right" : "left"));
  return tableText(
    colours,
    columns.map((column) => HEADS[column]),
    cells,
    alignments,
  );
}

/** The width of these columns, with the gap after each of them. */
function widthOf(rows: readonly Row[], columns: readonly Column[]): number {
  return columns.reduce((sum, column) => sum + Math.max(HEADS[column].length, longest(rows, column)) + GAP, 0);
}

function longest(rows: readonly Row[], column: Column): number {
  return rows.reduce((most, row) => Math.max(most, row[column].length), 0);
}
