/** Writes plain responses to requests of node's servers, and lets go of clients that do not read them. */
import { STATUS_CODES } from "node:http";
import type { ServerResponse } from "node:http";
import { constants } from "node:http2";
import type { Http2ServerResponse } from "node:http2";
import { NO_SNIFFING } from "../../shared/api/http/message.ts";
import type { HttpResponse } from "../../shared/api/http/message.ts";
import type { Incoming } from "./incoming.ts";

/** How long what is left of a refused body is read and forgotten, so that its sender can read the refusal. */
const LINGER_MS = 1000;

/** Longer bodies go out as they are, beside their heads. */
const JOINED_MAX_BYTES = 16 * 1024;

/**
 * The size of one write to a connection: the progress of a client shows after it has read so much. A socket reports by
 * itself how much of a piece it has taken.
 */
const PIECE_BYTES = { http1: 64 * 1024, http2: 16 * 1024 };

/** Handlers choose the status of their failures; what HTTP/2 cannot send is a 500, and the body tells the number. */
const STATUS_MAX_OF_HTTP2 = 599;

export type Outgoing = ServerResponse | Http2ServerResponse;

/**
 * The rest of the body is not kept, so the connection cannot be used again; but one that is closed upon bytes that
 * nobody has read takes the refusal with it.
 */
export function refuseBody(incoming: Incoming, outgoing: Outgoing, response: HttpResponse): void {
  const isHttp2 = writeHead(outgoing, response, true);
  // Node would close a connection of HTTP/1.1 at the end of its last answer; the client knows the end by its length.
  if (isHttp2) outgoing.end(response.body);
  else (outgoing as ServerResponse).write(response.body);
  const end = (): void => {
    clearTimeout(lingering);
    if (isHttp2) incoming.destroy();
    else outgoing.end();
  };
  const lingering = setTimeout(end, LINGER_MS);
  incoming.once("end", end).once("close", () => clearTimeout(lingering));
  incoming.removeAllListeners("data").resume();
}

/** @param onMoved called when the client has read on @returns whether a part of the answer is still here */
export function write(outgoing: Outgoing, response: HttpResponse, isLast: boolean, onMoved?: () => void): boolean {
  const { body } = response;
  const isHttp2 = writeHead(outgoing, response, isLast);
  if (!isHttp2 && body.length <= JOINED_MAX_BYTES) {
    (outgoing as ServerResponse).end(byteText(body), "latin1");
    return false;
  }
  return endInPieces(outgoing, body, { from: 0, sizeBytes: isHttp2 ? PIECE_BYTES.http2 : PIECE_BYTES.http1, onMoved });
}

/** Holds the bytes that the system did not take at once, for as long as the client reads them. @param hasMore what `write` returned */
export function endWhenUnread(outgoing: Outgoing, unreadMs: number, hasMore: boolean): void {
  const held = "stream" in outgoing ? outgoing.stream?.writableLength : outgoing.socket?.writableLength;
  if (held === 0 && !hasMore) return;
  outgoing.setTimeout(unreadMs, () => cutOff(outgoing));
  if ("stream" in outgoing) return;
  // Node watches the connection: who asks on it next may wait for a handler, and before the next one comes node's own time holds.
  outgoing.prependOnceListener("finish", () => void outgoing.socket?.setTimeout(0));
}

interface Piece {
  readonly from: number;
  readonly sizeBytes: number;
  readonly onMoved: (() => void) | undefined;
}

/**
 * Node begins the time of a stream anew with each piece. Of one that it holds whole it looks at all that goes out on the
 * connection, and where several run out of time at once it lets only the first of them go on.
 * @returns whether more pieces are to come
 */
function endInPieces(outgoing: Outgoing, body: Uint8Array, { from, sizeBytes, onMoved }: Piece): boolean {
  const to = from + sizeBytes;
  // To HEAD there is nothing but an end.
  if (to >= body.length || outgoing.req.method === "HEAD") {
    outgoing.end(from === 0 ? body : body.subarray(from));
    return false;
  }
  const next = (error?: Error | null): void => {
    // What has been given up takes no more pieces.
    if (error) return;
    onMoved?.();
    // A socket takes megabytes without a pause; a hundred sockets would block the thread meanwhile.
    setImmediate(() => {
      if (!outgoing.destroyed) endInPieces(outgoing, body, { from: to, sizeBytes, onMoved });
    });
  };
  // Both types have this form, apart from their lists of overloads.
  (outgoing as ServerResponse).write(body.subarray(from, to), next);
  return true;
}

/** Cuts the connection or the stream of a client that does not read its answer. */
export function cutOff(outgoing: Outgoing): void {
  if (!("stream" in outgoing)) return void outgoing.destroy();
  const { stream } = outgoing;
  // A stream destroyed without a reason would look to its client like a complete answer.
  stream.close(constants.NGHTTP2_CANCEL);
  // Where nothing is read at all, the close would wait for the connection.
  stream.destroy();
}

/** @returns whether the request has a body, or may have one */
export function hasBody(incoming: Incoming): boolean {
  if ("stream" in incoming) return !incoming.stream.endAfterHeaders;
  const { headers } = incoming;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** One character per byte: Node joins head and body into one piece, which costs less to write, where the body is a text. */
function byteText(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
}

/** @returns whether the request came over HTTP/2 */
function writeHead(outgoing: Outgoing, { status, headers, body }: HttpResponse, isLast: boolean): boolean {
  const told = { ...headers, ...NO_SNIFFING };
  const sized = status === 204 || status === 304 ? told : { ...told, "content-length": String(body.length) };
  if ("stream" in outgoing) {
    outgoing.writeHead(status > STATUS_MAX_OF_HTTP2 ? 500 : status, sized);
    return true;
  }
  // A status of our own has no reason phrase.
  outgoing.writeHead(status, STATUS_CODES[status] ?? "", isLast ? { ...sized, connection: "close" } : sized);
  return false;
}
