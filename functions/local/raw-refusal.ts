/** Answers on the socket itself: for bytes that Node's server could not read as a request, and for connections without a place. */
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type HttpResponse, NO_SNIFFING } from "../../shared/api/http/message.ts";

export interface RawRefusal {
  readonly status: number;
  readonly message: string;
}

/** How long a refused client may take to read the answer. */
const LINGER_MS = 1000;

/** @param headMaxBytes the limit of the request line with the headers, for the message */
export function refusalOf(error: Error & { readonly code?: string }, headMaxBytes: number): RawRefusal {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return {
        status: 431,
        message: `the request line and the headers have more than ${headMaxBytes} bytes together (listeners.headers-size-limit)`,
      };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return {
        status: 408,
        message: "the request did not arrive in time (listeners.head-timeout, listeners.request-timeout)",
      };
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return { status: 413, message: "the extensions of the chunks are too large" };
    default:
      return { status: 400, message: "the bytes are no HTTP request" };
  }
}

/** Writes the answer and closes the connection. If an answer has begun, the connection only closes. */
export function refuseOnSocket(socket: Duplex, hasBegun: boolean, response: HttpResponse): void {
  if (!socket.writable || hasBegun) return void socket.destroy();
  const { status, headers, body } = response;
  const all: Readonly<Record<string, string>> = {
    ...headers,
    ...NO_SNIFFING,
    date: new Date().toUTCString(),
    "content-length": String(body.length),
    connection: "close",
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.on("error", () => undefined);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("\r\n")}\r\n\r\n`);
  socket.end(body);
  // A close with unread bytes would discard the answer.
  socket.resume();
  const lingering = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once("close", () => clearTimeout(lingering));
}
