/** One HTTP/2 connection on Node's client, with pings that detect a silent peer. */
import { connect, constants } from "node:http2";
import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { TransportError } from "../../engine/ports/endpoints.ts";
import { deliverRest } from "./exchange/carried-exchange.ts";
import type { CarriedExchange } from "./exchange/carried-exchange.ts";
import { broken, codeOf, httpOneOnly } from "./exchange/failures.ts";
import {
  CONNECTION_WINDOW_BYTES,
  IDLE_MAX_MS,
  PING_INTERVAL_MS,
  PING_TIMEOUT_MS,
  SILENCE_MAX_MS,
  STREAM_WINDOW_BYTES,
} from "./exchange/multiplexed-connection.ts";
import type { ConnectionOwner, MultiplexedConnection } from "./exchange/multiplexed-connection.ts";
import { endToEnd, joined } from "./exchange/end-to-end-headers.ts";
import { pathOf, type ParsedUri } from "./exchange/parsed-uri.ts";
import { whole } from "./exchange/whole-body.ts";

/** The memory limit of Node's session in megabytes. It is large, because the engine itself limits the bodies. */
const SESSION_MEMORY_MAX_MB = 1024;

export class Http2Connection implements MultiplexedConnection {
  readonly #session: ClientHttp2Session;
  readonly #origin: URL;
  readonly #owner: ConnectionOwner;
  readonly #pings: NodeJS.Timeout;
  #streamsMax: number;
  #streams = 0;
  #greeted = false;
  #heardAtMs = Date.now();
  #usedAtMs = Date.now();
  #failure: Error | undefined;

  /** @param streamsAssumed the limit of open streams until the peer announces one */
  constructor(socket: Socket, origin: URL, owner: ConnectionOwner, streamsAssumed: number) {
    this.#origin = origin;
    this.#owner = owner;
    this.#streamsMax = streamsAssumed;
    this.#session = connect(origin, {
      createConnection: () => socket,
      maxSessionMemory: SESSION_MEMORY_MAX_MB,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
    });
    this.#pings = setInterval(() => this.#ping(), PING_INTERVAL_MS).unref();
    this.#watch();
  }

  get isUsable(): boolean {
    if (this.#session.closed || this.#session.destroyed) return false;
    return Date.now() - this.#heardAtMs < SILENCE_MAX_MS;
  }

  get hasRoom(): boolean {
    return this.#streams < this.#streamsMax;
  }

  start(exchange: CarriedExchange, target: ParsedUri): void {
    const { request } = exchange;
    const body = whole(request.body);
    let stream: ClientHttp2Stream;
    try {
      stream = this.#session.request(
        {
          ...endToEnd(request.headers),
          ":method": request.method,
          ":scheme": target.origin.protocol.slice(0, -1),
          ":authority": target.origin.host,
          ":path": pathOf(target, request.path),
        },
        { endStream: request.halfClose && body.length === 0 },
      );
    } catch (error) {
      if (this.isUsable) exchange.fail(broken(error, this.#origin));
      else this.#refuse(exchange, target);
      return;
    }
    this.#streams += 1;
    this.#listen(stream, exchange, target);
    if (request.halfClose) {
      if (body.length > 0) stream.end(body);
    } else if (body.length > 0) {
      stream.write(body);
    }
    exchange.attach({
      write: (bytes) => void (stream.writable && stream.write(bytes)),
      end: () => void stream.end(),
      reset: () => {
        stream.close(constants.NGHTTP2_CANCEL);
        // A paused stream would keep its last bytes and never close.
        stream.resume();
      },
      pause: () => void stream.pause(),
      resume: () => void stream.resume(),
    });
  }

  retire(): void {
    setImmediate(() => this.#session.close());
  }

  /**
   * Destroys the session at the next turn of the event loop. If a session is destroyed within an event of a stream that
   * the peer refused, Node ends the whole process (`std::bad_alloc`).
   */
  destroy(): void {
    // Without an error the streams would end as if the peer had ended them.
    const closed = new TransportError("broken", `The exchange with ${this.#origin.host} broke: this side was closed.`);
    setImmediate(() => this.#session.destroy(closed));
  }

  #watch(): void {
    const session = this.#session;
    session.once("connect", () => {
      if (!session.destroyed) session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
    });
    session.on("remoteSettings", (settings) => {
      this.#greeted = true;
      this.#heardAtMs = Date.now();
      this.#streamsMax = settings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
      this.#owner.onLimit(this.#streamsMax);
    });
    session.on("error", (error) => (this.#failure = error));
    session.on("goaway", () => this.#owner.onGone(this));
    session.on("close", () => {
      clearInterval(this.#pings);
      this.#owner.onGone(this);
    });
  }

  #listen(stream: ClientHttp2Stream, exchange: CarriedExchange, target: ParsedUri): void {
    let failure: Error | undefined;
    stream.on("response", (headers) => {
      this.#heardAtMs = Date.now();
      exchange.accept({ status: Number(headers[":status"]), headers: joined(headers), httpVersion: "h2" });
    });
    stream.on("data", (bytes: Uint8Array) => exchange.deliver(bytes));
    stream.on("end", () => {
      // A reset and a lost connection also emit "end", but with an error code. Without an error code, the peer ended its side.
      if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) return;
      exchange.finish();
      // The peer would not read any further bytes.
      if (stream.writable) stream.end();
    });
    stream.on("error", (error) => (failure = error));
    stream.on("close", () => {
      this.#streams -= 1;
      this.#usedAtMs = Date.now();
      if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM && exchange.isReplayable) this.#refuse(exchange, target);
      else if (!exchange.isOver) {
        deliverRest(stream, exchange);
        exchange.fail(this.#failureOf(failure));
      }
      this.#owner.onRoom();
    });
  }

  #refuse(exchange: CarriedExchange, target: ParsedUri): void {
    exchange.detach();
    this.#owner.onRefused(exchange, target);
  }

  /** If the first bytes are no HTTP/2, the peer answered in another protocol. */
  #failureOf(error: Error | undefined): TransportError {
    const cause = error ?? this.#failure;
    if (!this.#greeted && codeOf(cause) === "ERR_HTTP2_ERROR") return httpOneOnly(this.#origin, { cause });
    return broken(cause, this.#origin);
  }

  #ping(): void {
    if (this.#streams === 0 && Date.now() - this.#usedAtMs > IDLE_MAX_MS) {
      this.retire();
      return;
    }
    if (this.#session.destroyed) return;
    const silence = setTimeout(() => {
      const message = `The exchange with ${this.#origin.host} broke: no answer to a ping within ${PING_TIMEOUT_MS} ms.`;
      this.#session.destroy(new TransportError("broken", message));
    }, PING_TIMEOUT_MS).unref();
    this.#session.ping((error) => {
      clearTimeout(silence);
      if (error === null) this.#heardAtMs = Date.now();
    });
  }
}
