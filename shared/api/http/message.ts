/** HTTP requests and responses as plain data, the same for both HTTP layers: Node's servers and a gateway. */

export interface HttpRequest {
  /** Upper-case. */
  readonly method: string;
  /** The path, undecoded and without the query. Begins with a slash. */
  readonly path: string;
  /** The text after the question mark, undecoded; empty without a question mark. */
  readonly query: string;
  /** The names are in lower case. If a name is repeated, the first value counts. */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body; empty if the request has none. */
  readonly body: Uint8Array;
  /** The caller, if the HTTP layer has authenticated one. */
  readonly caller?: string;
  /** The caller that a direct call of the Lambda function claims to be. No gateway has verified this caller. */
  readonly claimedCaller?: string;
  /** The gateway's id of the request. The gateway's access log has the authenticated caller under this id. */
  readonly gatewayRequestId?: string;
  /** Aborts when the client disconnects. */
  readonly signal?: AbortSignal;
  /** The deadline in epoch milliseconds, after which the HTTP layer cannot send an answer; absent if there is none. */
  readonly answerByMs?: number;
}

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names. The HTTP layer adds `date`, and `content-length` unless the answer has a `rest`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /**
   * The pieces of the body after `body`, each made when the client has taken the one before. If they end with an error, the HTTP
   * layer breaks the answer off. Absent if `body` is the whole body. Behind an HTTP layer that sends only whole bodies, this
   * member is always absent.
   */
  readonly rest?: AsyncIterable<Uint8Array>;
}

/** Added to every answer, so that a browser does not take bytes from a handler for a page or a script. */
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
