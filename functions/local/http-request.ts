/** Reads a request of node's servers into plain data, its body within a limit. */
import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { HttpRequest } from "../../shared/api/http/message.ts";

const NOTHING = new Uint8Array(0);

export type Incoming = IncomingMessage | Http2ServerRequest;

export type RequestRead =
  | { readonly kind: "read"; readonly request: HttpRequest }
  /** The request is there without its body. */
  | { readonly kind: "too-large"; readonly request: HttpRequest; readonly declared: boolean }
  /** It names two hosts: whoever stands in front of this door may have believed the other one. */
  | { readonly kind: "two-hosts" }
  /** Its body is packed for the way, which nobody here takes off: read as it is, it would be another body than was sent. */
  | { readonly kind: "unknown-coding" }
  /** The client went away before its body was whole. */
  | { readonly kind: "broken" };

/** @param goOn tells a client that has asked for it to send its body */
export async function readRequest(
  incoming: Incoming,
  bodyMaxBytes: number,
  signal: AbortSignal,
  goOn?: () => void,
): Promise<RequestRead> {
  const headers = firstHeaders(incoming.rawHeaders);
  if (headers === "two-hosts") return { kind: headers };
  if ((headers["transfer-encoding"] ?? "chunked").toLowerCase() !== "chunked") return { kind: "unknown-coding" };
  const { path, query } = splitUrl(escaped(incoming.url ?? "/"));
  const request = { method: incoming.method ?? "GET", path, query, headers, body: NOTHING, signal };
  if (Number(headers["content-length"] ?? 0) > bodyMaxBytes) return { kind: "too-large", request, declared: true };
  goOn?.();
  const body = await readBody(incoming, bodyMaxBytes);
  if (body === "broken") return { kind: "broken" };
  if (body === "too-large") return { kind: "too-large", request, declared: false };
  return { kind: "read", request: { ...request, body } };
}

/** By events: iterating would destroy the connection of a body that is left unread, and with it the refusal. */
function readBody(incoming: Incoming, maxBytes: number): Promise<Uint8Array | "too-large" | "broken"> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let size = 0;
    incoming.on("data", (piece: Buffer) => {
      size += piece.length;
      if (size <= maxBytes) pieces.push(piece);
      else {
        incoming.pause();
        resolve("too-large");
      }
    });
    incoming.once("end", () => resolve(joined(pieces)));
    // What comes after the end changes nothing.
    incoming.once("error", () => resolve("broken"));
    incoming.once("close", () => resolve("broken"));
  });
}

/** Of a repeated name the first value; the names that HTTP/2 adds for itself are no headers. */
function firstHeaders(raw: readonly string[]): Record<string, string> | "two-hosts" {
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const written = raw[at]!.toLowerCase();
    const name = written === ":authority" ? "host" : written;
    if (name.startsWith(":")) continue;
    const value = raw[at + 1]!;
    if (name === "host" && (headers[name] ?? value) !== value) return "two-hosts";
    headers[name] ??= value;
  }
  return headers;
}

/** Bytes that may not stand in a path are read as if the client had escaped them; node gives each as one character. */
function escaped(url: string): string {
  return url.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Also takes the absolute form, which proxies send. */
function splitUrl(url: string): { readonly path: string; readonly query: string } {
  const target = url.startsWith("/") ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, "");
  const at = target.indexOf("?");
  const path = at < 0 ? target : target.slice(0, at);
  return { path: path.startsWith("/") ? path : `/${path}`, query: at < 0 ? "" : target.slice(at + 1) };
}

/** A view of one buffer where there is one, because most bodies come in one piece. */
function joined(pieces: readonly Buffer[]): Uint8Array {
  const whole = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  return new Uint8Array(whole.buffer, whole.byteOffset, whole.byteLength);
}
