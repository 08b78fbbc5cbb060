/** Writes responses with Node's servers, whole or streamed, and disconnects clients that do not read them. */
import { STATUS_CODES, type ServerResponse } from "node:http";
import { constants, type Http2ServerResponse } from "node:http2";
import { NO_SNIFFING, type HttpResponse } from "../../shared/api/http/message.ts";
import type { Incoming } from "./transfer-room.ts";

/** How long the rest of a refused body is read and discarded, so that its sender can read the refusal. */
const LINGER_MS = 1000;

/** Over HTTP/1.1, longer bodies are written separately from their heads. */
const JOINED_MAX_BYTES = 16 * 1024;

/**
 * The size of one write, after which a client's progress is visible. A write over HTTP/1.1 may be larger, because Node's
 * time-out of a socket also notices progress within a single write.
 */
const PIECE_BYTES = { http1: 64 * 1024, http2: 16 * 1024 };

/** Handlers choose the status of their failures. A status that HTTP/2 cannot send becomes 500; the body contains the number. */
const STATUS_MAX_OF_HTTP2 = 599;

export type Outgoing = ServerResponse | Http2ServerResponse;

/**
 * An HTTP/1.1 connection cannot be reused afterwards, because the body is not read to its end. The close comes late,
 * because closing a connection with unread bytes would discard the refusal.
 */
export function refuseBody(incoming: Incoming, outgoing: Outgoing, response: HttpResponse): void {
  const isHttp2 = writeHead(outgoing, response, true);
  // Over HTTP/1.1, `end` comes later, because Node closes the connection at `end`. The client knows the body's end by its length.
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

/** @param onMoved called when the client has read more @returns whether a part of the answer is still unwritten */
export function write(outgoing: Outgoing, response: HttpResponse, isLast: boolean, onMoved?: () => void): boolean {
  const { body } = response;
  const isHttp2 = writeHead(outgoing, response, isLast);
  if (!isHttp2 && body.length <= JOINED_MAX_BYTES) {
    (outgoing as ServerResponse).end(byteText(body), "latin1");
    return false;
  }
  return endInPieces(outgoing, body, { from: 0, sizeBytes: isHttp2 ? PIECE_BYTES.http2 : PIECE_BYTES.http1, onMoved });
}

/**
 * Cuts off a client that reads nothing for `unreadMs` while bytes of its answer are still held here.
 * @param hasMore the result of `write`
 */
export function endWhenUnread(outgoing: Outgoing, unreadMs: number, hasMore: boolean): void {
  const held = "stream" in outgoing ? outgoing.stream?.writableLength : outgoing.socket?.writableLength;
  if (held === 0 && !hasMore) return;
  outgoing.setTimeout(unreadMs, () => cutOff(outgoing));
  if ("stream" in outgoing) return;
  // Node sets the time-out on the connection. It must not cut the next request, which may wait long for its handler;
  // between requests Node's own time-out applies.
  outgoing.prependOnceListener("finish", () => void outgoing.socket?.setTimeout(0));
}

interface Piece {
  readonly from: number;
  readonly sizeBytes: number;
  readonly onMoved: (() => void) | undefined;
}

/**
 * Node restarts a stream's time-out with each piece. During a single large write, Node would look at the traffic of the whole
 * connection instead: of several streams whose time-outs end together, it would keep the first and time out the others.
 * @returns whether more pieces follow
 */
function endInPieces(outgoing: Outgoing, body: Uint8Array, { from, sizeBytes, onMoved }: Piece): boolean {
  const to = from + sizeBytes;
  // An answer to HEAD has no body.
  if (to >= body.length || outgoing.req.method === "HEAD") {
    outgoing.end(from === 0 ? body : body.subarray(from));
    return false;
  }
  const next = (error?: Error | null): void => {
    // A failed answer takes no more pieces.
    if (error) return;
    onMoved?.();
    // A socket accepts megabytes without a pause. The pause here keeps the answers on many sockets from blocking the thread.
    setImmediate(() => {
      if (!outgoing.destroyed) endInPieces(outgoing, body, { from: to, sizeBytes, onMoved });
    });
  };
  // Both types have this method, with different overloads.
  (outgoing as ServerResponse).write(body.subarray(from, to), next);
  return true;
}

/** Ends the connection or the stream of a client that does not read its answer. */
export function cutOff(outgoing: Outgoing): void {
  end(outgoing, constants.NGHTTP2_CANCEL);
}

/**
 * Ends an answer that will not be whole. Some clients take a cancelled stream for a complete answer, but no client
 * takes a failed stream for a complete answer.
 */
function breakOff(outgoing: Outgoing): void {
  end(outgoing, constants.NGHTTP2_INTERNAL_ERROR);
}

function end(outgoing: Outgoing, http2Code: number): void {
  if (!("stream" in outgoing)) return void outgoing.destroy();
  const { stream } = outgoing;
  // To its client, a stream destroyed without an error code would look like a complete answer.
  stream.close(http2Code);
  // If the client reads nothing at all, `close` alone would wait until the connection can send again.
  stream.destroy();
}

/** @returns whether the request has a body, or may have one */
export function hasBody(incoming: Incoming): boolean {
  if ("stream" in incoming) return !incoming.stream.endAfterHeaders;
  const { headers } = incoming;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** One character per byte: Node joins head and body into one cheaper write if the body is a string. */
function byteText(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
}

/** Writes the head of an answer whose length is not known. */
function writeStreamedHead(outgoing: Outgoing, { status, headers }: HttpResponse, isLast: boolean): void {
  writeFields(outgoing, status, { ...headers, ...NO_SNIFFING }, isLast);
}

/** @returns whether the request came over HTTP/2 */
function writeHead(outgoing: Outgoing, { status, headers, body }: HttpResponse, isLast: boolean): boolean {
  const all = { ...headers, ...NO_SNIFFING };
  const sized = status === 204 || status === 304 ? all : { ...all, "content-length": String(body.length) };
  return writeFields(outgoing, status, sized, isLast);
}

function writeFields(
  outgoing: Outgoing,
  status: number,
  sized: Readonly<Record<string, string>>,
  isLast: boolean,
): boolean {
  if ("stream" in outgoing) {
    outgoing.writeHead(status > STATUS_MAX_OF_HTTP2 ? 500 : status, sized);
    return true;
  }
  // A non-standard status has no reason phrase.
  outgoing.writeHead(status, STATUS_CODES[status] ?? "", isLast ? { ...sized, connection: "close" } : sized);
  return false;
}

interface StreamedResponse extends HttpResponse {
  readonly rest: AsyncIterable<Uint8Array>;
}

export function isStreamed(response: HttpResponse): response is StreamedResponse {
  return response.rest !== undefined;
}

/**
 * The client recognizes a broken answer: over HTTP/1.1 the last chunk is missing, over HTTP/2 the stream is reset.
 * @param unreadMs how long the client may take nothing
 */
export async function writeStreamed(
  outgoing: Outgoing,
  response: StreamedResponse,
  { isLast, unreadMs }: { readonly isLast: boolean; readonly unreadMs: number },
): Promise<void> {
  const { body, rest } = response;
  writeStreamedHead(outgoing, response, isLast);
  try {
    await taken(outgoing, body, unreadMs);
    for await (const piece of rest) await taken(outgoing, piece, unreadMs);
    outgoing.end();
  } catch {
    // The source of the pieces has logged its error. A client that has left needs no answer.
    if (!outgoing.destroyed) breakOff(outgoing);
  }
}

/** Resolves when the client's system has taken the piece. @throws Error if the client leaves, or takes nothing in time */
function taken(outgoing: Outgoing, piece: Uint8Array, unreadMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (error?: Error | null): void => {
      clearTimeout(timer);
      outgoing.off("close", onClose);
      if (error) reject(error);
      else resolve();
    };
    const onClose = (): void => finish(new Error("the client has left"));
    const timer = setTimeout(() => finish(new Error(`the client took nothing for ${unreadMs} ms`)), unreadMs);
    if (outgoing.destroyed) return onClose();
    outgoing.once("close", onClose);
    // Both types have this method, with different overloads.
    (outgoing as ServerResponse).write(piece, finish);
  });
}
