/** HTTP as plain data: what a face receives and what it answers, whatever carried it. */

export interface HttpRequest {
  /** Upper-case. */
  readonly method: string;
  /** As received: not decoded, without the query. Begins with a slash. */
  readonly path: string;
  /** What follows the question mark, not decoded; empty where there is none. */
  readonly query: string;
  /** Lower-case names; of a repeated name the first value. */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body; empty where there is none. */
  readonly body: Uint8Array;
  /** Who asks, where the carrier has found out. */
  readonly caller?: string;
  /** The caller as the sender of an event without a gateway claims it; no component has verified it. */
  readonly claimedCaller?: string;
  /** The gateway's id of the request, which links to its access log as proof of the caller. */
  readonly gatewayRequestId?: string;
  /** Aborts when the client goes away. */
  readonly signal?: AbortSignal;
  /** In epoch milliseconds: the carrier cannot send a later answer. Absent where the carrier has no deadline. */
  readonly answerByMs?: number;
}

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names. The carrier adds `content-length` and `date`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The carriers add these to every answer: handlers choose the bytes, and a browser must not take them for a page or a script. */
export const NO_SNIFFING = { "x-content-type-options": "nosniff" } as const;

const TEXT = new TextEncoder();
const NOTHING = new Uint8Array(0);

export function emptyResponse(status: number, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  return { status, headers, body: NOTHING };
}

/** @param body anything `JSON.stringify` writes */
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
