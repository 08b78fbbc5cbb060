/** One exchange with a deployment, independent of the protocol that carries it. */
import type { Readable } from "node:stream";
import {
  TransportError,
  type Exchange,
  type ExchangeHead,
  type ExchangeRequest,
} from "../../../engine/ports/endpoints.ts";

/** The part of an exchange that a protocol supplies once the exchange has a connection. */
export interface Carrier {
  write(bytes: Uint8Array): void;
  /** Ends our side. */
  end(): void;
  /** Signals to the peer that this side gives the exchange up. */
  reset(): void;
  pause(): void;
  resume(): void;
}

interface Waiter<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: TransportError) => void;
}

/** Above this many unread bytes the peer is paused; at half of this number, the peer resumes. */
const UNREAD_MAX_BYTES = 64 * 1024;
/** Up to this many bytes that were written after the body are kept, so that a refused request can be sent again. */
const REPLAYED_MAX_BYTES = 1024 * 1024;

export class CarriedExchange implements Exchange {
  readonly request: ExchangeRequest;
  /** The number of connections that refused the request; `byNew` counts those that had never answered a request. */
  readonly refusals = { all: 0, byNew: 0 };
  #carrier: Carrier | undefined;
  #state: "open" | "ended" | "failed" = "open";
  #failure: TransportError | undefined;
  #head: ExchangeHead | undefined;
  #headWaiters: Waiter<ExchangeHead>[] = [];
  #nextWaiters: Waiter<Uint8Array | undefined>[] = [];
  #unread = new UnreadPieces();
  #paused = false;
  /** The bytes that were written after the request's body, until a head proves that the peer has taken the request. */
  #laterWrites: Uint8Array[] = [];
  #laterBytes = 0;
  #ourSide: "open" | "closed";

  constructor(request: ExchangeRequest) {
    this.request = request;
    this.#ourSide = request.halfClose ? "closed" : "open";
  }

  head(): Promise<ExchangeHead> {
    if (this.#head !== undefined) return Promise.resolve(this.#head);
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => this.#headWaiters.push({ resolve, reject }));
  }

  next(): Promise<Uint8Array | undefined> {
    const bytes = this.#unread.shift();
    if (bytes !== undefined) {
      this.#resumeWhenRead();
      return Promise.resolve(bytes);
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#state === "ended") return Promise.resolve(undefined);
    return new Promise((resolve, reject) => this.#nextWaiters.push({ resolve, reject }));
  }

  write(bytes: Uint8Array): void {
    if (this.#ourSide === "closed" || this.#state === "failed") return;
    if (this.#head === undefined) this.#keepLater(bytes);
    this.#carrier?.write(bytes);
  }

  halfClose(): void {
    if (this.#ourSide === "closed") return;
    this.#ourSide = "closed";
    this.#carrier?.end();
  }

  abort(): void {
    if (this.#state === "failed") return;
    if (this.#state === "ended") {
      if (this.#ourSide === "open") this.#carrier?.reset();
      this.#ourSide = "closed";
      return;
    }
    this.#unread = new UnreadPieces();
    this.fail(new TransportError("aborted", "The exchange was given up by this side."));
    this.#carrier?.reset();
  }

  /** The received bytes that no reader has taken. */
  get unreadBytes(): number {
    return this.#unread.bytes;
  }

  get isUnsent(): boolean {
    return this.#carrier === undefined && this.#state === "open";
  }

  /** True when the exchange has ended or failed and needs no connection. */
  get isOver(): boolean {
    return this.#state !== "open";
  }

  /** True while the request can be sent again from its beginning without a visible difference. */
  get isReplayable(): boolean {
    return this.#state === "open" && this.#head === undefined && this.#laterBytes <= REPLAYED_MAX_BYTES;
  }

  /** The protocol calls this after it has sent the request's head and body. */
  attach(carrier: Carrier): void {
    this.#carrier = carrier;
    for (const bytes of this.#laterWrites) carrier.write(bytes);
    if (!this.isReplayable) this.#laterWrites = [];
    if (this.#ourSide === "closed" && !this.request.halfClose) carrier.end();
  }

  /** Removes a carrier that refused the request; another carrier may follow. */
  detach(isNew: boolean): void {
    this.#carrier = undefined;
    this.refusals.all += 1;
    if (isNew) this.refusals.byNew += 1;
  }

  accept(head: ExchangeHead): void {
    if (this.#state !== "open" || this.#head !== undefined) return;
    this.#head = head;
    this.#laterWrites = [];
    for (const waiter of this.#headWaiters.splice(0)) waiter.resolve(head);
  }

  deliver(received: Uint8Array): void {
    if (this.#state !== "open" || received.length === 0) return;
    const waiter = this.#nextWaiters.shift();
    if (waiter !== undefined) {
      waiter.resolve(unpinned(received));
      return;
    }
    this.#unread.push(received);
    if (this.#unread.bytes <= UNREAD_MAX_BYTES || this.#paused) return;
    this.#paused = true;
    this.#carrier?.pause();
  }

  /** The peer ended its side regularly. */
  finish(): void {
    if (this.#state !== "open") return;
    if (this.#head === undefined) {
      this.fail(new TransportError("broken", "The peer ended the exchange without an answer."));
      return;
    }
    this.#state = "ended";
    for (const waiter of this.#nextWaiters.splice(0)) waiter.resolve(undefined);
  }

  /** Delivered bytes stay readable. */
  fail(failure: TransportError): void {
    if (this.#state !== "open") return;
    this.#state = "failed";
    this.#failure = failure;
    this.#laterWrites = [];
    for (const waiter of this.#headWaiters.splice(0)) waiter.reject(failure);
    for (const waiter of this.#nextWaiters.splice(0)) waiter.reject(failure);
  }

  /** Without a carrier, all bytes are kept until one sends them. */
  #keepLater(bytes: Uint8Array): void {
    this.#laterBytes += bytes.length;
    if (this.#carrier === undefined || this.isReplayable) this.#laterWrites.push(bytes);
    else this.#laterWrites = [];
  }

  #resumeWhenRead(): void {
    if (!this.#paused || this.#unread.bytes > UNREAD_MAX_BYTES / 2) return;
    this.#paused = false;
    this.#carrier?.resume();
  }
}

/** Delivers the bytes that a broken stream still buffers for a slow reader; they came before the break. */
export function deliverRest(stream: Readable, exchange: CarriedExchange): void {
  for (let rest = stream.read() as Uint8Array | null; rest !== null; rest = stream.read() as Uint8Array | null) {
    exchange.deliver(rest);
  }
}

/** A view is copied if its buffer is more than this many times as large as the view. */
const PINNED_MAX_TIMES = 4;
/** From this many pieces on, small ones are gathered: a piece of one byte takes more than a hundred bytes of memory. */
const PIECES_MAX = 64;
const SMALL_BYTES = 256;
const GATHERED_BYTES = 4 * SMALL_BYTES;

export class UnreadPieces {
  readonly #pieces: Uint8Array[] = [];
  /** Holds the last piece while further small ones still fit behind it. */
  #gathering: Uint8Array | undefined;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  push(received: Uint8Array): void {
    this.#bytes += received.length;
    if (this.#pieces.length < PIECES_MAX || received.length > SMALL_BYTES) {
      this.#pieces.push(unpinned(received));
      this.#gathering = undefined;
    } else if (!this.#append(received)) {
      this.#gathering = new Uint8Array(GATHERED_BYTES);
      this.#gathering.set(received);
      this.#pieces.push(this.#gathering.subarray(0, received.length));
    }
  }

  shift(): Uint8Array | undefined {
    const piece = this.#pieces.shift();
    if (piece !== undefined) this.#bytes -= piece.length;
    if (this.#pieces.length === 0) this.#gathering = undefined;
    return piece;
  }

  /** @returns false if no last piece has room */
  #append(received: Uint8Array): boolean {
    const last = this.#pieces.length - 1;
    const usedBytes = this.#pieces[last]?.length ?? 0;
    if (this.#gathering === undefined || usedBytes + received.length > GATHERED_BYTES) return false;
    this.#gathering.set(received, usedBytes);
    this.#pieces[last] = this.#gathering.subarray(0, usedBytes + received.length);
    return true;
  }
}

/** Copies a small view of a large buffer. Otherwise 8 bytes of a message could keep 64 KiB of a socket's buffer alive. */
function unpinned(bytes: Uint8Array): Uint8Array {
  return bytes.buffer.byteLength > PINNED_MAX_TIMES * bytes.length ? new Uint8Array(bytes) : bytes;
}
