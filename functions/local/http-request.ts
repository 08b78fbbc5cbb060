/** Reads a request of node's servers into plain data, its body within a limit. */
import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { HttpRequest } from "../../shared/api/http/message.ts";

type Incoming = IncomingMessage | Http2ServerRequest;

export type RequestRead =
  | { readonly kind: "read"; readonly request: HttpRequest }
  | { readonly kind: "too-large"; readonly declared: boolean }
  /** The client went away before its body was whole. */
  | { readonly kind: "broken" };

export async function readRequest(incoming: Incoming, bodyMaxBytes: number, signal: AbortSignal): Promise<RequestRead> {
  const headers = firstHeaders(incoming.rawHeaders);
  if (Number(headers["content-length"] ?? 0) > bodyMaxBytes) return { kind: "too-large", declared: true };
  const body = await readBody(incoming, bodyMaxBytes);
  if (body === "broken") return { kind: "broken" };
  if (body === "too-large") return { kind: "too-large", declared: false };
  const { path, query } = splitUrl(incoming.url ?? "/");
  return { kind: "read", request: { method: incoming.method ?? "GET", path, query, headers, body, signal } };
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
function firstHeaders(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    if (name === ":authority") headers["host"] ??= raw[at + 1]!;
    else if (!name.startsWith(":")) headers[name] ??= raw[at + 1]!;
  }
  return headers;
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
