/** One HTTP/2 connection, with or without TLS, from the preface to the GOAWAY. */
import type { Socket } from "node:net";
import { TransportError } from "../../../engine/ports/endpoints.ts";
import type { CarriedExchange } from "../exchange/carried-exchange.ts";
import { broken, httpOneOnly } from "../exchange/failures.ts";
import { flood } from "../exchange/idle-work.ts";
import type { ParsedUri } from "../exchange/parsed-uri.ts";
import { CODE, codeName, ConnectionError, FLAG, FRAME, FrameReader } from "./frames.ts";
import { GatheredWrites } from "./gathered-writes.ts";
import { calm, InboundFrames } from "./inbound-frames.ts";
import { OpenStreams, type StreamsOwner } from "./open-streams.ts";

/** The connection ends if the peer floods it with PING and SETTINGS frames and leaves more answers than this unread. */
const ANSWERS_UNREAD_MAX = 1_000;
/** How long a peer may take to read our GOAWAY. */
const GOODBYE_MAX_MS = 5_000;
const PING_INTERVAL_MS = 40_000;
const PING_TIMEOUT_MS = 20_000;
/** A peer that sends no frame for this long has missed a ping. */
const SILENCE_MAX_MS = PING_INTERVAL_MS + 2 * PING_TIMEOUT_MS;
const IDLE_MAX_MS = 300_000;

/** The origin to which a connection belongs. */
export interface ConnectionOwner {
  /** A stream ended. */
  onRoom(): void;
  /** The peer announced how many streams it allows at once. */
  onLimit(streamsMax: number): void;
  /** The connection takes no new requests; the ones that it has may go on. */
  onLeaving(): void;
  /** The connection ended. */
  onGone(connection: Http2Connection): void;
  /**
   * The peer refused this request; another connection can send it.
   * @param isNew true if the refusing connection has never answered a request
   */
  onRefused(exchange: CarriedExchange, target: ParsedUri, isNew: boolean): void;
}

export class Http2Connection implements StreamsOwner {
  readonly #socket: Socket;
  readonly #origin: URL;
  readonly #owner: ConnectionOwner;
  readonly #writes: GatheredWrites;
  readonly #streams: OpenStreams;
  readonly #frames: InboundFrames;
  readonly #reader: FrameReader;
  readonly #pings: NodeJS.Timeout;
  #silence: NodeJS.Timeout | undefined;
  #answersUnread = 0;
  #heardAtMs = Date.now();
  #usedAtMs = Date.now();
  /** True after `retire`, after a refusal and after a GOAWAY of the peer; the connection accepts no new requests. */
  #leaving = false;
  /** The peer refuses requests, so that it takes none whose answer has not begun. */
  #refuses = false;
  /** The error code of the peer's GOAWAY. */
  #farewell: number = CODE.NO_ERROR;
  #gone = false;

  /** @param streamsAssumed the limit of open streams until the peer announces one */
  constructor(socket: Socket, origin: URL, owner: ConnectionOwner, streamsAssumed: number) {
    this.#socket = socket;
    this.#origin = origin;
    this.#owner = owner;
    this.#writes = new GatheredWrites(socket);
    this.#streams = new OpenStreams(this.#writes, origin, this, streamsAssumed);
    this.#frames = new InboundFrames(this.#streams);
    this.#reader = new FrameReader(this.#frames);
    this.#writes.preface();
    this.#pings = setInterval(() => this.#ping(), PING_INTERVAL_MS).unref();
    this.#listen();
  }

  /**
   * False after `retire`, after the peer refused a request, after a GOAWAY of either side, and after missed pings. A process that was
   * frozen may have a connection that the peer has closed; a new request must not use that connection.
   */
  get isUsable(): boolean {
    if (this.#gone || this.#leaving || this.#streams.isUsedUp) return false;
    return Date.now() - this.#heardAtMs < SILENCE_MAX_MS;
  }

  /** True while the number of streams is below the peer's limit. */
  get hasRoom(): boolean {
    return this.#streams.hasRoom;
  }

  /** Sends head and body of the request together. If no bytes follow the body, the last frame also ends our side. */
  start(exchange: CarriedExchange, target: ParsedUri): void {
    if (this.#gone || this.#leaving) this.onRefused(exchange, target, false);
    else this.#streams.open(exchange, target);
  }

  /** Accepts no more requests, and ends after the last exchange. */
  retire(): void {
    this.#leaving = true;
    if (this.#streams.count === 0) this.#leave(CODE.NO_ERROR);
  }

  /** Ends now; exchanges under way break. */
  destroy(): void {
    this.#end(new TransportError("broken", `The exchange with ${this.#origin.host} broke: this side was closed.`));
  }

  onClosed(): void {
    this.#usedAtMs = Date.now();
    if (this.#leaving && this.#streams.count === 0) this.#leave(CODE.NO_ERROR);
    else this.#owner.onRoom();
  }

  onLimit(streamsMax: number): void {
    this.#answer();
    this.#writes.head(FRAME.SETTINGS, FLAG.ACK, 0, 0);
    this.#owner.onLimit(streamsMax);
  }

  onPing(bytes: Uint8Array, start: number, isAnswer: boolean): void {
    if (isAnswer) {
      clearTimeout(this.#silence);
      return;
    }
    this.#answer();
    this.#writes.ping(FLAG.ACK, bytes.slice(start, start + 8));
  }

  /** The peer still answers the requests that its GOAWAY covers, unless it closes the connection. */
  onGoodbye(code: number): void {
    this.#leaving = true;
    this.#farewell = code;
    if (code === CODE.ENHANCE_YOUR_CALM) this.#refuses = true;
    if (this.#streams.count === 0) this.#leave(CODE.NO_ERROR);
    else this.#owner.onLeaving();
  }

  /**
   * The peer may refuse for what an earlier stream left behind: Node's server, for example, counts the unsent content of a
   * stream that was reset against the memory of its connection. So the connection is left.
   */
  onRefusal(): void {
    this.#leaving = true;
    this.#refuses = true;
  }

  onRefused(exchange: CarriedExchange, target: ParsedUri, isNew: boolean): void {
    this.#owner.onRefused(exchange, target, isNew);
  }

  onProgress(): void {
    this.#frames.onProgress();
  }

  #listen(): void {
    let cause: Error | undefined;
    this.#socket.on("data", (chunk: Uint8Array) => this.#receive(chunk));
    this.#socket.on("drain", () => this.#streams.onDrained());
    this.#socket.on("error", (error) => (cause = error));
    this.#socket.on("end", () => this.#end(this.#brokenOff(undefined)));
    this.#socket.on("close", () => this.#end(this.#brokenOff(cause)));
  }

  #brokenOff(cause: Error | undefined): TransportError {
    if (this.#farewell === CODE.NO_ERROR) return broken(cause, this.#origin);
    return broken(new Error(`the peer ended the connection (${codeName(this.#farewell)})`, { cause }), this.#origin);
  }

  #receive(chunk: Uint8Array): void {
    if (this.#gone) return;
    this.#heardAtMs = Date.now();
    try {
      this.#reader.push(chunk);
    } catch (error) {
      const code = error instanceof ConnectionError ? error.code : CODE.INTERNAL_ERROR;
      this.#leave(code, this.#failureOf(error, code));
    }
  }

  #failureOf(error: unknown, code: number): TransportError {
    // First bytes that are no HTTP/2 mean that the peer answered in another protocol.
    if (!this.#frames.greeted) return httpOneOnly(this.#origin, { cause: error });
    if (code === CODE.ENHANCE_YOUR_CALM) return flood(this.#origin.host, (error as Error).message);
    return broken(error, this.#origin);
  }

  /** @throws ConnectionError if the peer requests answers without reading them */
  #answer(): void {
    this.#answersUnread = this.#writes.isBehind ? this.#answersUnread + 1 : 0;
    if (this.#answersUnread <= ANSWERS_UNREAD_MAX) return;
    throw calm("its pings and settings ask for answers that it does not read");
  }

  /** Sends GOAWAY and ends the connection. */
  #leave(code: number, failure: TransportError = broken(undefined, this.#origin)): void {
    if (this.#gone) return;
    this.#writes.goAway(code);
    this.#writes.flush();
    this.#socket.destroySoon();
    const patience = setTimeout(() => this.#socket.destroy(), GOODBYE_MAX_MS).unref();
    this.#socket.once("close", () => clearTimeout(patience));
    this.#end(failure);
  }

  /** Ends the connection and fails the open exchanges; bytes that an exchange received stay readable. */
  #end(failure: TransportError): void {
    if (this.#gone) return;
    this.#gone = true;
    clearInterval(this.#pings);
    clearTimeout(this.#silence);
    // A socket that is sending GOAWAY closes after that write.
    if (!this.#socket.writableEnded) this.#socket.destroy();
    this.#owner.onGone(this);
    this.#streams.breakAll(failure, this.#reader.unfinished(), this.#refuses);
  }

  #ping(): void {
    if (this.#streams.count === 0 && Date.now() - this.#usedAtMs > IDLE_MAX_MS) {
      this.retire();
      return;
    }
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      const silent = new Error(`no answer to a ping within ${PING_TIMEOUT_MS} ms`);
      this.#socket.destroy();
      this.#end(broken(silent, this.#origin));
    }, PING_TIMEOUT_MS).unref();
    this.#writes.ping(FLAG.NONE, new Uint8Array(8));
  }
}
