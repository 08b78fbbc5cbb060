/** The record of who changed what: one line in the log for each call of the admin API that may change something. */
import { MASK, shownUri } from "../../core/model/deployment.ts";
import type { Engine } from "../../engine/engine.ts";
import type { HttpRequest, HttpResponse } from "../http/message.ts";
import { withoutCredentials } from "../http/query-credentials.ts";
import { maskedValues } from "./masked.ts";

const READING_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
/** Asked by POST, and changes nothing. */
const READING_PATHS = /^(?:\/v\d+)?\/query$/;
const BODY_MAX_CHARACTERS = 2048;
/** Members whose values are nobody else's business: credentials, and the state of objects. */
const MASKED_MEMBERS: ReadonlySet<string> = new Set([
  "additional_headers",
  "properties",
  "options",
  "auth",
  "new_state",
]);

export function changesSomething({ method, path }: HttpRequest): boolean {
  return !READING_METHODS.has(method) && !READING_PATHS.test(path);
}

/** Refused calls are recorded as well: who tried is worth knowing. */
export function recordCall(engine: Engine, request: HttpRequest, response: HttpResponse): void {
  const { method, path, caller } = request;
  const query = withoutCredentials(request.query);
  engine.log.info("admin call", {
    method,
    path,
    status: response.status,
    caller: caller ?? "not known",
    ...(query !== "" && { query }),
    ...(request.body.length > 0 && { body: maskedBody(request.body) }),
  });
}

/** What is no JSON object is told by its size alone. */
function maskedBody(body: Uint8Array): string {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(body));
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return `${body.length} bytes`;
    const shown = Object.entries(parsed).map(([name, value]: [string, unknown]) => [name, masked(name, value)]);
    return JSON.stringify(Object.fromEntries(shown)).slice(0, BODY_MAX_CHARACTERS);
  } catch {
    return `${body.length} bytes`;
  }
}

function masked(name: string, value: unknown): unknown {
  if (name === "uri" && typeof value === "string") return shownUri(value);
  if (!MASKED_MEMBERS.has(name) || value === null) return value;
  return typeof value === "object" ? maskedValues(value) : MASK;
}
