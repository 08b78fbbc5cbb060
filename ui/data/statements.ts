/** Statements: their run, the tables that they may read, and the last statements of this tab. */
import { signal } from "@preact/signals";
import { answerIn, type StatementAnswer } from "../model/sql-answer.ts";
import { ApiProblem, exchange, problemIn } from "./api.ts";

const HISTORY_MAX = 30;
const HISTORY_NAME = "stepwell.statements";
/** A longer statement would fill the browser's storage. */
const KEPT_MAX_CHARS = 20_000;
/** With a larger answer, a page would be blocked for minutes, or run out of memory. */
const ANSWER_MAX_BYTES = 64 * 1024 * 1024;
const TOO_LARGE =
  "The answer has more than 64 MiB, which is too much for a page. Add a LIMIT, name fewer columns, or use `stepwell sql --csv`.";
const BROKEN_OFF =
  "The answer ended before its last row: the statement failed or reached a limit while it ran, or the connection broke. The log of the server has the cause as admin-statement.cut.";
const COLUMNS =
  "select table_schema, table_name, column_name from information_schema.columns order by table_name, ordinal_position";

/** @throws ApiProblem; a DOMException named AbortError if the signal aborts; the server then ends the statement */
export async function runStatement(query: string, aborted?: AbortSignal): Promise<StatementAnswer> {
  const response = await exchange("query", {
    method: "POST",
    body: { query, columns: true },
    ...(aborted && { signal: aborted }),
  });
  const text = await textOf(response);
  if (!response.ok) throw problemIn(response.status, text);
  try {
    return answerIn(text);
  } catch {
    throw new ApiProblem(response.status, "The server answered with something else than rows.");
  }
}

/** @throws ApiProblem for an answer that a page cannot hold, or that the server broke off */
async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  try {
    for (const reader = response.body!.getReader(); ;) {
      const { value, done } = await reader.read();
      if (done) return text + decoder.decode();
      size += value.length;
      // The server ends a statement whose reader leaves.
      if (size > ANSWER_MAX_BYTES) await reader.cancel();
      if (size > ANSWER_MAX_BYTES) throw new ApiProblem(response.status, TOO_LARGE);
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    if (error instanceof ApiProblem || (error instanceof DOMException && error.name === "AbortError")) throw error;
    throw new ApiProblem(response.status, BROKEN_OFF);
  }
}

/** The columns by table, for completion. Empty until they are loaded, and after a failed load. */
export const tables = signal<Readonly<Record<string, readonly string[]>>>({});
let isLoading = false;

export async function loadTables(): Promise<void> {
  if (isLoading || Object.keys(tables.peek()).length > 0) return;
  isLoading = true;
  try {
    const { rows } = await runStatement(COLUMNS);
    const found: Record<string, string[]> = {};
    for (const row of rows) {
      const schema = String(row["table_schema"]);
      const table = schema === "public" ? String(row["table_name"]) : `${schema}.${String(row["table_name"])}`;
      (found[table] ??= []).push(String(row["column_name"]));
    }
    tables.value = found;
  } finally {
    isLoading = false;
  }
}

/** Newest first; they last as long as the tab. */
export const pastStatements = signal<readonly string[]>(readPast());

export function noteStatement(statement: string): void {
  if (statement.length > KEPT_MAX_CHARS) return;
  const others = pastStatements.peek().filter((one) => one !== statement);
  pastStatements.value = [statement, ...others].slice(0, HISTORY_MAX);
  try {
    sessionStorage.setItem(HISTORY_NAME, JSON.stringify(pastStatements.peek()));
  } catch {
    // The list then lasts as long as the page.
  }
}

function readPast(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(HISTORY_NAME) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one): one is string => typeof one === "string") : [];
  } catch {
    return [];
  }
}
