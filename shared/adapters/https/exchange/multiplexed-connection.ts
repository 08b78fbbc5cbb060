/** What an origin asks of a connection that carries many exchanges at once, and what it is told by one. */
import type { CarriedExchange } from "./carried-exchange.ts";
import type { ParsedUri } from "./parsed-uri.ts";

export interface MultiplexedConnection {
  /**
   * False once the peer or we have sent GOAWAY. A process that was frozen may hold a connection whose peer left
   * unheard; one that missed its pings is not trusted with a new request.
   */
  readonly isUsable: boolean;
  /** True while the peer's limit on streams is not met. */
  readonly hasRoom: boolean;
  /** Sends the request; head and body go out together, the last byte with the end of our side. */
  start(exchange: CarriedExchange, target: ParsedUri): void;
  /** Takes no more requests and ends when the last exchange has. */
  retire(): void;
  /** Ends now; exchanges under way break. */
  destroy(): void;
}

export interface ConnectionOwner {
  /** A stream ended. */
  onRoom(): void;
  /** The peer said how many streams it allows at once. */
  onLimit(streamsMax: number): void;
  onGone(connection: MultiplexedConnection): void;
  /** The peer did not take this request; it can go out on another connection. */
  onRefused(exchange: CarriedExchange, target: ParsedUri): void;
}

export const PING_INTERVAL_MS = 40_000;
export const PING_TIMEOUT_MS = 20_000;
/** A peer that was not heard for so long has missed a ping. */
export const SILENCE_MAX_MS = PING_INTERVAL_MS + 2 * PING_TIMEOUT_MS;
export const IDLE_MAX_MS = 300_000;
export const STREAM_WINDOW_BYTES = 1024 * 1024;
export const CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024;
