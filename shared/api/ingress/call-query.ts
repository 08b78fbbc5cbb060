/** The query parameters of calls and sends: the delay and the limit key. */
import { parseDurationMs } from "../../core/model/duration.ts";
import { LAST_MOMENT_MS } from "../../core/model/moment.ts";
import type { HttpRequest } from "../http/message.ts";
import { IngressRefusal } from "./ingress-refusal.ts";
import { headerText } from "./submission-headers.ts";

const LIMIT_KEY = /^[a-zA-Z0-9_.-]{1,36}(?:\/[a-zA-Z0-9_.-]{1,36})?$/;

/**
 * The moment at which a delayed send starts; undefined if the request has no delay.
 * @param nowMs the moment of the request
 * @returns the end of the year 9999 for a delay that ends later, which clients write for "never"
 * @throws IngressRefusal 400 for a call with a delay, and for an invalid delay
 */
export function startAtMs(query: string, oneWay: boolean, nowMs: number): number | undefined {
  const text = parameter(query, "delay");
  if (text === undefined) return undefined;
  if (!oneWay) {
    throw new IngressRefusal(
      400,
      "cannot use the delay query parameter with calls. Only sends can wait: append /send to the path",
    );
  }
  const delayMs = parseDurationMs(text);
  if (delayMs === undefined) {
    throw new IngressRefusal(
      400,
      `bad delay query parameter, must be a ISO8601 duration: '${text}' is neither like PT5S nor like 5s`,
    );
  }
  return Math.min(nowMs + delayMs, LAST_MOMENT_MS);
}

/** @throws IngressRefusal 400 if the request has a limit key, which would have no effect without scopes */
export function refuseLimitKey(request: HttpRequest): void {
  const text = headerText(request, "x-restate-limit-key") ?? parameter(request.query, "limit-key");
  if (text === undefined) return;
  if (!LIMIT_KEY.test(text)) {
    throw new IngressRefusal(
      400,
      `invalid limit-key: '${text}' is not one or two parts of at most 36 letters, digits, '_', '.' or '-' with a '/' between`,
    );
  }
  throw new IngressRefusal(400, "limit-key requires a scope to be set");
}

/** @param name the parameter's name in lower case; names match case-insensitively, and the first match counts */
function parameter(query: string, name: string): string | undefined {
  if (query === "") return undefined;
  for (const [key, value] of new URLSearchParams(query)) {
    if (key.toLowerCase() === name) return value;
  }
  return undefined;
}
