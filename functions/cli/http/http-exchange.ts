/** Sends one request to a server. Returns the answer, or fails with what is known if there is no answer. */
import { request as requestHttp, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { CommandFailure, EXIT_NO_SERVER, EXIT_REFUSED, EXIT_USAGE } from "../text/command-failure.ts";

export interface HttpRequest {
  readonly method: string;
  /** The path after the server's address. It is sent without normalisation, because a key in it may be empty or a dot. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface ServerAddress {
  /** Ends with a slash, and may contain a user and a password. */
  readonly base: string;
  /** The names of the option and the variable that set the address, for messages. */
  readonly options: string;
}

export interface ExchangeLimits {
  readonly signal?: AbortSignal;
  /** No limit if absent. */
  readonly withinMs?: number;
  readonly answerMaxBytes?: number;
}

/** Larger answers would use up the memory of the command; the longest text in JavaScript has about twice this size. */
const ANSWER_MAX_BYTES = 256 * 1024 * 1024;
const MIB = 1024 * 1024;

/** The address for messages, with its user and password hidden, because terminal output ends up in logs and on screens. */
export function shownBase(base: string): string {
  const url = new URL(base);
  if (url.username === "" && url.password === "") return base;
  url.username = "***";
  url.password = "";
  return url.href;
}

/**
 * Unlike `fetch`, this function waits without end if no limit is given, and does not normalise paths.
 * @throws CommandFailure if there is no answer, or if the answer is too large
 */
export async function exchange(
  server: ServerAddress,
  asked: HttpRequest,
  limits: ExchangeLimits = {},
): Promise<HttpAnswer> {
  const limit = new AbortController();
  const { withinMs, answerMaxBytes = ANSWER_MAX_BYTES } = limits;
  const timer = withinMs === undefined ? undefined : setTimeout(() => limit.abort(), withinMs);
  const signal = AbortSignal.any([limit.signal, ...(limits.signal === undefined ? [] : [limits.signal])]);
  const progress: Progress = { isConnected: false };
  try {
    const response = await responseTo(server.base, asked, signal, progress);
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of response) {
      pieces.push(piece as Buffer);
      size += (piece as Buffer).length;
      if (size > answerMaxBytes) throw tooLarge(server, answerMaxBytes);
    }
    return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) };
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    if (limit.signal.aborted) throw outOfTime(server, asked, withinMs!);
    throw failureOf(server, asked, error, progress);
  } finally {
    clearTimeout(timer);
  }
}

interface Progress {
  /** True once the connection exists, and for https once its certificate is checked: the server may then have the request. */
  isConnected: boolean;
}

function responseTo(
  base: string,
  asked: HttpRequest,
  signal: AbortSignal,
  progress: Progress,
): Promise<IncomingMessage> {
  const url = new URL(base);
  const isSecure = url.protocol === "https:";
  const request: typeof requestHttp = isSecure ? requestHttps : requestHttp;
  const { method, path, headers = {}, body } = asked;
  return new Promise((resolve, reject) => {
    // A connection for each request: a server may close a kept one just when the next request arrives.
    const options = { method, path: `${url.pathname}${path}`, headers, agent: false as const, signal };
    request(url, options, resolve)
      .once("socket", (socket) =>
        socket.once(isSecure ? "secureConnect" : "connect", () => (progress.isConnected = true)),
      )
      .once("error", reject)
      .end(body);
  });
}

function failureOf(
  { base, options }: ServerAddress,
  { method, path }: HttpRequest,
  error: unknown,
  progress: Progress,
): CommandFailure {
  const cause = innermost(error);
  const failed = (message: string, fix: string): CommandFailure =>
    new CommandFailure(message, { exitCode: EXIT_NO_SERVER, cause: messageOf(cause), fix });
  if (isUnsendable(cause)) {
    return new CommandFailure("A header cannot be sent", {
      exitCode: EXIT_USAGE,
      cause: messageOf(cause),
      fix: "Write names of letters, digits and hyphens, and values without control characters, in Latin letters.",
    });
  }
  const shown = shownBase(base);
  if (progress.isConnected)
    return failed(`The connection to ${shown} broke before the answer was complete`, breakFix(method, path));
  return isOfNetwork(cause)
    ? failed(
        `No server answers at ${shown}`,
        `Start a server with \`stepwell dev\`, or give another address with ${options}.`,
      )
    : failed(
        `There is no connection to ${shown}`,
        `Check the address, which is given with ${options}, and its certificate.`,
      );
}

function outOfTime({ base }: ServerAddress, { method }: HttpRequest, withinMs: number): CommandFailure {
  return new CommandFailure(`${shownBase(base)} did not answer within ${withinMs / 1000} s`, {
    exitCode: EXIT_NO_SERVER,
    fix: repetitionFix(method),
  });
}

/** If a SQL statement fails while it runs, the server breaks off the answer with the rows. */
function breakFix(method: string, path: string): string {
  if (path !== "query") return repetitionFix(method);
  return "If the server still runs, the statement failed or reached a limit: the server's log has the cause as admin-statement.cut.";
}

/** The server may have carried out a request even if no answer arrived. */
function repetitionFix(method: string): string {
  return method === "GET"
    ? "Run the command again."
    : "The server may have carried out the request: look at the result before you run the command again.";
}

function tooLarge({ base }: ServerAddress, maxBytes: number): CommandFailure {
  const size = maxBytes < MIB ? `${maxBytes} bytes` : `${Math.floor(maxBytes / MIB)} MiB`;
  return new CommandFailure(`The answer of ${shownBase(base)} is larger than ${size}`, {
    exitCode: EXIT_REFUSED,
    fix: "Ask for less, or write the answer to a file with another client, such as curl.",
  });
}

/** A connection to a host with several addresses fails with one error per address; the first error is enough. */
function innermost(error: unknown): unknown {
  let at = error;
  while (at instanceof Error) {
    const next: unknown = at instanceof AggregateError ? at.errors[0] : at.cause;
    if (next === undefined) break;
    at = next;
  }
  return at;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** True if the host has no address, or if nothing there takes a connection. */
function isOfNetwork(error: unknown): boolean {
  const { syscall } = error as NodeJS.ErrnoException;
  return syscall === "connect" || syscall === "getaddrinfo";
}

/** True if the request has a header that HTTP does not allow. */
function isUnsendable(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ERR_INVALID_CHAR" || code === "ERR_INVALID_HTTP_TOKEN";
}
