/** Sends requests to the ingress and turns its refusals, and failures of invocations, into failures of the command. */
import { errorBody, firstLine } from "./answer-text.ts";
import { exchange, shownBase, type HttpAnswer, type HttpRequest } from "./http-exchange.ts";
import { setTimeout } from "node:timers/promises";
import type { Terminal } from "../text/terminal.ts";
import type { IngressErrorBody } from "../../../shared/api/wire/ingress.ts";
import {
  codedFailure,
  CommandFailure,
  EXIT_INVOCATION_FAILED,
  EXIT_NO_SERVER,
  EXIT_REFUSED,
} from "../text/command-failure.ts";
import { proxyFailure } from "./proxy-failure.ts";

const CODED = /^\[((?:RT|META)\d{4})\] /;
const OPTIONS = "--ingress-url or STEPWELL_INGRESS_URL";
/** The shortest pause: a server that answers at once gets at most one request a second. */
const PAUSE_MIN_MS = 1000;
/** The longest pause, because the result may arrive much earlier than the server expects. */
const PAUSE_MAX_MS = 300_000;

interface IngressRequest extends HttpRequest {
  readonly method: "GET" | "POST";
  readonly body?: Uint8Array;
}

export type IngressAnswer = HttpAnswer;

export function attachRequest(id: string): IngressRequest {
  return { method: "GET", path: `restate/invocation/${encodeURIComponent(id)}/attach` };
}

/** Answers at once: with the result, with the failure, or with a refusal if there is no result. */
export function outputRequest(id: string): IngressRequest {
  return { method: "GET", path: `restate/invocation/${encodeURIComponent(id)}/output` };
}

export function invocationIdOf({ headers }: IngressAnswer): string | undefined {
  const id = headers["x-restate-id"];
  return typeof id === "string" ? id : undefined;
}

export interface IngressClient {
  /**
   * @param what progress text, shown when the request takes long
   * @param signal the signal that aborts the request
   * @throws CommandFailure when the ingress refuses or cannot be reached, and when the invocation ended with a failure
   */
  ask(request: IngressRequest, what: string, signal?: AbortSignal): Promise<IngressAnswer>;
}

/** @throws Error when the signal aborts the pause */
type Pause = (pauseMs: number, signal: AbortSignal | undefined) => Promise<void>;

const STATUS_OUT_OF_TIME = 504;

/** @param base the address of the ingress, which ends with a slash */
export function ingressClient(
  base: string,
  { during }: Pick<Terminal, "during">,
  pause: Pause = paused,
): IngressClient {
  async function answerTo(request: IngressRequest, signal: AbortSignal | undefined): Promise<IngressAnswer> {
    let asked = request;
    for (;;) {
      const answer = await exchange({ base, options: OPTIONS }, asked, signal && { signal });
      const id = invocationIdOf(answer);
      // An ingress with a time limit may answer before the invocation ends; the result then comes from an attach.
      if (answer.status === STATUS_OUT_OF_TIME && id !== undefined && sourceOf(answer) === "ingress") {
        asked = attachRequest(id);
        await pause(pauseMsOf(answer), signal);
        continue;
      }
      const isSuccess = answer.status >= 200 && answer.status < 300;
      // A failure of an invocation may have any status; the header distinguishes it from a result.
      if (isSuccess && sourceOf(answer) === undefined) return answer;
      throw failureOf(shownBase(base), asked, answer);
    }
  }
  return { ask: (request, what, signal) => during(what, answerTo(request, signal)) };
}

function sourceOf({ headers }: IngressAnswer): unknown {
  return headers["x-restate-error-source"];
}

/** The header `retry-after` contains seconds or a date. @returns the pause in milliseconds */
function pauseMsOf({ headers }: IngressAnswer): number {
  const after = headers["retry-after"] ?? "";
  const askedMs = /^\d{1,9}$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now();
  return Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS, Number.isNaN(askedMs) ? 0 : askedMs));
}

async function paused(pauseMs: number, signal: AbortSignal | undefined): Promise<void> {
  await setTimeout(pauseMs, undefined, signal && { signal });
}

/** @param base the address of the ingress */
export function failureOf(base: string, asked: IngressRequest, answer: IngressAnswer): CommandFailure {
  const text = answer.body.toString("utf8");
  const body = errorBody<IngressErrorBody>(text);
  if (body?.source === "invocation") return failedInvocation(body, answer);
  const { status } = answer;
  const ofProxy = proxyFailure({ base, asked: `${asked.method} /${asked.path}`, status, text });
  if (ofProxy !== undefined) return ofProxy;
  if (isFromAdminApi(text, answer)) return noIngress(base);
  const message = body?.message ?? firstLine(text);
  const code = CODED.exec(message)?.[1];
  if (code !== undefined) return codedFailure(code, message);
  const fix = fixOf(asked, answer);
  return new CommandFailure(message === "" ? "The server refused the request" : message, {
    exitCode: EXIT_REFUSED,
    status,
    cause: `${status} to ${asked.method} /${asked.path}`,
    ...(fix !== undefined && { fix }),
  });
}

function failedInvocation(
  { code, message, metadata = {} }: ErrorBody,
  { headers, status }: IngressAnswer,
): CommandFailure {
  const id = headers["x-restate-id"];
  const pairs = Object.entries(metadata).map(([name, value]) => `${name}=${value}`);
  return new CommandFailure(message === "" ? "The invocation failed" : message, {
    exitCode: EXIT_INVOCATION_FAILED,
    status,
    cause: [`${typeof id === "string" ? id : "the invocation"} failed with ${code}`, ...pairs].join(", "),
    ...(typeof id === "string" && {
      invocationId: id,
      fix: `\`stepwell invocations describe ${id}\` shows its journal.`,
    }),
  });
}

function fixOf({ path }: IngressRequest, { status, headers }: IngressAnswer): string | undefined {
  const id = headers["x-restate-id"];
  if (typeof id === "string") return `\`stepwell attach ${id}\` waits for the result.`;
  if (status === 401 || status === 403)
    return "An ingress behind IAM requires signed requests: reach it through `stepwell proxy`, and give that port as --ingress-url.";
  if (status !== 404) return undefined;
  return path.startsWith("restate/invocation/")
    ? "`stepwell invocations list` shows the existing invocations."
    : "`stepwell services list` shows the services with their handlers.";
}

/**
 * A refusal of the ingress names its source; a refusal of the admin API does not. The admin API of restate-server answers
 * an absent route with 404 and without a body.
 */
function isFromAdminApi(text: string, { status }: IngressAnswer): boolean {
  if (text === "") return status === 404;
  const body = errorBody<IngressErrorBody>(text);
  return body !== undefined && "restate_code" in body && body.source === undefined;
}

type ErrorBody = Partial<IngressErrorBody> & Pick<IngressErrorBody, "message">;

function noIngress(base: string): CommandFailure {
  return new CommandFailure(`The server at ${base} is not an ingress`, {
    exitCode: EXIT_NO_SERVER,
    cause: "it does not answer like an ingress",
    fix: "Give the address of the ingress with --ingress-url or STEPWELL_INGRESS_URL; the admin API has another port.",
  });
}
