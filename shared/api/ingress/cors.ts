/** Cross-origin rules of the ingress: everything is allowed, and every response says so. */
import type { HttpRequest, HttpResponse } from "../http/message.ts";
import { emptyResponse } from "../http/message.ts";
import { isHeaderText } from "./submission-headers.ts";

const VARY = "origin, access-control-request-method, access-control-request-headers";

/** Adds the headers of every ingress response. */
export function withCommonHeaders(request: HttpRequest, response: HttpResponse): HttpResponse {
  const headers: Record<string, string> = {
    ...response.headers,
    vary: VARY,
    "access-control-allow-credentials": "true",
  };
  const origin = request.headers["origin"];
  if (origin !== undefined && isHeaderText(origin)) headers["access-control-allow-origin"] = origin;
  return { status: response.status, headers, body: response.body };
}

/** Every OPTIONS request counts as a preflight and is granted what it requests; it never reaches a handler. */
export function preflight(request: HttpRequest): HttpResponse {
  const granted: Record<string, string> = {};
  const method = request.headers["access-control-request-method"];
  if (method !== undefined && isHeaderText(method)) granted["access-control-allow-methods"] = method;
  const names = request.headers["access-control-request-headers"];
  if (names !== undefined && isHeaderText(names)) granted["access-control-allow-headers"] = names;
  return emptyResponse(200, granted);
}
