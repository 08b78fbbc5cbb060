/** The port of reaching deployments: bytes out, bytes back, one exchange at a time. */

export interface HttpDestination {
  /** The registered URI, its path without a trailing slash being the prefix of every request, its query appended. */
  readonly uri: string;
  /** `h2` means prior knowledge for `http:`; for `https:` ALPN decides and must agree. */
  readonly httpVersion: "h2" | "http1.1" | "negotiate";
}

export interface LambdaDestination {
  /** Qualified: a version, an alias or `$LATEST` stands at its end. */
  readonly arn: string;
  /** What the function can read and write beside plain bytes. */
  readonly compression?: "zstd";
  /** The role as which the function is called; the server's own unless given. */
  readonly assumeRoleArn?: string;
}

export type Destination = HttpDestination | LambdaDestination;

export interface ExchangeRequest {
  readonly destination: Destination;
  readonly method: "GET" | "POST";
  /** The protocol's own path, `/discover` or `/invoke/<service>/<handler>`. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Uint8Array[];
  /** False keeps our side open for `write` (bidirectional conversations); true ends it with the last body byte. */
  readonly halfClose: boolean;
}

export interface ExchangeHead {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly httpVersion: "h2" | "http1.1";
}

export interface Exchange {
  /** Resolves when status and headers are there. @throws TransportError */
  head(): Promise<ExchangeHead>;
  /** The next bytes; undefined after the last. Bytes that came before a break are given out before it rejects. @throws TransportError */
  next(): Promise<Uint8Array | undefined>;
  write(bytes: Uint8Array): void;
  /** Ends our side. */
  halfClose(): void;
  /** Lets go of the exchange at once; a pending `head` or `next` rejects with reason `aborted`. Harmless when it is over. */
  abort(): void;
}

export type TransportReason =
  /** Refused, unreachable, no such name, connect timeout. */
  | "unreachable"
  /** The connection broke or was reset in the middle. */
  | "broken"
  /** The peer looks like an HTTP/1.1-only server that was spoken to in HTTP/2. */
  | "http1-only"
  /** Certificate or handshake. */
  | "tls"
  /** The platform has no room for the request now: nothing of it ran. */
  | "throttled"
  /** The request or its answer exceeds what the platform carries: the same again meets the same. */
  | "too-large"
  /** The destination is forbidden (SSRF guard). */
  | "forbidden"
  | "aborted";

export class TransportError extends Error {
  override name = "TransportError";
  readonly reason: TransportReason;
  constructor(reason: TransportReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export interface Endpoints {
  open(request: ExchangeRequest): Exchange;
}
