/** Sends requests to the ingress and turns its refusals, and failures of invocations, into failures of the command. */
import { request as requestHttp } from "node:http";
import type { IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { innermost } from "./admin-client.ts";
import { CommandFailure } from "./command-failure.ts";
import { EXIT_NO_SERVER, EXIT_USAGE } from "./exit-codes.ts";
import { attachRequest, invocationIdOf } from "./ingress-exchange.ts";
import type { IngressAnswer, IngressRequest } from "./ingress-exchange.ts";
import { failureOf } from "./ingress-failure.ts";
import type { Terminal } from "./terminal.ts";

export interface IngressClient {
  /**
   * @param what progress text, shown when the request takes long
   * @param signal aborts the request
   * @throws CommandFailure when the ingress refuses or cannot be reached, and when the invocation ended with a failure
   */
  ask(request: IngressRequest, what: string, signal?: AbortSignal): Promise<IngressAnswer>;
}

const STATUS_OUT_OF_TIME = 504;

/** @param base ends with a slash */
export function ingressClient(base: string, { during }: Pick<Terminal, "during">): IngressClient {
  return {
    async ask(request, what, signal) {
      let asked = request;
      for (;;) {
        const answer = await during(what, sent(base, asked, signal));
        const id = invocationIdOf(answer);
        // An ingress with a time limit may answer before the invocation ends; the invocation goes on.
        if (answer.status === STATUS_OUT_OF_TIME && id !== undefined && sourceOf(answer) === "ingress") {
          asked = attachRequest(id);
          continue;
        }
        const isSuccess = answer.status >= 200 && answer.status < 300;
        // A failure of an invocation may have any status; the header tells it from a result.
        if (isSuccess && sourceOf(answer) === undefined) return answer;
        throw failureOf(base, asked, answer);
      }
    },
  };
}

function sourceOf({ headers }: IngressAnswer): unknown {
  return headers["x-restate-error-source"];
}

/** `fetch` gives up after five minutes without headers and normalises paths; this request does neither. */
async function sent(base: string, asked: IngressRequest, signal: AbortSignal | undefined): Promise<IngressAnswer> {
  const url = new URL(base);
  const request: typeof requestHttp = url.protocol === "https:" ? requestHttps : requestHttp;
  const { method, path, headers = {}, body } = asked;
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { method, path: `${url.pathname}${path}`, headers, agent: false as const };
      request(url, { ...options, ...(signal && { signal }) }, resolve)
        .once("error", reject)
        .end(body);
    });
    const pieces: Buffer[] = [];
    for await (const piece of response) pieces.push(piece as Buffer);
    return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) };
  } catch (error) {
    if (isUnsendable(error)) {
      throw new CommandFailure("A header cannot be sent", {
        exitCode: EXIT_USAGE,
        cause: innermost(error),
        fix: "Write names of letters, digits and hyphens, and values without control characters, in Latin letters.",
      });
    }
    throw new CommandFailure(`No server answers at ${base}`, {
      exitCode: EXIT_NO_SERVER,
      cause: innermost(error),
      fix: "Start a server with `stepwell dev`, or give another address with --ingress-url or STEPWELL_INGRESS_URL.",
    });
  }
}

/** True if the request has a header that HTTP does not allow. */
function isUnsendable(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ERR_INVALID_CHAR" || code === "ERR_INVALID_HTTP_TOKEN";
}
