/** Turns an answer of the ingress into a failure: a refusal, a failed invocation, or a server that is no ingress. */
import type { IngressErrorBody } from "../../../shared/api/wire/ingress.ts";
import { CommandFailure, codedFailure } from "../text/command-failure.ts";
import { EXIT_INVOCATION_FAILED, EXIT_NO_SERVER, EXIT_REFUSED } from "../text/exit-codes.ts";
import { proxyFailure } from "./proxy-failure.ts";
import type { IngressAnswer, IngressRequest } from "./ingress-exchange.ts";

const PLAIN_TEXT_MAX = 300;
const CODED = /^\[((?:RT|META)\d{4})\] /;

/** @param base the address of the ingress */
export function failureOf(base: string, asked: IngressRequest, answer: IngressAnswer): CommandFailure {
  const text = answer.body.toString("utf8");
  const body = errorBody(text);
  if (body?.source === "invocation") return failedInvocation(body, answer);
  const { status } = answer;
  const ofProxy = proxyFailure({ base, asked: `${asked.method} /${asked.path}`, status, text });
  if (ofProxy !== undefined) return ofProxy;
  if (isFromAdminApi(text, answer)) return noIngress(base);
  const message = body?.message ?? text.trim().split("\n", 1)[0]!.slice(0, PLAIN_TEXT_MAX);
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
  const body = errorBody(text);
  return body !== undefined && "restate_code" in body && body.source === undefined;
}

type ErrorBody = Partial<IngressErrorBody> & Pick<IngressErrorBody, "message">;

function errorBody(text: string): ErrorBody | undefined {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody> | null;
    return typeof body?.message === "string" ? { ...body, message: body.message } : undefined;
  } catch {
    return undefined;
  }
}

function noIngress(base: string): CommandFailure {
  return new CommandFailure(`The server at ${base} is not an ingress`, {
    exitCode: EXIT_NO_SERVER,
    cause: "it does not answer like an ingress",
    fix: "Give the address of the ingress with --ingress-url or STEPWELL_INGRESS_URL; the admin API has another port.",
  });
}
