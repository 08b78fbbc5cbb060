/** HTTP requests and responses as plain data, independent of the HTTP layer (Node's servers or a gateway). */

export interface HttpRequest {
  /** Upper-case. */
  readonly method: string;
  /** Undecoded, without the query. Begins with a slash. */
  readonly path: string;
  /** The text after the question mark, undecoded; empty without one. */
  readonly query: string;
  /** Lower-case names; the first value of a repeated name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body; empty without one. */
  readonly body: Uint8Array;
  /** The caller, if the HTTP layer has authenticated one. */
  readonly caller?: string;
  /** The caller as claimed by an event without a gateway; unverified. */
  readonly claimedCaller?: string;
  /** The gateway's id of the request, which links to its access log as proof of the caller. */
  readonly gatewayRequestId?: string;
  /** Aborts when the client disconnects. */
  readonly signal?: AbortSignal;
  /** In epoch milliseconds: the HTTP layer cannot send a later answer. Absent without a deadline. */
  readonly answerByMs?: number;
}

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names. The HTTP layer adds `content-length` and `date`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Added to every answer: handlers choose the bytes, and a browser must not interpret them as a page or a script. */
export const NO_SNIFFING = { "x-content-type-options": "nosniff" } as const;

const TEXT = new TextEncoder();
const NOTHING = new Uint8Array(0);

export function emptyResponse(status: number, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  return { status, headers, body: NOTHING };
}

/** @param body any value that `JSON.stringify` accepts */
export function jsonResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: TEXT.encode(JSON.stringify(body)),
  };
}

export function textResponse(status: number, body: string, contentType = "text/plain; charset=utf-8"): HttpResponse {
  return { status, headers: { "content-type": contentType }, body: TEXT.encode(body) };
}
