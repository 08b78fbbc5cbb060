/** Writes plain responses to requests of node's servers, and lets go of clients that do not read them. */
import { STATUS_CODES } from "node:http";
import type { ServerResponse } from "node:http";
import { constants } from "node:http2";
import type { Http2ServerResponse } from "node:http2";
import { NO_SNIFFING } from "../../shared/api/http/message.ts";
import type { HttpResponse } from "../../shared/api/http/message.ts";
import type { Incoming } from "./http-request.ts";

/** How long what is left of a refused body is read and forgotten, so that its sender can read the refusal. */
const LINGER_MS = 1000;

/** Longer bodies go out as they are, beside their heads. */
const JOINED_MAX_BYTES = 16 * 1024;

/** What is given to a stream of HTTP/2 at once: as much as its client has to read for it to be seen that somebody reads. */
const PIECE_BYTES = 16 * 1024;

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

export function write(outgoing: Outgoing, response: HttpResponse, isLast: boolean): void {
  const { body } = response;
  const isHttp2 = writeHead(outgoing, response, isLast);
  if (isHttp2) endInPieces(outgoing as Http2ServerResponse, body, 0);
  else if (body.length > JOINED_MAX_BYTES) outgoing.end(body);
  else (outgoing as ServerResponse).end(byteText(body), "latin1");
}

/** What the system did not take at once is held here, for as long as the client reads it. */
export function endWhenUnread(outgoing: Outgoing, unreadMs: number): void {
  const held = "stream" in outgoing ? outgoing.stream?.writableLength : outgoing.socket?.writableLength;
  if (held === 0) return;
  if ("stream" in outgoing) {
    outgoing.setTimeout(unreadMs, () => cutOff(outgoing));
    return;
  }
  outgoing.setTimeout(unreadMs, () => void outgoing.destroy());
  // Node watches the connection: who asks on it next may wait for a handler, and before the next one comes node's own time holds.
  outgoing.prependOnceListener("finish", () => void outgoing.socket?.setTimeout(0));
}

/**
 * Node begins the time of a stream anew with each piece. Of one that it holds whole it looks at all that goes out on the
 * connection, and where several run out of time at once it lets only the first of them go on.
 */
function endInPieces(outgoing: Http2ServerResponse, body: Uint8Array, from: number): void {
  const to = from + PIECE_BYTES;
  // To HEAD there is nothing but an end.
  if (to >= body.length || outgoing.req.method === "HEAD") {
    outgoing.end(from === 0 ? body : body.subarray(from));
    return;
  }
  outgoing.write(body.subarray(from, to), (error?: Error | null) => {
    // What has been given up takes no more pieces.
    if (!error) endInPieces(outgoing, body, to);
  });
}

/** A stream that is destroyed without a reason looks to its client as if the answer had been whole. */
function cutOff({ stream }: Http2ServerResponse): void {
  stream.close(constants.NGHTTP2_CANCEL);
  // Where nothing is read at all, the close would wait for the connection.
  stream.destroy();
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
