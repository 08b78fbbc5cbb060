/** All HTTP/2 connections to one origin. A further connection is opened only if no open connection has room for a stream. */
import type { Socket } from "node:net";
import { TransportError } from "../../engine/ports/endpoints.ts";
import type { CarriedExchange } from "./exchange/carried-exchange.ts";
import type { Dialer } from "./dial.ts";
import { broken, httpOneOnly, isAlpnRefusal } from "./exchange/failures.ts";
import type { ConnectionOwner, MultiplexedConnection } from "./exchange/multiplexed-connection.ts";
import type { ParsedUri } from "./exchange/parsed-uri.ts";

interface Request {
  readonly exchange: CarriedExchange;
  readonly target: ParsedUri;
}

/** Starts HTTP/2 on a connection. */
export type Speak = (
  socket: Socket,
  origin: URL,
  owner: ConnectionOwner,
  streamsAssumed: number,
) => MultiplexedConnection;

/**
 * An exchange occupies its stream until the exchange ends. If callers occupied all streams of a single connection, their
 * callees would never get a stream. So up to this many connections are opened before requests queue.
 */
const CONNECTIONS_MAX = 16;
/** The assumed limit of streams on a new connection until a connection of the origin has announced one. */
const STREAMS_ASSUMED = 100;

export class Http2Origin implements ConnectionOwner {
  readonly #origin: URL;
  readonly #dialer: Dialer;
  readonly #speak: Speak;
  #connections: MultiplexedConnection[] = [];
  #waiting: Request[] = [];
  #dialing = false;
  #streamsAssumed = STREAMS_ASSUMED;

  constructor(origin: URL, dialer: Dialer, speak: Speak) {
    this.#origin = origin;
    this.#dialer = dialer;
    this.#speak = speak;
  }

  get hasConnection(): boolean {
    return this.#connections.some((connection) => connection.isUsable);
  }

  carry(exchange: CarriedExchange, target: ParsedUri): void {
    this.#waiting.push({ exchange, target });
    this.onRoom();
  }

  /** Takes over a connection that agreed on HTTP/2. */
  adopt(socket: Socket): void {
    this.#connections.push(this.#speak(socket, this.#origin, this, this.#streamsAssumed));
  }

  onRoom(): void {
    while (this.#waiting.length > 0) {
      const connection = this.#roomy();
      if (connection === undefined) break;
      const request = this.#waiting.shift();
      if (request === undefined || request.exchange.isOver) continue;
      connection.start(request.exchange, request.target);
    }
    this.#waiting = this.#waiting.filter(({ exchange }) => !exchange.isOver);
    if (this.#waiting.length > 0 && this.#connections.length < CONNECTIONS_MAX) void this.#dial();
  }

  onLimit(streamsMax: number): void {
    // A lower limit also applies to new connections, so that the peer refuses no request that is sent before its settings arrive.
    this.#streamsAssumed = Math.min(STREAMS_ASSUMED, Math.max(1, streamsMax));
    this.onRoom();
  }

  onGone(connection: MultiplexedConnection): void {
    const before = this.#connections.length;
    this.#connections = this.#connections.filter((one) => one !== connection);
    if (this.#connections.length < before) this.onRoom();
  }

  onRefused(exchange: CarriedExchange, target: ParsedUri): void {
    if (exchange.refusals > 1) {
      exchange.fail(new TransportError("broken", `${this.#origin.host} refused the request twice.`));
      return;
    }
    this.carry(exchange, target);
  }

  close(): void {
    const gone = broken(new Error("this side was closed"), this.#origin);
    for (const { exchange } of this.#waiting.splice(0)) exchange.fail(gone);
    for (const connection of this.#connections.splice(0)) connection.destroy();
  }

  /** The first connection that can take a request; unusable connections are retired. */
  #roomy(): MultiplexedConnection | undefined {
    const unusable = this.#connections.filter((connection) => !connection.isUsable);
    if (unusable.length > 0) {
      this.#connections = this.#connections.filter((connection) => connection.isUsable);
      for (const connection of unusable) connection.retire();
    }
    return this.#connections.find((connection) => connection.hasRoom);
  }

  async #dial(): Promise<void> {
    if (this.#dialing) return;
    this.#dialing = true;
    let failure: TransportError | undefined;
    try {
      const { socket, alpn } = await this.#dialer.dial(this.#origin, ["h2"]);
      if (this.#origin.protocol === "https:" && alpn !== "h2") {
        socket.destroy();
        failure = httpOneOnly(this.#origin);
      } else {
        this.adopt(socket);
      }
    } catch (error) {
      failure = isAlpnRefusal(error) ? httpOneOnly(this.#origin, { cause: error }) : broken(error, this.#origin);
    }
    this.#dialing = false;
    if (failure === undefined) {
      this.onRoom();
      return;
    }
    // Other connections will have room when their streams end; without another connection, the requests fail.
    if (this.#connections.length > 0) return;
    for (const { exchange } of this.#waiting.splice(0)) exchange.fail(failure);
  }
}
