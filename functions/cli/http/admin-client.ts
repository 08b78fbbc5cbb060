/** Sends requests to the admin API and turns its refusals into failures of the command. */
import type { IncomingHttpHeaders } from "node:http";
import packageJson from "../../../package.json" with { type: "json" };
import type { AdminErrorBody, VersionBody } from "../../../shared/api/contract/server.ts";
import type { IngressErrorBody } from "../../../shared/api/wire/ingress.ts";
import { tokenHeaders, type AdminServer } from "./admin-server.ts";
import { codedFailure, CommandFailure, EXIT_NO_SERVER, EXIT_REFUSED } from "../text/command-failure.ts";
import { errorBody, firstLine } from "./answer-text.ts";
import { exchange, shownBase } from "./http-exchange.ts";
import { proxyFailure } from "./proxy-failure.ts";
import type { Terminal } from "../text/terminal.ts";

const WAITING = "Waiting for the server";

/** An answer with one of these statuses and without a text means that the server has no such route: a refusal has a text. */
const UNKNOWN: ReadonlySet<number> = new Set([404, 405, 501]);

/** The default time limit for an answer. The server's own time limit for the discovery of a deployment is shorter. */
const ANSWER_WITHIN_MS = 60_000;

/** For a SQL statement: the client needs no time limit, because the server has one. The progress text shows the seconds. */
export const WITHOUT_LIMIT = Infinity;

const PRODUCT = "stepwell";
const VERSION_WITHIN_MS = 5000;
const VERSION_MAX_BYTES = 64 * 1024;
/** Only `POST /query` depends on the accepted type; all other routes answer in JSON anyway. */
const JSON_TYPE = "application/json";

export interface AdminAnswer<Body> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Undefined if the answer has no body. */
  readonly body: Body;
  /** The address of the server, for messages. */
  readonly from: string;
}

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
  const body = errorBody<ErrorBody>(text);
  if (body?.source !== undefined) return noAdminApi(base, "it answers like an ingress");
  if (body !== undefined) {
    const { restate_code: code = null, message } = body;
    return code === null ? failed(message) : codedFailure(code, message);
  }
  const said = firstLine(text);
  return failed(said === "" ? `The server answered with ${status}, and without a text` : said);
}

/** Only refusals of the ingress name their source. */
type ErrorBody = AdminErrorBody & Partial<Pick<IngressErrorBody, "source">>;

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

interface RefusedRequest {
  readonly method: string;
  readonly path: string;
}

interface Refused extends RefusedRequest {
  readonly message: string;
  /** The first segment of the path, such as `deployments`. */
  readonly kind: string;
  /** The second segment, without escapes. */
  readonly id: string | undefined;
}

/** The kinds with a group of commands of the same name, in which `list` shows all. */
const LISTED: ReadonlySet<string> = new Set([
  "deployments",
  "services",
  "invocations",
  "subscriptions",
  "kafka-clusters",
]);

const FIXES: Readonly<Record<number, (refused: Refused) => string | undefined>> = {
  400: () => "Correct the value that the message names.",
  403: () =>
    "An admin API on AWS requires requests that are signed for IAM: reach it through `stepwell proxy`, with credentials whose policy grants execute-api:Invoke on this API.",
  404: ({ kind }) => (LISTED.has(kind) ? `\`stepwell ${kind} list\` shows the existing ${kind}.` : undefined),
  409: conflictFix,
  425: ({ kind, id }) => describeFix(kind, id, "shows for what it waits"),
};

export function fixOf(status: number, { method, path }: RefusedRequest, message: string): string | undefined {
  const [kind = "", id] = path.split("?", 1)[0]!.split("/");
  return FIXES[status]?.({ method, path, message, kind, id: id === undefined ? undefined : decodeURIComponent(id) });
}

function conflictFix({ method, path, message, kind, id }: Refused): string | undefined {
  if (path.startsWith("limits/rules")) return "Run the command again: it reads the rule first.";
  if (message.includes("force=true")) return "On this command line, force=true is --force.";
  if (/^services\/[^/]+\/state$/.test(path)) return "Run the command again: it shows the present state first.";
  if (method === "POST") return LISTED.has(kind) ? `\`stepwell ${kind} list\` shows the existing ${kind}.` : undefined;
  return describeFix(kind, id, "shows the status");
}

function describeFix(kind: string, id: string | undefined, does: string): string | undefined {
  return id !== undefined && LISTED.has(kind) ? `\`stepwell ${kind} describe ${id}\` ${does}.` : undefined;
}

/** @param cause the status and the request */
async function unknownRequest(server: AdminServer, cause: string): Promise<CommandFailure> {
  const ours = packageJson.config.version;
  const theirs = await versionOf(server);
  const isOther = theirs !== undefined && theirs !== ours;
  return new CommandFailure(
    isOther
      ? `The server, version ${theirs}, does not know this request of the command, version ${ours}`
      : "The server does not know this request",
    {
      exitCode: EXIT_REFUSED,
      cause,
      fix: isOther
        ? `Use version ${theirs} of the command, or bring the server to version ${ours}.`
        : "Check that --admin-url is the address of an admin API.",
    },
  );
}

/** @returns the server's version; undefined if the server does not identify itself as Stepwell */
async function versionOf(server: AdminServer): Promise<string | undefined> {
  const asked = { method: "GET", path: "version", headers: { accept: "application/json", ...tokenHeaders(server) } };
  try {
    const { body } = await exchange(server, asked, { withinMs: VERSION_WITHIN_MS, answerMaxBytes: VERSION_MAX_BYTES });
    const { product, product_version: version } = JSON.parse(body.toString("utf8")) as Partial<VersionBody>;
    return product === PRODUCT && typeof version === "string" ? version : undefined;
  } catch {
    return undefined;
  }
}
