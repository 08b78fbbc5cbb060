/** Selects the request headers that become part of an invocation. The journal does not contain the others. */
import type { Header } from "../../core/model/header.ts";
import { isOptionHeader } from "../../core/model/request-options.ts";
import { readTraceparent } from "../../core/model/trace-context.ts";
import type { HttpRequest } from "../http/message.ts";
import { CALLER_HEADER, CALLER_MAX_CHARACTERS, isCaller } from "../../core/model/caller.ts";
import { CONNECTION_HEADERS } from "../wire/connection-headers.ts";
import { isCredentialHeader } from "../http/credential-names.ts";
import { withoutCredentials } from "../http/query-credentials.ts";
import { IngressRefusal } from "./ingress-refusal.ts";

/** The ingress sets this header for handlers and drops the caller's value, which a handler could take for the real one. */
const INGRESS_PATH = "x-restate-ingress-path";

/**
 * Headers of the connection or of the ingress itself, which are dropped. The headers that `connection` names are kept:
 * otherwise a caller could remove headers that a proxy has added.
 */
const OF_THE_INGRESS = new Set([
  ...CONNECTION_HEADERS,
  "host",
  "idempotency-key",
  "idempotency-expires",
  INGRESS_PATH,
  CALLER_HEADER,
]);

/** @returns true if the name is in a list of the settings */
export type Wanted = (name: string) => boolean;

/** Which headers of a request reach handlers, and with them the journal. */
export interface HeaderChoice {
  /** Headers with credentials that reach handlers all the same; also parameters of the query. */
  readonly isForwarded: Wanted;
  /** The headers that reach handlers; undefined if all do that have no credentials. */
  readonly isJournaled?: Wanted;
}

/** @param forwarded headers with credentials that reach handlers @param journaled the only ones that do; all if it is empty */
export function headerChoice(forwarded: readonly string[] = [], journaled: readonly string[] = []): HeaderChoice {
  const isForwarded = wantedHeaders(forwarded);
  if (journaled.length === 0) return { isForwarded };
  const isListed = wantedHeaders(journaled);
  return { isForwarded, isJournaled: (name) => isListed(name) || isForwarded(name) };
}

/** @param names the names in lower case; a `*` at the end matches any ending */
function wantedHeaders(names: readonly string[]): Wanted {
  const whole = new Set(names);
  const beginnings = names.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  return (name) => whole.has(name) || beginnings.some((beginning) => name.startsWith(beginning));
}

/**
 * The headers that the handler receives; the first is the path of the call.
 * @throws IngressRefusal 400 if the value of a kept header is not printable ASCII
 */
export function submissionHeaders(request: HttpRequest, { isForwarded, isJournaled }: HeaderChoice): Header[] {
  const query = withoutCredentials(request.query, isForwarded);
  const path = query === "" ? request.path : `${request.path}?${query}`;
  const kept: Header[] = [{ key: INGRESS_PATH, value: path }];
  for (const key in request.headers) {
    if (OF_THE_INGRESS.has(key) || isOptionHeader(key) || (isCredentialHeader(key) && !isForwarded(key))) continue;
    if (isJournaled !== undefined && !isJournaled(key)) continue;
    kept.push({ key, value: headerText(request, key)! });
  }
  return kept;
}

/**
 * The caller, if the HTTP layer has authenticated one.
 * @throws IngressRefusal 403 for an identity that is too long or not printable ASCII
 */
export function callerOf({ caller }: HttpRequest): string | undefined {
  if (caller === undefined || isCaller(caller)) return caller;
  throw new IngressRefusal(
    403,
    `the caller's identity is not accepted: it has more than ${CALLER_MAX_CHARACTERS} characters, or some outside printable ASCII`,
  );
}

/**
 * One header of the request; undefined if absent.
 * @throws IngressRefusal 400 for a value that is not printable ASCII
 */
export function headerText(request: HttpRequest, name: string): string | undefined {
  const value = request.headers[name];
  if (value === undefined || isHeaderText(value)) return value;
  throw new IngressRefusal(400, `bad header '${name}': its value has characters outside printable ASCII`);
}

/** True if the value is valid in a header: printable ASCII, spaces and tabs. */
export function isHeaderText(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if ((code < 32 && code !== 9) || code > 126) return false;
  }
  return true;
}

/** The trace context of the request; undefined if it is absent or invalid. */
export function traceparentOf(request: HttpRequest): string | undefined {
  const value = request.headers["traceparent"];
  return value !== undefined && readTraceparent(value) !== undefined ? value : undefined;
}
