/** All HTTP/2 connections to one origin. A further connection is opened only if no open connection has room for a stream. */
import type { Socket } from "node:net";
import { TransportError } from "../../engine/ports/endpoints.ts";
import type { CarriedExchange } from "./exchange/carried-exchange.ts";
import type { Dialer } from "./dial.ts";
import { broken, httpOneOnly, isAlpnRefusal } from "./exchange/failures.ts";
import type { ParsedUri } from "./exchange/parsed-uri.ts";
import { type ConnectionOwner, Http2Connection } from "./http2/http2-connection.ts";

interface Request {
  readonly exchange: CarriedExchange;
  readonly target: ParsedUri;
}

/**
 * An exchange occupies its stream until the exchange ends. If callers occupied all streams of a single connection, their
 * callees would never get a stream. So up to this many connections are opened before requests queue.
 */
const CONNECTIONS_MAX = 16;
/** The limit together with the connections that take no new requests and still carry earlier ones. */
const CONNECTIONS_WITH_LEAVING_MAX = 2 * CONNECTIONS_MAX;
/** The assumed limit of streams on a new connection until a connection of the origin has announced one. */
const STREAMS_ASSUMED = 100;
/**
 * A peer that refuses a request on this many new connections takes no requests at all. One refusal is no proof: a peer may
 * refuse streams beyond a limit before this side has read that limit.
 */
const NEW_REFUSALS_MAX = 2;
/** Each open connection may refuse a request once, since each learns only by a refusal that it has to be left. */
const REFUSALS_MAX = CONNECTIONS_MAX + NEW_REFUSALS_MAX;

export class Http2Origin implements ConnectionOwner {
  readonly #origin: URL;
  readonly #dialer: Dialer;
  readonly #connections = new Set<Http2Connection>();
  #waiting: Request[] = [];
  #dialing = false;
  #streamsAssumed = STREAMS_ASSUMED;

  constructor(origin: URL, dialer: Dialer) {
    this.#origin = origin;
    this.#dialer = dialer;
  }

  get hasConnection(): boolean {
    return this.#usable().length > 0;
  }

  carry(exchange: CarriedExchange, target: ParsedUri): void {
    this.#waiting.push({ exchange, target });
    this.onRoom();
  }

  /** Takes over a connection that agreed on HTTP/2. */
  adopt(socket: Socket): void {
    this.#connections.add(new Http2Connection(socket, this.#origin, this, this.#streamsAssumed));
  }

  onRoom(): void {
    while (this.#waiting.length > 0) {
      const connection = this.#roomy();
      if (connection === undefined) break;
      const request = this.#waiting.shift();
      if (request === undefined || request.exchange.isOver) continue;
      connection.start(request.exchange, request.target);
    }
    if (this.#waiting.length === 0) return;
    this.#waiting = this.#waiting.filter(({ exchange }) => !exchange.isOver);
    if (this.#waiting.length > 0 && this.#mayDial()) void this.#dial();
  }

  onLimit(streamsMax: number): void {
    // A lower limit also applies to new connections, so that the peer refuses no request that is sent before its settings arrive.
    this.#streamsAssumed = Math.min(STREAMS_ASSUMED, Math.max(1, streamsMax));
    this.onRoom();
  }

  onLeaving(): void {
    this.onRoom();
  }

  onGone(connection: Http2Connection): void {
    if (this.#connections.delete(connection)) this.onRoom();
  }

  /**
   * The exchange counts as unanswered, and costs its caller nothing but time, while another connection may take it. The
   * bounds keep a peer that always refuses from keeping this side busy.
   */
  onRefused(exchange: CarriedExchange, target: ParsedUri, isNew: boolean): void {
    exchange.detach(isNew);
    const { all, byNew } = exchange.refusals;
    if (byNew < NEW_REFUSALS_MAX && all < REFUSALS_MAX) return this.carry(exchange, target);
    const times = byNew < NEW_REFUSALS_MAX ? `${all} times` : `on ${byNew} new connections`;
    exchange.fail(new TransportError("broken", `${this.#origin.host} refused the request ${times}.`));
  }

  close(): void {
    const gone = broken(new Error("this side was closed"), this.#origin);
    for (const { exchange } of this.#waiting.splice(0)) exchange.fail(gone);
    const connections = [...this.#connections];
    this.#connections.clear();
    for (const connection of connections) connection.destroy();
  }

  /** The first connection that can take a request; connections with a silent peer are retired. */
  #roomy(): Http2Connection | undefined {
    for (const connection of this.#connections) {
      if (!connection.isUsable) connection.retire();
      else if (connection.hasRoom) return connection;
    }
    return undefined;
  }

  #usable(): Http2Connection[] {
    return [...this.#connections].filter((connection) => connection.isUsable);
  }

  #mayDial(): boolean {
    return this.#connections.size < CONNECTIONS_WITH_LEAVING_MAX && this.#usable().length < CONNECTIONS_MAX;
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
    if (this.hasConnection) return;
    for (const { exchange } of this.#waiting.splice(0)) exchange.fail(failure);
  }
}
