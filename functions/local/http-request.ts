/** Reads a request of Node's servers into plain data, with a limit for its body. */
import type { HttpRequest, HttpResponse } from "../../shared/api/http/message.ts";
import { UNCOUNTED_BYTES, type Account } from "../../shared/engine/bulkheads/budget.ts";
import type { Incoming, Mover, TransferRoom } from "./transfer-room.ts";

const NOTHING = new Uint8Array(0);

export type RequestRead =
  /** The account holds the room of a counted body; the consumer of the body closes the account. */
  | { readonly kind: "read"; readonly request: HttpRequest; readonly account: Account | undefined }
  /** The body is larger than the limit; `request` contains no body. */
  | { readonly kind: "too-large"; readonly request: HttpRequest; readonly declared: boolean }
  /** There was no room for the body. */
  | { readonly kind: "no-room"; readonly request: HttpRequest }
  /** Refused before its body is read. */
  | { readonly kind: "refused"; readonly response: HttpResponse }
  /** The request names two hosts; a proxy in front of this port may have checked only the one that this server ignores. */
  | { readonly kind: "two-hosts" }
  /** HTTP/1.1 requires a host. */
  | { readonly kind: "no-host" }
  /**
   * The request has a transfer coding that this server does not decode. Without decoding, the body would differ from the one that
   * the client sent.
   */
  | { readonly kind: "unknown-coding" }
  /** The client expects a behaviour that this server does not have (RFC 9110, section 10.1.1). */
  | { readonly kind: "unknown-expectation" }
  /** The client disconnected before its body was complete. */
  | { readonly kind: "broken" };

interface ReadingRules {
  readonly bodyMaxBytes: number;
  /** The room for bodies; without it no body is counted. */
  readonly room: TransferRoom | undefined;
  /** @returns the answer to a request whose body is not read */
  readonly refusal: (request: HttpRequest) => HttpResponse | undefined;
}

/** @param goOn the function that sends 100 to a client that waits for 100 before it sends its body */
export async function readRequest(
  incoming: Incoming,
  { bodyMaxBytes, room, refusal }: ReadingRules,
  signal: AbortSignal,
  goOn?: () => void,
): Promise<RequestRead> {
  const headers = firstHeaders(incoming.rawHeaders);
  if (headers === "two-hosts") return { kind: headers };
  if (incoming.httpVersion === "1.1" && headers["host"] === undefined) return { kind: "no-host" };
  if ((headers["transfer-encoding"] ?? "chunked").toLowerCase() !== "chunked") return { kind: "unknown-coding" };
  if ((headers["expect"] ?? "100-continue").toLowerCase() !== "100-continue") return { kind: "unknown-expectation" };
  const { path, query } = splitUrl(escaped(incoming.url ?? "/"));
  const request = { method: incoming.method ?? "GET", path, query, headers, body: NOTHING, signal };
  if (Number(headers["content-length"] ?? 0) > bodyMaxBytes) return { kind: "too-large", request, declared: true };
  const refused = refusal(request);
  if (refused !== undefined) return { kind: "refused", response: refused };
  goOn?.();
  const read = await readBody(incoming, bodyMaxBytes, room);
  if (read === "broken") return { kind: read };
  if (read === "too-large") return { kind: read, request, declared: false };
  if (read === "no-room") return { kind: read, request };
  return { kind: "read", request: { ...request, body: read.body }, account: read.account };
}

/** The first value of a repeated name counts. Of the pseudo-headers of HTTP/2 only `:authority` is kept, as `host`. */
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

/** Escapes the bytes that are invalid in a path, as the client should have done; Node returns each as one character. */
function escaped(url: string): string {
  return url.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Accepts the absolute form too, which proxies send. */
function splitUrl(url: string): { readonly path: string; readonly query: string } {
  const target = url.startsWith("/") ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, "");
  const at = target.indexOf("?");
  const path = at < 0 ? target : target.slice(0, at);
  return { path: path.startsWith("/") ? path : `/${path}`, query: at < 0 ? "" : target.slice(at + 1) };
}

/** `no-room`: other bodies hold the memory, or the body arrived too slowly while other requests waited. */
type BodyFailure = "too-large" | "broken" | "no-room";

interface BodyRead {
  readonly body: Uint8Array;
  /** Holds the room of a counted body until the consumer of the body closes the account. */
  readonly account: Account | undefined;
}

/** Reads by events: an async iterator would destroy the connection of an unread body, and the refusal with it. */
function readBody(
  incoming: Incoming,
  maxBytes: number,
  room: TransferRoom | undefined,
): Promise<BodyRead | BodyFailure> {
  return new Promise((resolve) => new BodyReading(incoming, maxBytes, room, resolve));
}

class BodyReading {
  readonly #incoming: Incoming;
  readonly #maxBytes: number;
  readonly #room: TransferRoom | undefined;
  readonly #resolve: (outcome: BodyRead | BodyFailure) => void;
  #pieces: Buffer[] = [];
  #sizeBytes = 0;
  #account: Account | undefined;
  #mover: Mover | undefined;
  #isOver = false;

  constructor(
    incoming: Incoming,
    maxBytes: number,
    room: TransferRoom | undefined,
    resolve: (outcome: BodyRead | BodyFailure) => void,
  ) {
    this.#incoming = incoming;
    this.#maxBytes = maxBytes;
    this.#room = room;
    this.#resolve = resolve;
    incoming.on("data", (piece: Buffer) => this.#add(piece));
    incoming.once("end", () => this.#end());
    // After the end these events have no effect.
    incoming.once("error", () => this.#fail("broken"));
    incoming.once("close", () => this.#fail("broken"));
  }

  #add(piece: Buffer): void {
    if (this.#isOver) return;
    this.#sizeBytes += piece.length;
    if (this.#sizeBytes > this.#maxBytes) {
      this.#incoming.pause();
      return this.#fail("too-large");
    }
    this.#pieces.push(piece);
    if (this.#sizeBytes > UNCOUNTED_BYTES && this.#room !== undefined) this.#count(this.#room);
  }

  /** The declared length takes no room, because only received bytes take memory. */
  #count(room: TransferRoom): void {
    this.#account ??= room.open(this.#incoming);
    this.#mover ??= room.mover(() => this.#fail("no-room"));
    this.#mover.moved();
    const grown = room.fill(this.#account, this.#sizeBytes);
    if (grown === true) return;
    // Reading pauses, so that flow control stops the sender.
    this.#incoming.pause();
    this.#mover.rest();
    void grown.then((isGranted) => this.#goOn(isGranted));
  }

  #goOn(isGranted: boolean): void {
    if (this.#isOver) return;
    if (!isGranted) return this.#fail("no-room");
    this.#mover?.moved();
    this.#incoming.resume();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#mover?.end();
    const body = joined(this.#pieces);
    // The stream lives until the answer has ended, and its event listeners would keep the pieces in memory.
    this.#pieces = [];
    this.#resolve({ body, account: this.#account });
  }

  #fail(failure: BodyFailure): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#pieces = [];
    this.#mover?.end();
    this.#account?.close();
    this.#resolve(failure);
  }
}

/** A view of the single buffer if there is one, because most bodies arrive in one piece. */
function joined(pieces: readonly Buffer[]): Uint8Array {
  const whole = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  return new Uint8Array(whole.buffer, whole.byteOffset, whole.byteLength);
}
