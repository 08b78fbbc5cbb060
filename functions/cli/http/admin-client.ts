/** Sends requests to the admin API and turns its refusals into failures of the command. */
import type { IncomingHttpHeaders } from "node:http";
import type { AdminErrorBody } from "../../../shared/api/contract/server.ts";
import type { IngressErrorBody } from "../../../shared/api/wire/ingress.ts";
import { fixOf } from "./admin-fix.ts";
import type { RefusedRequest } from "./admin-fix.ts";
import { tokenHeaders } from "./admin-server.ts";
import type { AdminServer } from "./admin-server.ts";
import { CommandFailure, codedFailure } from "../text/command-failure.ts";
import { EXIT_NO_SERVER, EXIT_REFUSED } from "../text/exit-codes.ts";
import { exchange, shownBase } from "./http-exchange.ts";
import { proxyFailure } from "./proxy-failure.ts";
import type { Terminal } from "../text/terminal.ts";
import { unknownRequest } from "./unknown-request.ts";

const PLAIN_TEXT_MAX = 300;

const WAITING = "Waiting for the server";

/** An answer with one of these statuses and without a text means that the server has no such route: a refusal has a text. */
const UNKNOWN: ReadonlySet<number> = new Set([404, 405, 501]);

/** The default time limit for an answer. The server's own time limit for the discovery of a deployment is shorter. */
const ANSWER_WITHIN_MS = 60_000;

/** For a SQL statement: the client needs no time limit, because the server has one. The progress text shows the seconds. */
export const WITHOUT_LIMIT = Infinity;

export interface AdminAnswer<Body> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Undefined if the answer has no body. */
  readonly body: Body;
  /** The address of the server, for messages. */
  readonly from: string;
}

/** Only `POST /query` depends on the accepted type; all other routes answer in JSON anyway. */
const JSON_TYPE = "application/json";

export interface AdminClient {
  /**
   * @param what progress text, shown when the request takes long
   * @throws CommandFailure when the server refuses, cannot be reached, or is not an admin API
   */
  ask<Body>(method: string, path: string, body?: object, what?: string): Promise<AdminAnswer<Body>>;
  /**
   * Like `ask`, but returns the text of the answer unparsed, because parsing JSON rounds large integers.
   * @param withinMs the time for the whole answer
   */
  askText(method: string, path: string, body?: object, what?: string, withinMs?: number): Promise<AdminAnswer<string>>;
}

/** @param serverOf called at the first request @param answerWithinMs the default time limit for an answer */
export function adminClient(
  serverOf: () => Promise<AdminServer>,
  { during }: Pick<Terminal, "during">,
  answerWithinMs: number = ANSWER_WITHIN_MS,
): AdminClient {
  let found: Promise<AdminServer> | undefined;
  async function askText(
    method: string,
    path: string,
    body?: object,
    what = WAITING,
    withinMs = answerWithinMs,
  ): Promise<AdminAnswer<string>> {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const server = await (found ??= serverOf());
    const shown = shownBase(server.base);
    const headers = {
      accept: JSON_TYPE,
      ...tokenHeaders(server),
      ...(sent !== undefined && { "content-type": JSON_TYPE }),
      // Some routes accept a POST only with this header, which a page of another origin cannot send.
      ...(method === "POST" && { "x-requested-with": "stepwell-cli" }),
    };
    const request = { method, path, headers, ...(sent !== undefined && { body: sent }) };
    const limits = withinMs === WITHOUT_LIMIT ? {} : { withinMs };
    const answer = await during(what, exchange(server, request, limits));
    const { status } = answer;
    const text = answer.body.toString("utf8");
    if (status >= 300 && status < 400) throw noAdminApi(shown, "it redirects the request");
    if (UNKNOWN.has(status) && text.trim() === "")
      throw await during(what, unknownRequest(server, `${status} to ${method} /${path}`));
    if (status < 200 || status >= 300)
      throw (
        proxyFailure({ base: shown, asked: `${method} /${path}`, status, text }) ??
        refusal(shown, { method, path }, status, text)
      );
    return { status, headers: answer.headers, body: text, from: shown };
  }
  return {
    askText,
    async ask<Body>(method: string, path: string, body?: object, what?: string): Promise<AdminAnswer<Body>> {
      const answer = await askText(method, path, body, what);
      return { ...answer, body: parsed(answer.from, answer.body) as Body };
    },
  };
}

function refusal(base: string, { method, path }: RefusedRequest, status: number, text: string): CommandFailure {
  const failed = (message: string): CommandFailure => {
    const fix = fixOf(status, { method, path }, message);
    return new CommandFailure(message, {
      exitCode: EXIT_REFUSED,
      status,
      cause: `${status} to ${method} /${path}`,
      ...(fix === undefined ? {} : { fix }),
    });
  };
  const body = errorBody(text);
  if (body?.source !== undefined) return noAdminApi(base, "it answers like an ingress");
  if (body !== undefined) {
    if (body.restate_code !== null) return codedFailure(body.restate_code, body.message);
    return failed(body.message);
  }
  const said = text.trim().split("\n", 1)[0]!.slice(0, PLAIN_TEXT_MAX);
  return failed(said === "" ? `The server answered with ${status}, and without a text` : said);
}

/** Only refusals of the ingress name their source. */
type ErrorBody = AdminErrorBody & Partial<Pick<IngressErrorBody, "source">>;

function errorBody(text: string): ErrorBody | undefined {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody> | null;
    return typeof body?.message === "string" ? { restate_code: null, ...body, message: body.message } : undefined;
  } catch {
    return undefined;
  }
}

function parsed(base: string, text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw noAdminApi(base, "its answer is not JSON");
  }
}

function noAdminApi(base: string, cause: string): CommandFailure {
  return new CommandFailure(`The server at ${base} is not an admin API`, {
    exitCode: EXIT_NO_SERVER,
    cause,
    fix: "Give the address of the admin API with --admin-url or STEPWELL_ADMIN_URL; the ingress has another port.",
  });
}
