/** The port to deployments: each exchange sends one request and reads its response. */

export interface HttpDestination {
  /** The registered URI. A request's path is the URI's path without trailing slashes plus `path`; its query is the URI's. */
  readonly uri: string;
  /** `h2` requires HTTP/2, by prior knowledge for `http:` and by ALPN for `https:`. */
  readonly httpVersion: "h2" | "http1.1" | "negotiate";
}

export interface LambdaDestination {
  /** A qualified ARN, which ends with a version, an alias or `$LATEST`. */
  readonly arn: string;
  /** An encoding that the function reads and writes besides plain bytes. */
  readonly compression?: "zstd";
  /** The role that calls the function; by default the server's own role. */
  readonly assumeRoleArn?: string;
}

export type Destination = HttpDestination | LambdaDestination;

export interface ExchangeRequest {
  readonly destination: Destination;
  readonly method: "GET" | "POST";
  /** A path of the protocol: `/discover` or `/invoke/<service>/<handler>`. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Uint8Array[];
  /**
   * True ends the request's side with the last byte of the body. False keeps it open for `write`, for bidirectional
   * conversations.
   */
  readonly halfClose: boolean;
}

export interface ExchangeHead {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly httpVersion: "h2" | "http1.1";
}

export interface Exchange {
  /** True until the request is sent: the connection is being opened, or has no free stream. Absent if that is unknown. */
  readonly isUnsent?: boolean;
  /** Resolves when status and headers have arrived. @throws TransportError */
  head(): Promise<ExchangeHead>;
  /**
   * Resolves with the next bytes, or with undefined after the last. If the exchange breaks, the bytes from before the break
   * come first, then the rejection.
   * @throws TransportError
   */
  next(): Promise<Uint8Array | undefined>;
  write(bytes: Uint8Array): void;
  /** Ends the request's side. */
  halfClose(): void;
  /**
   * Ends the exchange at once. A pending `head` or `next` rejects with reason `aborted`. Has no effect if the exchange is
   * over.
   */
  abort(): void;
}

export type TransportReason =
  /** Refused, unreachable, no such name, connect timeout. */
  | "unreachable"
  /** The connection broke or was reset during the exchange, or the answer is invalid. */
  | "broken"
  /** The deployment sent more frames or bytes that carry nothing than this server takes. */
  | "flood"
  /** The request was HTTP/2, and the peer probably speaks HTTP/1.1 only. */
  | "http1-only"
  /** The certificate or the handshake failed. */
  | "tls"
  /** The platform has no capacity for the request now, and has run no part of it. */
  | "throttled"
  /** The request or its response exceeds a limit of the platform; a repetition fails in the same way. */
  | "too-large"
  /** The SSRF guard forbids the destination. */
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
