/** One exchange with a deployment, independent of the protocol that carries it. */
import type { Readable } from "node:stream";
import { TransportError } from "../../../engine/ports/endpoints.ts";
import type { Exchange, ExchangeHead, ExchangeRequest } from "../../../engine/ports/endpoints.ts";

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

/** A view is copied if its buffer is more than this many times as large as the view. */
const PINNED_MAX_TIMES = 4;
/** Above this many unread bytes the peer is paused; at half of this number, the peer resumes. */
const UNREAD_MAX_BYTES = 64 * 1024;

export class CarriedExchange implements Exchange {
  readonly request: ExchangeRequest;
  /** The number of connections that refused the request. */
  refusals = 0;
  #carrier: Carrier | undefined;
  #state: "open" | "ended" | "failed" = "open";
  #failure: TransportError | undefined;
  #head: ExchangeHead | undefined;
  #headWaiters: Waiter<ExchangeHead>[] = [];
  #nextWaiters: Waiter<Uint8Array | undefined>[] = [];
  #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  #paused = false;
  #wroteLater = false;
  #unsent: Uint8Array[] = [];
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
      this.#unreadBytes -= bytes.length;
      this.#resumeWhenRead();
      return Promise.resolve(bytes);
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#state === "ended") return Promise.resolve(undefined);
    return new Promise((resolve, reject) => this.#nextWaiters.push({ resolve, reject }));
  }

  write(bytes: Uint8Array): void {
    if (this.#ourSide === "closed" || this.#state === "failed") return;
    this.#wroteLater = true;
    if (this.#carrier === undefined) this.#unsent.push(bytes);
    else this.#carrier.write(bytes);
  }

  halfClose(): void {
    if (this.#ourSide === "closed") return;
    this.#ourSide = "closed";
    this.#wroteLater = true;
    this.#carrier?.end();
  }

  abort(): void {
    if (this.#state === "failed") return;
    if (this.#state === "ended") {
      if (this.#ourSide === "open") this.#carrier?.reset();
      this.#ourSide = "closed";
      return;
    }
    this.#unread = [];
    this.#unreadBytes = 0;
    this.fail(new TransportError("aborted", "The exchange was given up by this side."));
    this.#carrier?.reset();
  }

  /** The received bytes that no reader has taken. */
  get unreadBytes(): number {
    return this.#unreadBytes;
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
    return this.#state === "open" && this.#head === undefined && !this.#wroteLater;
  }

  /** The protocol calls this after it has sent the request's head and body. */
  attach(carrier: Carrier): void {
    this.#carrier = carrier;
    for (const bytes of this.#unsent.splice(0)) carrier.write(bytes);
    if (this.#ourSide === "closed" && !this.request.halfClose) carrier.end();
  }

  /** Removes a carrier that refused the request; another carrier may follow. */
  detach(): void {
    this.#carrier = undefined;
    this.refusals += 1;
  }

  accept(head: ExchangeHead): void {
    if (this.#state !== "open" || this.#head !== undefined) return;
    this.#head = head;
    for (const waiter of this.#headWaiters.splice(0)) waiter.resolve(head);
  }

  deliver(received: Uint8Array): void {
    if (this.#state !== "open" || received.length === 0) return;
    const bytes = unpinned(received);
    const waiter = this.#nextWaiters.shift();
    if (waiter !== undefined) {
      waiter.resolve(bytes);
      return;
    }
    this.#unread.push(bytes);
    this.#unreadBytes += bytes.length;
    if (this.#unreadBytes <= UNREAD_MAX_BYTES || this.#paused) return;
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
    for (const waiter of this.#headWaiters.splice(0)) waiter.reject(failure);
    for (const waiter of this.#nextWaiters.splice(0)) waiter.reject(failure);
  }

  #resumeWhenRead(): void {
    if (!this.#paused || this.#unreadBytes > UNREAD_MAX_BYTES / 2) return;
    this.#paused = false;
    this.#carrier?.resume();
  }
}

/** Copies a small view of a large buffer. Otherwise 8 bytes of a message could keep 64 KiB of a socket's buffer alive. */
function unpinned(bytes: Uint8Array): Uint8Array {
  return bytes.buffer.byteLength > PINNED_MAX_TIMES * bytes.length ? new Uint8Array(bytes) : bytes;
}

/** Delivers the bytes that a broken stream still buffers for a slow reader; they came before the break. */
export function deliverRest(stream: Readable, exchange: CarriedExchange): void {
  for (let rest = stream.read() as Uint8Array | null; rest !== null; rest = stream.read() as Uint8Array | null) {
    exchange.deliver(rest);
  }
}
