/**
 * Cross-origin rules of the ingress: pages of every origin may call, but without the credentials that the browser has for the ingress,
 * such as a cookie of an authenticating proxy. Otherwise any page could act in the name of the user who looks at it.
 */
import { emptyResponse, type HttpRequest, type HttpResponse } from "../http/message.ts";
import { isHeaderText } from "./submission-headers.ts";

const VARY = "origin, access-control-request-method, access-control-request-headers";

const NONE: ReadonlySet<string> = new Set();

/**
 * Adds the headers of every ingress response.
 * @param credentialed the origins whose pages may use the browser's credentials
 */
export function withCommonHeaders(
  request: HttpRequest,
  response: HttpResponse,
  credentialed: ReadonlySet<string> = NONE,
): HttpResponse {
  const headers: Record<string, string> = { ...response.headers, vary: VARY };
  const origin = request.headers["origin"];
  if (origin !== undefined && credentialed.has(origin)) headers["access-control-allow-credentials"] = "true";
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
