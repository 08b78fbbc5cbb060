/** One exchange on a connection: its windows in both directions, and its queue of unsent bytes. */
import type { CarriedExchange, Carrier } from "../exchange/carried-exchange.ts";
import type { ParsedUri } from "../exchange/parsed-uri.ts";
import type { ReceiveWindow } from "./receive-window.ts";

/** The calls of a stream to its connection. */
export interface StreamOwner {
  /** The stream has put bytes, or the end of the request, into its queue. */
  onQueued(stream: Http2Stream): void;
  /** The reader aborted the exchange. */
  onGivenUp(stream: Http2Stream): void;
  /** The reader caught up. */
  onResumed(stream: Http2Stream): void;
}

export class Http2Stream implements Carrier {
  readonly id: number;
  readonly exchange: CarriedExchange;
  readonly target: ParsedUri;
  readonly receiveWindow: ReceiveWindow;
  readonly #owner: StreamOwner;
  readonly #queue: Uint8Array[] = [];
  /** The number of bytes that wait to be sent. */
  queuedBytes = 0;
  /** The number of bytes that the peer accepts now. Negative if the peer shrank its window below the bytes already sent. */
  sendWindow: number;
  /** True once the request is complete: no bytes will follow the queued ones. */
  ends = false;
  /** True once the end of the request was sent. */
  ended = false;
  hasHead = false;
  isPaused = false;
  /** How many bytes of the response are still to come, by its `content-length`; undefined without that header. */
  contentLeftBytes: number | undefined;

  constructor(
    id: number,
    exchange: CarriedExchange,
    target: ParsedUri,
    owner: StreamOwner,
    windows: { readonly send: number; readonly receive: ReceiveWindow },
  ) {
    this.id = id;
    this.exchange = exchange;
    this.target = target;
    this.#owner = owner;
    this.sendWindow = windows.send;
    this.receiveWindow = windows.receive;
  }

  queue(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#queue.push(bytes);
    this.queuedBytes += bytes.length;
  }

  /** Removes bytes from the queue, piece by piece. @param size at most `queuedBytes` */
  dequeue(size: number, onPiece: (piece: Uint8Array) => void): void {
    this.queuedBytes -= size;
    for (let left = size; left > 0;) {
      const piece = this.#queue[0] as Uint8Array;
      if (piece.length > left) {
        onPiece(piece.subarray(0, left));
        this.#queue[0] = piece.subarray(left);
        return;
      }
      this.#queue.shift();
      onPiece(piece);
      left -= piece.length;
    }
  }

  write(bytes: Uint8Array): void {
    if (this.ends) return;
    this.queue(bytes);
    this.#owner.onQueued(this);
  }

  end(): void {
    if (this.ends) return;
    this.ends = true;
    this.#owner.onQueued(this);
  }

  reset(): void {
    this.#owner.onGivenUp(this);
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.#owner.onResumed(this);
  }
}
