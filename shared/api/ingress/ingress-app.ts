/** The ingress as one function from request to response; it routes requests and converts every failure to an answer. */
import { hex } from "../../core/model/hex.ts";
import { principalOf } from "../../core/model/principal.ts";
import { StoppingError } from "../../engine/ingress/attach.ts";
import type { Engine } from "../../engine/engine.ts";
import { StoreError } from "../../engine/ports/table.ts";
import { emptyResponse, type HttpRequest, type HttpResponse, jsonResponse } from "../http/message.ts";
import type { HealthBody } from "../wire/ingress.ts";
import { refusalResponse, unfinishedResponse } from "./answers.ts";
import { completeAwakeable, answerQuestion } from "./result-routes.ts";
import { answerCall } from "./call-route.ts";
import { preflight, withCommonHeaders } from "./cors.ts";
import { parseIngressPath, routeWords } from "./ingress-path.ts";
import { IngressRefusal, methodNotAllowed } from "./ingress-refusal.ts";
import { callerOf, headerChoice } from "./submission-headers.ts";
import { type IngressUseCases, USE_CASES } from "./use-cases.ts";

/** `stopping`: the process ends. `out-of-time`: the time that the process has for one request is used up. */
export type Unfinished = "stopping" | "out-of-time";

export interface IngressOptions {
  /** Why this process may answer a request before its invocation has ended; `stopping` by default. */
  readonly unfinished?: Unfinished;
  /** Headers with credentials that handlers receive, in lower case; a trailing star matches any ending. */
  readonly forwardHeaders?: readonly string[];
  /** The only headers that handlers receive, in the same form; all without credentials if it is empty. */
  readonly journaledHeaders?: readonly string[];
  /** Origins whose pages may use the credentials that the browser has for this ingress. */
  readonly credentialedOrigins?: readonly string[];
  /** Present if callers are bound to what they made: the principals that may ask about every invocation. */
  readonly boundExcept?: readonly string[];
  /** The reason that a client sees when the store fails; by default "the store did not answer". */
  readonly storeReason?: (error: StoreError) => string;
}

/** Never sent: the client has disconnected. */
const CLIENT_GONE = 499;
const ERROR_ID_BYTES = 8;

/** The returned function's promise never rejects. */
export function ingressApp(
  engine: Engine,
  options: IngressOptions = {},
  useCases: IngressUseCases = USE_CASES,
): (request: HttpRequest) => Promise<HttpResponse> {
  const headers = headerChoice(options.forwardHeaders, options.journaledHeaders);
  const origins = new Set(options.credentialedOrigins);
  const { boundExcept } = options;
  const readers = boundExcept && new Set(boundExcept.map(principalOf));
  const health = healthOf(engine);
  return async (request) => {
    if (request.method === "OPTIONS") return withCommonHeaders(request, preflight(request), origins);
    let response: HttpResponse;
    try {
      const by = readers && { caller: callerOf(request), readers };
      const path = parseIngressPath(request.path);
      if (path.kind === "call") response = await answerCall(engine, useCases, request, path, { headers, by });
      else if (path.kind === "awakeable") response = await completeAwakeable(engine, useCases, request, path);
      else if (path.kind === "health") response = await health(request);
      else response = await answerQuestion(engine, useCases, request, path, by);
    } catch (error) {
      response = failedAnswer(engine, request, error, options);
    }
    return withCommonHeaders(request, response, origins);
  };
}

/** Says that the process answers, also while its store does not: the services are then those of the last answer. */
function healthOf({ registry }: Engine): (request: HttpRequest) => Promise<HttpResponse> {
  let body: HealthBody = { services: [] };
  return async ({ method }) => {
    if (method !== "GET") throw methodNotAllowed("GET");
    try {
      body = { services: (await registry.services()).map(({ service }) => service.name) };
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
    return jsonResponse(200, body);
  };
}

/** An answer contains only facts that help the caller; an unexpected error shows the id of its log entry. */
function failedAnswer(engine: Engine, request: HttpRequest, error: unknown, options: IngressOptions): HttpResponse {
  const { unfinished = "stopping", storeReason = () => "the store did not answer" } = options;
  if (error instanceof IngressRefusal) return refusalResponse(error.status, error.message, error.headers);
  if (request.signal?.aborted === true) return emptyResponse(CLIENT_GONE);
  if (error instanceof StoppingError) return unfinishedResponse(error.invocationId, unfinished);
  const errorId = hex(engine.ids.random(ERROR_ID_BYTES));
  const { method, path } = request;
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  engine.log.write("ingress-request.failed", { errorId, method, ...routeWords(path), detail });
  if (error instanceof StoreError) {
    return refusalResponse(
      503,
      `${storeReason(error)}, so it is not known whether the request was accepted (${errorId}); ` +
        "a retry with the same idempotency key is safe",
    );
  }
  return refusalResponse(500, `internal error ${errorId}`);
}
