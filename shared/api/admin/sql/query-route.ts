/**
 * `POST /query`: one SQL statement, answered as JSON if `accept` is exactly `application/json`, else as an Arrow stream. The
 * local process sends the answer while the statement runs.
 */
import { parseJsonFromOutside } from "../../../core/model/json-elements.ts";
import { SqlError, type SqlErrorKind, type WrittenAnswer } from "../../../engine/ports/sql.ts";
import type { Engine } from "../../../engine/engine.ts";
import { query } from "../../../engine/query/query-tables.ts";
import { jsonResponse, type HttpRequest, type HttpResponse } from "../../http/message.ts";
import { type QueryErrorBody, StatementBody, StatementRows } from "../../contract/sql.ts";
import { type AdminRequest, route, PlainRefusal } from "../requests/admin-request.ts";
import { ELEMENTS_MAX } from "../requests/json-body.ts";

const ARROW_TYPE = "application/vnd.apache.arrow.stream";
/** The line about a broken answer shows this many characters of the statement; the audit log shows more of it. */
const STATEMENT_SHOWN_MAX = 200;
const STATUSES: Readonly<Record<SqlErrorKind, number>> = {
  syntax: 400,
  unknown: 400,
  refused: 400,
  busy: 503,
  // The client has disconnected: only the metrics show the status.
  gone: 499,
};

export const QUERY_ROUTE = route("POST", "/query", queryRoute, {
  summary: "Query the tables of the control plane in SQL",
  body: [StatementBody],
  answers: { 200: StatementRows },
});

async function queryRoute({ engine, request, deps }: AdminRequest): Promise<HttpResponse> {
  const { statements } = deps;
  if (statements === undefined) return refused(503, "statements are not answered here");
  const { query: statement, columns } = statementIn(request);
  const { signal, answerByMs } = request;
  const isJson = request.headers["accept"] === "application/json";
  try {
    const json = columns ? statements.columnedJson : statements.json;
    const { body, rest } = await query(engine, isJson ? json : statements.arrow, statement, {
      ...(signal !== undefined && { signal }),
      ...(answerByMs !== undefined && { untilMs: answerByMs }),
    });
    const headers = { "content-type": isJson ? "application/json" : ARROW_TYPE };
    return { status: 200, headers, body, ...(rest && { rest: logged(engine, rest, statement) }) };
  } catch (error) {
    if (error instanceof SqlError) return refused(STATUSES[error.kind], error.message);
    throw error;
  }
}

/** Logs why an answer is broken off, because the client sees only that the answer is incomplete. */
async function* logged(
  { log }: Engine,
  rest: NonNullable<WrittenAnswer["rest"]>,
  statement: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* rest;
  } catch (error) {
    const kind = error instanceof SqlError ? error.kind : "failed";
    const detail = error instanceof Error ? error.message : String(error);
    if (kind !== "gone")
      log.write("admin-statement.cut", { kind, detail, statement: statement.slice(0, STATEMENT_SHOWN_MAX) });
    throw error;
  }
}

/** The refusal of a statement whose answer is larger than a Lambda function can return. */
export function answerTooLarge(): HttpResponse {
  return refused(
    400,
    "the answer is larger than the 6 MB that a function can return; ask for fewer columns, or add a LIMIT",
  );
}

function refused(status: number, message: string): HttpResponse {
  const body: QueryErrorBody = { message };
  return jsonResponse(status, body);
}

interface Statement {
  readonly query: string;
  /** True if a JSON answer names the columns; an Arrow stream always names them. */
  readonly columns: boolean;
}

function statementIn({ headers, body }: HttpRequest): Statement {
  if (!/^application\/(?:[^/;]+\+)?json\s*(?:;|$)/i.test(headers["content-type"] ?? ""))
    throw new PlainRefusal(415, "Expected request with `Content-Type: application/json`");
  let parsed: unknown;
  try {
    parsed = parseJsonFromOutside(body, ELEMENTS_MAX);
  } catch (error) {
    throw new PlainRefusal(400, `Failed to parse the request body as JSON: ${(error as Error).message}`);
  }
  if (typeof parsed === "object" && parsed !== null && "query" in parsed && typeof parsed.query === "string")
    return { query: parsed.query, columns: "columns" in parsed && parsed.columns === true };
  throw new PlainRefusal(422, "Failed to deserialize the JSON body into the target type: query: expected a string");
}
