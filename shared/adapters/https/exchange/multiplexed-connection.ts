/** The contract between an origin and a connection that carries many exchanges at once. */
import type { CarriedExchange } from "./carried-exchange.ts";
import type { ParsedUri } from "./parsed-uri.ts";

export interface MultiplexedConnection {
  /**
   * False after `retire`, after the peer refused a request, after a GOAWAY of either side, and after missed pings. A process that was frozen may have a
   * connection that the peer has closed; a new request must not use that connection.
   */
  readonly isUsable: boolean;
  /** True while the number of streams is below the peer's limit. */
  readonly hasRoom: boolean;
  /** Sends head and body of the request together. If no bytes follow the body, the last frame also ends our side. */
  start(exchange: CarriedExchange, target: ParsedUri): void;
  /** Accepts no more requests, and ends after the last exchange. */
  retire(): void;
  /** Ends now; exchanges under way break. */
  destroy(): void;
}

export interface ConnectionOwner {
  /** A stream ended. */
  onRoom(): void;
  /** The peer announced how many streams it allows at once. */
  onLimit(streamsMax: number): void;
  /** The connection takes no new requests; the ones that it has may go on. */
  onLeaving(): void;
  /** The connection ended. */
  onGone(connection: MultiplexedConnection): void;
  /**
   * The peer refused this request; another connection can send it.
   * @param isNew true if the refusing connection has never answered a request
   */
  onRefused(exchange: CarriedExchange, target: ParsedUri, isNew: boolean): void;
}

export const PING_INTERVAL_MS = 40_000;
export const PING_TIMEOUT_MS = 20_000;
/** A peer that sends no frame for this long has missed a ping. */
export const SILENCE_MAX_MS = PING_INTERVAL_MS + 2 * PING_TIMEOUT_MS;
export const IDLE_MAX_MS = 300_000;
/** The window of a new stream. If the reader of a stream is slow, up to one window of its bytes stays in memory. */
export const STREAM_WINDOW_INITIAL_BYTES = 32 * 1024;
export const STREAM_WINDOW_BYTES = 1024 * 1024;
/**
 * The limit of the size of one head: the lengths of all names and values, and in HTTP/2 32 bytes more for each field
 * (RFC 7541). Over HTTP/2, Stepwell announces the limit to the peer.
 */
export const HEADER_LIST_MAX_BYTES = 64 * 1024;
export const CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024;
