/** The ingress as one function from request to response: it routes, and turns every failure into an answer. */
import { hex } from "../../core/model/hex.ts";
import { StoppingError } from "../../engine/ingress/attach.ts";
import type { Engine } from "../../engine/engine.ts";
import { StoreError } from "../../engine/ports/table.ts";
import type { HttpRequest, HttpResponse } from "../http/message.ts";
import { emptyResponse, jsonResponse } from "../http/message.ts";
import type { HealthBody } from "../wire/ingress.ts";
import { refusalResponse, unfinishedResponse } from "./answers.ts";
import { completeAwakeable } from "./awakeable-route.ts";
import { answerCall } from "./call-route.ts";
import { preflight, withCommonHeaders } from "./cors.ts";
import { parseIngressPath } from "./ingress-path.ts";
import { IngressRefusal, methodNotAllowed } from "./ingress-refusal.ts";
import { answerQuestion } from "./result-routes.ts";
import { routeWords } from "./route-words.ts";
import { wantedHeaders } from "./submission-headers.ts";
import type { Wanted } from "./submission-headers.ts";
import type { IngressUseCases } from "./use-cases.ts";

/** `stopping`: the process ends. `out-of-time`: the process has so much time for a request and no more. */
export type Unfinished = "stopping" | "out-of-time";

export interface IngressOptions {
  /** Why this process may have to answer a request before its invocation has ended; `stopping` unless told. */
  readonly unfinished?: Unfinished;
  /** Headers with credentials that handlers get, in lower case; a star at the end stands for any ending. */
  readonly forwardHeaders?: readonly string[];
  /** What may be told outside of a store that failed; that it did not answer, unless told. */
  readonly storeReason?: (error: StoreError) => string;
}

/** Nothing is sent for it: the client has gone. */
const CLIENT_GONE = 499;
const ERROR_ID_BYTES = 8;

/** The promise of the returned function never rejects. */
export function ingressApp(
  engine: Engine,
  useCases: IngressUseCases,
  options: IngressOptions = {},
): (request: HttpRequest) => Promise<HttpResponse> {
  const { forwardHeaders = [] } = options;
  const isWanted = wantedHeaders(forwardHeaders);
  return async (request) => {
    if (request.method === "OPTIONS") return withCommonHeaders(request, preflight(request));
    let response: HttpResponse;
    try {
      response = await answer(engine, useCases, request, isWanted);
    } catch (error) {
      response = failedAnswer(engine, request, error, options);
    }
    return withCommonHeaders(request, response);
  };
}

async function answer(
  engine: Engine,
  useCases: IngressUseCases,
  request: HttpRequest,
  isWanted: Wanted,
): Promise<HttpResponse> {
  const path = parseIngressPath(request.path);
  switch (path.kind) {
    case "call":
      return answerCall(engine, useCases, request, path, isWanted);
    case "awakeable":
      return completeAwakeable(engine, useCases, request, path);
    case "health":
      return health(engine, request);
    default:
      return answerQuestion(engine, useCases, request, path);
  }
}

async function health(engine: Engine, request: HttpRequest): Promise<HttpResponse> {
  if (request.method !== "GET") throw methodNotAllowed("GET");
  const body: HealthBody = { services: (await engine.registry.services()).map(({ service }) => service.name) };
  return jsonResponse(200, body);
}

/** Outside only what helps the caller is told; an unexpected error shows an id, under which the log has the rest. */
function failedAnswer(engine: Engine, request: HttpRequest, error: unknown, options: IngressOptions): HttpResponse {
  const { unfinished = "stopping", storeReason = () => "the store did not answer" } = options;
  if (error instanceof IngressRefusal) return refusalResponse(error.status, error.message, error.headers);
  if (request.signal?.aborted === true) return emptyResponse(CLIENT_GONE);
  if (error instanceof StoppingError) return unfinishedResponse(error.invocationId, unfinished);
  const errorId = hex(engine.ids.random(ERROR_ID_BYTES));
  const { method, path } = request;
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  engine.log.error("an ingress request failed", { errorId, method, ...routeWords(path), detail });
  if (error instanceof StoreError) {
    return refusalResponse(
      503,
      `${storeReason(error)}, so it is not known whether the request was accepted (${errorId}); ` +
        "a retry with the same idempotency key is safe",
    );
  }
  return refusalResponse(500, `internal error ${errorId}`);
}
