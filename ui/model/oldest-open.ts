/** The oldest open invocations by SQL, because the list of the API has only the order that begins with the newest. */
import type { InvocationSummaryBody, WaitBody } from "../../shared/api/wire/invocation.ts";
import { ageMsOf } from "./age.ts";
import type { InvocationFilter } from "./invocation-filter.ts";

export const OLDEST_MAX = 200;
/** If very many invocations were accepted lately, the statement finds only those older than this. */
export const SETTLED_AFTER_MS = 600_000;

/**
 * @param isSettled whether to leave out the invocations of the last ten minutes, because no index shows which of these are open
 * @param nowMs the present moment by the clock of the server
 */
export function oldestOpenStatement(filter: InvocationFilter, nowMs: number, isSettled: boolean): string {
  const { status, service, handler, deployment, key, age } = filter;
  const statuses = status.filter((one) => one !== "open" && one !== "completed");
  const ageMs = age === undefined ? undefined : ageMsOf(age);
  const before = age?.startsWith("<") === true ? undefined : ageMs;
  const bounds = [
    statuses.length === 0 ? "status != 'completed'" : among("status", statuses),
    among("target_service_name", service),
    among("target_handler_name", handler),
    among("pinned_deployment_id", deployment),
    key === undefined ? "" : among("target_service_key", [key]),
    ageMs !== undefined && before === undefined ? `created_at > '${momentOf(nowMs - ageMs)}'` : "",
    isSettled || before !== undefined
      ? `created_at < '${momentOf(nowMs - Math.max(before ?? 0, isSettled ? SETTLED_AFTER_MS : 0))}'`
      : "",
  ].filter((bound) => bound !== "");
  return (
    "SELECT id, target, target_service_name, target_service_key, target_handler_name, status, created_at, pinned_deployment_id, " +
    "next_retry_at, last_failure, last_failure_error_code, waits_for FROM sys_invocation WHERE " +
    `${bounds.join(" AND ")} ORDER BY created_at LIMIT ${OLDEST_MAX}`
  );
}

function among(column: string, values: readonly string[]): string {
  return values.length === 0 ? "" : `${column} IN (${values.map(quoted).join(", ")})`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function momentOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** A row of the statement; cells without a value are absent. */
export type StatementRow = Readonly<Record<string, unknown>>;

export function rowOfStatement(cells: StatementRow): InvocationSummaryBody {
  const text = (name: string): string | undefined => (typeof cells[name] === "string" ? cells[name] : undefined);
  const waits = waitsOf(text("waits_for"));
  const optional = {
    target_service_key: text("target_service_key"),
    pinned_deployment_id: text("pinned_deployment_id"),
    attempts: attemptsOf(waits),
    next_retry_at: text("next_retry_at"),
    error: errorOf(text("last_failure_error_code"), text("last_failure")),
    waits_for: waits,
  };
  const present = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined));
  return {
    id: text("id") ?? "",
    target: text("target") ?? "",
    target_service_name: text("target_service_name") ?? "",
    target_handler_name: text("target_handler_name") ?? "",
    status: text("status") ?? "",
    created_at: text("created_at") ?? "",
    ...present,
  };
}

function errorOf(code: string | undefined, failure: string | undefined): InvocationSummaryBody["error"] {
  if (code === undefined && failure === undefined) return undefined;
  const line = (failure ?? "").split("\n", 1)[0]!.replace(/^\[\d{1,3} [A-Za-z ]{1,40}\] /, "");
  return { code: code ?? "", message: line.slice(0, 300) };
}

/**
 * No column contains the number of attempts of the life. A wait of the kind `attempt` names the number of the running attempt,
 * and one of the kind `retry` the number of the next attempt.
 */
function attemptsOf(waits: readonly WaitBody[] | undefined): number | undefined {
  const wait = waits?.find(({ kind }) => kind === "attempt" || kind === "retry");
  return wait?.attempt === undefined || wait.kind === "attempt" ? wait?.attempt : wait.attempt - 1;
}

function waitsOf(json: string | undefined): readonly WaitBody[] | undefined {
  if (json === undefined) return undefined;
  const waits: unknown = JSON.parse(json);
  return Array.isArray(waits) ? (waits as readonly WaitBody[]) : undefined;
}
