/** The audit log of the admin API: lines for each call that may change something, and for each SQL statement. */
import { MASK, shownUri } from "../../../core/model/deployment.ts";
import { parseJsonFromOutside } from "../../../core/model/json-elements.ts";
import type { Engine } from "../../../engine/engine.ts";
import type { LogFields } from "../../../engine/ports/log.ts";
import type { HttpRequest, HttpResponse } from "../../http/message.ts";
import { withoutCredentials } from "../../http/query-credentials.ts";
import type { BatchBody, BatchSuccessBody } from "../../contract/changes.ts";
import { ELEMENTS_MAX } from "../requests/json-body.ts";
import { maskedValues } from "../requests/json-members.ts";

const READING_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
/** The path of statements, which use POST and change nothing. */
const STATEMENT_PATH = /^(?:\/v\d+)?\/query$/;
/** The bodies of these requests are payloads of handlers, or values of state. */
const PAYLOAD_PATH = /^(?:\/v\d+)?\/internal\/(?:services\/[^/]+\/(?:handlers|serdes)|awakeables\/[^/]+)\//;
const BATCH_PATH = /\/invocations_batch_operations\/[^/]+$/;
/** The most characters of one text in a line. Beside a statement or a cut body, a line gives the length of the whole text. */
const SHOWN_MAX_CHARACTERS = 2048;
/** A CloudWatch line holds 256 KB; this number of ids takes about 5 KB. */
const IDS_IN_LINE = 100;
/** Above this number of names, a line contains only their number. */
const NAMES_SHOWN_MAX = 100;
/** Members with confidential values: credentials, and the state of objects. */
const MASKED_MEMBERS: ReadonlySet<string> = new Set([
  "additional_headers",
  "properties",
  "options",
  "auth",
  "new_state",
]);

export function isStatement({ path }: HttpRequest): boolean {
  return STATEMENT_PATH.test(path);
}

/** Statements use POST, and change nothing. */
export function changesSomething({ method, path }: HttpRequest): boolean {
  return !READING_METHODS.has(method) && !STATEMENT_PATH.test(path);
}

export function isRecorded({ method }: HttpRequest): boolean {
  return !READING_METHODS.has(method);
}

/** Records refused calls too, because they show what the caller tried. No log level suppresses these lines. */
export function recordCall(engine: Engine, request: HttpRequest, response: HttpResponse): void {
  const { method, path, body } = request;
  const query = withoutCredentials(request.query);
  const call: LogFields = {
    method,
    path: shown(path),
    status: response.status,
    ...whoAsked(request),
    ...(query !== "" && { query: shown(query) }),
  };
  if (STATEMENT_PATH.test(path))
    return engine.log.write("admin-statement.answered", { ...call, ...statementFields(body) });
  const outcome = BATCH_PATH.test(path) && response.status === 200 ? batchIn(response.body) : undefined;
  if (outcome === undefined) {
    const fields = PAYLOAD_PATH.test(path) ? { body: `${body.length} bytes` } : bodyFields(body);
    return engine.log.write("admin-call.answered", { ...call, ...fields });
  }
  recordMany(engine, call, outcome);
}

/** Writes the outcome of a batch in as many lines as its ids need; each id is in one line. */
function recordMany({ log }: Engine, call: LogFields, { succeeded, failed }: BatchBody): void {
  const lines = [
    ...inPieces(succeeded.map(textOf)).map((ids) => ({ done: ids.join(" "), inLine: ids.length })),
    ...inPieces(failed.map((one) => one.invocation_id)).map((ids) => ({ refused: ids.join(" "), inLine: ids.length })),
  ];
  const counts = { doneCount: succeeded.length, refusedCount: failed.length, lines: Math.max(1, lines.length) };
  for (const [at, fields] of (lines.length === 0 ? [{}] : lines).entries()) {
    log.write("admin-call.answered", { ...call, ...counts, line: at + 1, ...fields });
  }
}

function textOf(success: BatchSuccessBody): string {
  return typeof success === "string" ? success : `${success.old_invocation_id}>${success.new_invocation_id}`;
}

function inPieces(ids: readonly string[]): readonly (readonly string[])[] {
  const pieces = Array.from({ length: Math.ceil(ids.length / IDS_IN_LINE) }, (_, at) => at * IDS_IN_LINE);
  return pieces.map((from) => ids.slice(from, from + IDS_IN_LINE));
}

function batchIn(body: Uint8Array): BatchBody {
  return JSON.parse(new TextDecoder().decode(body)) as BatchBody;
}

/**
 * The caller that the gateway authenticated, with the gateway's request id; or, for a direct call of the Lambda function, the
 * caller that the call claims to come from.
 */
function whoAsked({ caller, claimedCaller, gatewayRequestId }: HttpRequest): LogFields {
  return {
    caller: caller === undefined ? "not known" : shown(caller),
    ...(gatewayRequestId !== undefined && { gatewayRequestId: shown(gatewayRequestId) }),
    ...(claimedCaller !== undefined && { claimedCaller: shown(claimedCaller) }),
  };
}

function shown(text: string): string {
  return text.slice(0, SHOWN_MAX_CHARACTERS);
}

function statementFields(body: Uint8Array): LogFields {
  const parsed = objectIn(body);
  const statement = parsed?.["query"];
  if (typeof statement !== "string") return { body: `${body.length} bytes` };
  return { statement: shown(statement), statementCharacters: statement.length };
}

/** For a body that is not a JSON object, or exceeds the limit of elements, the line contains only its size. */
function bodyFields(body: Uint8Array): LogFields {
  if (body.length === 0) return {};
  const parsed = objectIn(body);
  if (parsed === undefined) return { body: `${body.length} bytes` };
  const masked = Object.entries(parsed).map(([name, value]: [string, unknown]) => [name, maskedMember(name, value)]);
  const text = JSON.stringify(Object.fromEntries(masked));
  return { body: shown(text), ...(text.length > SHOWN_MAX_CHARACTERS && { bodyCharacters: text.length }) };
}

function objectIn(body: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = parseJsonFromOutside(body, ELEMENTS_MAX);
    const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
    return isObject ? (parsed as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

function maskedMember(name: string, value: unknown): unknown {
  if (name === "uri" && typeof value === "string") return shownUri(value);
  if (!MASKED_MEMBERS.has(name) || value === null) return value;
  if (typeof value !== "object") return MASK;
  const count = Object.keys(value).length;
  return count > NAMES_SHOWN_MAX ? `${count} members` : maskedValues(value);
}
