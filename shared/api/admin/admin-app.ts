/** The admin API as one function from request to response; it routes requests and converts every failure to an answer. */
import { isCaller } from "../../core/model/caller.ts";
import { hex } from "../../core/model/hex.ts";
import type { Engine } from "../../engine/engine.ts";
import { StoreError } from "../../engine/ports/table.ts";
import { emptyResponse, jsonResponse, textResponse, type HttpRequest, type HttpResponse } from "../http/message.ts";
import { HttpProblem, problemOf } from "../http/problem.ts";
import { createRouter } from "../http/router.ts";
import type { AdminErrorBody } from "../contract/server.ts";
import { ABSENT_ROUTES } from "./server/absent-routes.ts";
import { type AdminDeps, type AdminRequest, route, PlainRefusal } from "./requests/admin-request.ts";
import { DEPLOYMENT_ROUTES } from "./deployments/deployment-routes.ts";
import { PROBE_ROUTE } from "./deployments/probe-route.ts";
import { BATCH_ROUTE } from "./invocations/batch-route.ts";
import { LIST_ROUTE } from "./invocations/invocation-list-route.ts";
import { INVOCATION_ROUTES } from "./invocations/invocation-routes.ts";
import { isRecorded, recordCall } from "./server/audit.ts";
import { AWAKEABLE_ROUTES, CALL_ROUTES } from "./invocations/call-route.ts";
import { OVERVIEW_ROUTE } from "./invocations/overview-route.ts";
import { RULE_ROUTES } from "./limits/rule-routes.ts";
import { openApiDocument } from "./openapi-document.ts";
import { SCHEDULE_ROUTES } from "./schedules/schedule-routes.ts";
import { QUERY_ROUTE } from "./sql/query-route.ts";
import { packedAnswer } from "./requests/packed-answer.ts";
import { sharedLook, API_VERSION_MAX, API_VERSION_MIN, SERVER_ROUTES, storeReadiness } from "./server/server-routes.ts";
import { UI_ROUTES } from "./server/ui-routes.ts";
import { SERDE_ROUTES } from "./services/serde-routes.ts";
import { SERVICE_COUNTS_ROUTE } from "./services/service-counts-route.ts";
import { SERVICE_ROUTES } from "./services/service-routes.ts";
import { STATE_ROUTES } from "./services/state-routes.ts";
import { CLUSTER_ROUTES } from "./topics/kafka-routes.ts";
import { SUBSCRIPTION_ROUTES } from "./topics/subscription-routes.ts";

const PREFIX = /^\/v(\d{1,3})(?=\/)/;
const ERROR_ID_BYTES = 8;
const PATH_SHOWN_MAX = 200;

/** The OpenAPI document lists the routes in this order. */
export const ROUTES = [
  ...SERVER_ROUTES,
  ...UI_ROUTES,
  route("GET", "/openapi", showOpenApi),
  ...DEPLOYMENT_ROUTES,
  PROBE_ROUTE,
  ...SERVICE_ROUTES,
  ...STATE_ROUTES,
  SERVICE_COUNTS_ROUTE,
  ...SUBSCRIPTION_ROUTES,
  ...CLUSTER_ROUTES,
  ...RULE_ROUTES,
  ...SCHEDULE_ROUTES,
  QUERY_ROUTE,
  ...CALL_ROUTES,
  OVERVIEW_ROUTE,
  ...SERDE_ROUTES,
  ...AWAKEABLE_ROUTES,
  LIST_ROUTE,
  ...INVOCATION_ROUTES,
  BATCH_ROUTE,
];
const findRoute = createRouter([...ROUTES, ...ABSENT_ROUTES]);

/** Answers have inputs, results and keys: no cache of a browser or a proxy keeps one that does not allow it. */
const UNSTORED = { "cache-control": "no-store" };

/** The returned function's promise never rejects. */
export function adminApp(engine: Engine, given: AdminDeps): (request: HttpRequest) => Promise<HttpResponse> {
  const look = given.readiness ?? (() => storeReadiness(engine));
  const deps = { ...given, readiness: sharedLook(look, () => engine.clock.nowMs()) };
  return async (request) => {
    const whole = await answer(engine, deps, request).catch((error: unknown) => failedAnswer(engine, request, error));
    if (isRecorded(request)) recordCall(engine, request, whole);
    const response = { ...whole, headers: { ...UNSTORED, ...whole.headers } };
    if (deps.packing === undefined) return response;
    // Without room for its work, the compression may fail, and the plain answer is as good.
    return await packedAnswer(deps.packing, request, response).catch(() => response);
  };
}

async function answer(engine: Engine, deps: AdminRequest["deps"], request: HttpRequest): Promise<HttpResponse> {
  if (request.caller !== undefined && !isCaller(request.caller)) {
    throw new PlainRefusal(403, "The caller's identity is too long, or not in printable ASCII");
  }
  const prefix = PREFIX.exec(request.path);
  const apiVersion = prefix === null ? API_VERSION_MAX : Number(prefix[1]);
  if (apiVersion < API_VERSION_MIN || apiVersion > API_VERSION_MAX) {
    const range = `v${API_VERSION_MIN} to v${API_VERSION_MAX}`;
    throw new PlainRefusal(400, `Unsupported API version v${apiVersion}; this server answers ${range}`);
  }
  const method = request.method === "HEAD" ? "GET" : request.method;
  const match = findRoute(method, prefix === null ? request.path : request.path.slice(prefix[0].length));
  switch (match.kind) {
    case "found":
      return match.target({ engine, deps, request, apiVersion, params: match.params });
    case "wrong-method":
      return emptyResponse(405, { allow: match.allow.flatMap(withHead).join(",") });
    case "unknown":
      throw new HttpProblem(
        404,
        `There is no route ${request.method} ${shownPath(request.path)}; GET /openapi lists the routes`,
      );
  }
}

/** The beginning of the path: a client may send one of any length. */
function shownPath(path: string): string {
  return path.length > PATH_SHOWN_MAX ? `${path.slice(0, PATH_SHOWN_MAX)}…` : path;
}

/** Every GET route also answers HEAD; the HTTP layer omits the body. */
function withHead(method: string): readonly string[] {
  return method === "GET" ? ["GET", "HEAD"] : [method];
}

async function showOpenApi({ deps }: AdminRequest): Promise<HttpResponse> {
  return jsonResponse(200, openApiDocument(ROUTES, deps.version));
}

function failedAnswer(engine: Engine, request: HttpRequest, error: unknown): HttpResponse {
  if (error instanceof PlainRefusal) return textResponse(error.status, error.message);
  const { method, path } = request;
  const newId = (): string => hex(engine.ids.random(ERROR_ID_BYTES));
  const known = error instanceof StoreError ? new HttpProblem(503, error.message) : error;
  const { status, message, code } = problemOf(known, newId, (errorId) => {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    engine.log.write("admin-request.failed", { errorId, method, path, detail });
  });
  const body: AdminErrorBody = { message, restate_code: code ?? null };
  return jsonResponse(status, body);
}
