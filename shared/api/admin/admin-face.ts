/** The admin API as one function from request to response: it routes, and turns every failure into an answer. */
import { hex } from "../../core/model/hex.ts";
import type { Engine } from "../../engine/engine.ts";
import { StoreError } from "../../engine/ports/table.ts";
import type { HttpRequest, HttpResponse } from "../http/message.ts";
import { emptyResponse, jsonResponse, textResponse } from "../http/message.ts";
import { HttpProblem, problemOf } from "../http/problem.ts";
import { createRouter } from "../http/router.ts";
import type { AdminErrorBody, VersionBody } from "../wire/admin.ts";
import type { AdminRequest, AdminRoute, AdminSurroundings } from "./admin-request.ts";
import {
  listDeployments,
  patchDeployment,
  registerDeployment,
  removeDeployment,
  replaceDeployment,
  showDeployment,
} from "./deployment-routes.ts";
import { cancelInvocation, killInvocation, showInvocation } from "./invocation-routes.ts";
import { purgeInvocation, purgeJournalOfInvocation } from "./purge-routes.ts";
import { pauseInvocation, resumeInvocation } from "./rest-routes.ts";
import { PlainRefusal } from "./plain-refusal.ts";
import { present } from "./present.ts";
import { listHandlers, listServices, showHandler, showService } from "./service-routes.ts";

const API_VERSION_MIN = 2;
const API_VERSION_MAX = 4;
const PREFIX = /^\/v(\d{1,3})(?=\/)/;
const ERROR_ID_BYTES = 8;
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

const findRoute = createRouter<AdminRoute>([
  { method: "GET", pattern: "/health", target: async () => emptyResponse(200) },
  { method: "GET", pattern: "/version", target: showVersion },
  { method: "GET", pattern: "/metrics", target: showMetrics },
  { method: "GET", pattern: "/deployments", target: listDeployments },
  { method: "POST", pattern: "/deployments", target: registerDeployment },
  { method: "GET", pattern: "/deployments/:id", target: showDeployment },
  { method: "PUT", pattern: "/deployments/:id", target: replaceDeployment },
  { method: "PATCH", pattern: "/deployments/:id", target: patchDeployment },
  { method: "DELETE", pattern: "/deployments/:id", target: removeDeployment },
  { method: "GET", pattern: "/services", target: listServices },
  { method: "GET", pattern: "/services/:service", target: showService },
  { method: "GET", pattern: "/services/:service/handlers", target: listHandlers },
  { method: "GET", pattern: "/services/:service/handlers/:handler", target: showHandler },
  { method: "GET", pattern: "/invocations/:id", target: showInvocation },
  { method: "PATCH", pattern: "/invocations/:id/cancel", target: cancelInvocation },
  { method: "PATCH", pattern: "/invocations/:id/kill", target: killInvocation },
  { method: "PATCH", pattern: "/invocations/:id/purge", target: purgeInvocation },
  { method: "PATCH", pattern: "/invocations/:id/purge-journal", target: purgeJournalOfInvocation },
  { method: "PATCH", pattern: "/invocations/:id/pause", target: pauseInvocation },
  { method: "PATCH", pattern: "/invocations/:id/resume", target: resumeInvocation },
]);

/** The promise of the returned function never rejects. */
export function adminFace(
  engine: Engine,
  surroundings: AdminSurroundings,
): (request: HttpRequest) => Promise<HttpResponse> {
  return async (request) => {
    try {
      return await answer(engine, surroundings, request);
    } catch (error) {
      return failedAnswer(engine, request, error);
    }
  };
}

async function answer(engine: Engine, surroundings: AdminSurroundings, request: HttpRequest): Promise<HttpResponse> {
  const prefix = PREFIX.exec(request.path);
  const apiVersion = prefix === null ? API_VERSION_MAX : Number(prefix[1]);
  if (apiVersion < API_VERSION_MIN || apiVersion > API_VERSION_MAX) {
    const range = `v${API_VERSION_MIN} to v${API_VERSION_MAX}`;
    throw new PlainRefusal(400, `Unsupported API version v${apiVersion}; this server answers ${range}`);
  }
  const match = findRoute(request.method, prefix === null ? request.path : request.path.slice(prefix[0].length));
  switch (match.kind) {
    case "found":
      return match.target({ engine, surroundings, request, apiVersion, params: match.params });
    case "wrong-method":
      return emptyResponse(405, { allow: match.allow.join(",") });
    case "unknown":
      return emptyResponse(404);
  }
}

async function showVersion({ surroundings }: AdminRequest): Promise<HttpResponse> {
  const body: VersionBody = {
    version: surroundings.version,
    min_admin_api_version: API_VERSION_MIN,
    max_admin_api_version: API_VERSION_MAX,
    ...present({ ingress_endpoint: surroundings.ingressEndpoint }),
    features: {},
  };
  return jsonResponse(200, body);
}

async function showMetrics({ surroundings }: AdminRequest): Promise<HttpResponse> {
  return textResponse(200, await surroundings.metricsText(), METRICS_TYPE);
}

function failedAnswer(engine: Engine, request: HttpRequest, error: unknown): HttpResponse {
  if (error instanceof PlainRefusal) return textResponse(error.status, error.message);
  const { method, path } = request;
  const newId = (): string => hex(engine.ids.random(ERROR_ID_BYTES));
  const known = error instanceof StoreError ? new HttpProblem(503, error.message) : error;
  const { status, message, code } = problemOf(known, newId, (errorId) => {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    engine.log.error("an admin request failed", { errorId, method, path, detail });
  });
  const body: AdminErrorBody = { message, restate_code: code ?? null };
  return jsonResponse(status, body);
}
