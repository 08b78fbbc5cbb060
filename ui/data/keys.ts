/** The keys of a service: their list, the holder and the queue of one key, and the promises of a workflow. */
import { keyId, type KeyName, whereKey } from "../model/key-name.ts";
import { cellText, type AnswerRow } from "../model/sql-answer.ts";
import { sqlText } from "../../shared/api/wire/quoted-words.ts";
import { ApiProblem } from "./api.ts";
import { firstListed } from "./listing.ts";
import { runStatement } from "./statements.ts";

const KEYS_MAX = 1_000;
const REFUSED = 400;
/** A longer key does not fit into a request's line; statements take it in their body. */
const LINE_KEY_MAX = 4_000;

export interface KeyRow {
  readonly key: string;
  readonly scope: string | undefined;
  /** Undefined if the stored keys are not listed. */
  readonly bytes: number | undefined;
  readonly values: number | undefined;
  readonly open: number;
}

export interface KeyList {
  readonly keys: readonly KeyRow[];
  /** Why stored keys are missing, in the words of the server. */
  readonly storedProblem: ApiProblem | undefined;
  readonly isCut: boolean;
}

/** Stored keys and keys of open invocations, the largest state first. */
export async function askKeys(service: string, aborted: AbortSignal): Promise<KeyList> {
  const [stored, open] = await Promise.all([storedKeys(service, aborted), openKeys(service, aborted)]);
  const named = (row: AnswerRow): KeyName => ({
    service,
    key: textIn(row, "service_key"),
    scope: cellText(row["scope"]),
  });
  const counts = new Map(open.map((row) => [keyId(named(row)), { ...named(row), open: Number(row["open"]) }]));
  const rows = stored.rows.map((row) => {
    const name = named(row);
    const count = counts.get(keyId(name))?.open ?? 0;
    counts.delete(keyId(name));
    return { ...name, bytes: Number(row["bytes"]), values: Number(row["names"]), open: count };
  });
  const unknown = stored.problem === undefined ? 0 : undefined;
  const others = [...counts.values()].map((one) => ({ ...one, bytes: unknown, values: unknown }));
  const keys = [...rows, ...others].toSorted((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0) || b.open - a.open);
  return { keys, storedProblem: stored.problem, isCut: stored.rows.length >= KEYS_MAX || open.length >= KEYS_MAX };
}

async function storedKeys(service: string, aborted: AbortSignal) {
  try {
    const { rows } = await runStatement(
      `select scope, service_key, count(*) as names, sum(value_length) as bytes from state where service_name = ${sqlText(service)} group by scope, service_key limit ${KEYS_MAX}`,
      aborted,
    );
    return { rows, problem: undefined };
  } catch (error) {
    if (error instanceof ApiProblem && error.status === REFUSED) return { rows: [], problem: error };
    throw error;
  }
}

async function openKeys(service: string, aborted: AbortSignal): Promise<readonly AnswerRow[]> {
  const { rows } = await runStatement(
    `select scope, target_service_key as service_key, count(*) as open from sys_invocation where target_service_name = ${sqlText(service)} and status != 'completed' group by scope, target_service_key limit ${KEYS_MAX}`,
    aborted,
  );
  return rows.filter((row) => row["service_key"] !== undefined);
}

export interface QueuedRow {
  readonly id: string;
  readonly handler: string;
  readonly status: string;
  readonly createdAt: string;
  /** 1 is next; undefined if the invocation does not wait for the key. */
  readonly place: number | undefined;
  readonly isHolder: boolean;
}

/** The open invocations of a key: the holder, then the waiting ones in the order of the queue, then the others. */
export async function askQueue(named: KeyName, aborted: AbortSignal): Promise<readonly QueuedRow[]> {
  const where = whereKey(named);
  const [open, inbox, locks] = await Promise.all([
    openInvocations(named, aborted),
    runStatement(`select id, sequence_number from sys_inbox where ${where} order by sequence_number`, aborted),
    runStatement(`select invocation_id from sys_keyed_service_status where ${where}`, aborted),
  ]);
  const places = new Map(inbox.rows.map((row, at) => [textIn(row, "id"), at + 1]));
  const holder = locks.rows[0] && textIn(locks.rows[0], "invocation_id");
  return open
    .map((row) => ({ ...row, place: places.get(row.id), isHolder: row.id === holder }))
    .toSorted((a, b) => rank(a) - rank(b) || a.createdAt.localeCompare(b.createdAt));
}

function rank({ isHolder, place }: QueuedRow): number {
  return isHolder ? 0 : (place ?? Number.MAX_SAFE_INTEGER);
}

async function openInvocations(named: KeyName, aborted: AbortSignal) {
  const { service, key, scope } = named;
  if (key.length > LINE_KEY_MAX) {
    const { rows } = await runStatement(
      `select id, target_handler_name, status, created_at from sys_invocation where ${whereKey(named, "target_service")} and status != 'completed' limit ${KEYS_MAX}`,
      aborted,
    );
    return rows.map((row) => ({
      id: textIn(row, "id"),
      handler: textIn(row, "target_handler_name"),
      status: textIn(row, "status"),
      createdAt: textIn(row, "created_at"),
    }));
  }
  const within = scope === undefined ? {} : { scope };
  const query = new URLSearchParams({ service, key, ...within, status: "open", details: "false", limit: "500" });
  const { rows } = await firstListed({ query, signal: aborted }, KEYS_MAX);
  // The list has no filter for invocations without a scope.
  const ofKey = rows.filter((row) => row.scope === scope);
  return ofKey.map(({ id, target_handler_name: handler, status, created_at: createdAt }) => ({
    id,
    handler,
    status,
    createdAt,
  }));
}

export interface PromiseRow {
  readonly name: string;
  /** Undefined for a promise that was resolved. */
  readonly failure: string | undefined;
  /** A text, or bytes in hexadecimal. */
  readonly text: string | undefined;
  readonly hex: string | undefined;
}

/** Only completed promises, because the table has no item of a promise before its completion. */
export async function askPromises(named: KeyName, aborted: AbortSignal): Promise<readonly PromiseRow[]> {
  const { rows } = await runStatement(
    `select key, completion_success_value_utf8, completion_success_value, completion_failure from sys_promise where ${whereKey(named)}`,
    aborted,
  );
  return rows.map((row) => ({
    name: textIn(row, "key"),
    failure: row["completion_failure"] as string | undefined,
    text: row["completion_success_value_utf8"] as string | undefined,
    hex: row["completion_success_value"] as string | undefined,
  }));
}

function textIn(row: AnswerRow, column: string): string {
  return cellText(row[column]) ?? "";
}
