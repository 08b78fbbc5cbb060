/** Sends content only as fast as the peer opens its windows and reads from the socket. */
import { CODE, ConnectionError, FLAG, FRAME, FRAME_PAYLOAD_MAX_BYTES, MAX_31_BITS, WINDOW_BYTES } from "./frames.ts";
import type { GatheredWrites } from "./gathered-writes.ts";
import type { Http2Stream } from "./http2-stream.ts";

/** The limit of our frames even if the peer accepts larger ones, so that streams take turns. */
const FRAME_MAX_BYTES = 64 * 1024;

export class OutboundData {
  readonly #writes: GatheredWrites;
  readonly #copy = (piece: Uint8Array): void => this.#writes.bytes(piece);
  #window = WINDOW_BYTES;
  #frameMaxBytes = FRAME_PAYLOAD_MAX_BYTES;
  /** Streams whose queue exceeds the windows or the room of the socket, in the order of their turns. */
  readonly #blocked = new Set<Http2Stream>();
  #hasSent = false;
  /** The window of a new stream, from the peer's settings. */
  initialWindow = WINDOW_BYTES;

  constructor(writes: GatheredWrites) {
    this.#writes = writes;
  }

  get frameMaxBytes(): number {
    return this.#frameMaxBytes;
  }

  set frameMaxBytes(bytes: number) {
    this.#frameMaxBytes = Math.min(bytes, FRAME_MAX_BYTES);
  }

  /** Sends the stream's queue and then the end of the request, as far as there is room; the rest follows when the peer reads. */
  send(stream: Http2Stream): void {
    // A stream that is already waiting keeps its turn.
    if (this.#blocked.has(stream)) return;
    while (isPending(stream)) {
      if (!this.#sendFrame(stream)) {
        this.#blocked.add(stream);
        return;
      }
    }
  }

  /** True if a frame was sent since the last call. */
  hasSent(): boolean {
    const hasSent = this.#hasSent;
    this.#hasSent = false;
    return hasSent;
  }

  forget(stream: Http2Stream): void {
    this.#blocked.delete(stream);
  }

  /** Goes on once the socket has sent what it had. */
  drained(): void {
    if (this.#blocked.size > 0) this.#turns();
  }

  /** @throws ConnectionError if the window exceeds its maximum */
  grow(bytes: number): void {
    this.#window += bytes;
    if (this.#window > MAX_31_BITS) throw tooLarge();
    this.#turns();
  }

  /** @returns false if the stream's window exceeds its maximum */
  growStream(stream: Http2Stream, bytes: number): boolean {
    stream.sendWindow += bytes;
    if (stream.sendWindow > MAX_31_BITS) return false;
    if (this.#blocked.delete(stream)) this.send(stream);
    return true;
  }

  /** Applies the peer's new initial window, also to open streams. @throws ConnectionError as for `grow` */
  resize(window: number, streams: Iterable<Http2Stream>): void {
    const change = window - this.initialWindow;
    this.initialWindow = window;
    if (change === 0) return;
    for (const stream of streams) {
      stream.sendWindow += change;
      if (stream.sendWindow > MAX_31_BITS) throw tooLarge();
    }
    this.#turns();
  }

  /** Sends one frame of each blocked stream, round after round, until none can send. */
  #turns(): void {
    for (let sent = true; sent && this.#window > 0;) {
      sent = false;
      for (const stream of this.#blocked) {
        if (!this.#sendFrame(stream)) continue;
        sent = true;
        if (!isPending(stream)) this.#blocked.delete(stream);
      }
    }
  }

  /** @returns false if the windows or the socket allow nothing */
  #sendFrame(stream: Http2Stream): boolean {
    if (stream.queuedBytes > 0 && this.#writes.isFull) return false;
    const size = Math.min(stream.queuedBytes, stream.sendWindow, this.#window, this.#frameMaxBytes);
    if (size <= 0 && stream.queuedBytes > 0) return false;
    const isLast = stream.ends && size === stream.queuedBytes;
    this.#writes.head(FRAME.DATA, isLast ? FLAG.END_STREAM : FLAG.NONE, stream.id, size);
    stream.dequeue(size, this.#copy);
    stream.sendWindow -= size;
    this.#window -= size;
    this.#hasSent = true;
    if (isLast) stream.ended = true;
    return true;
  }
}

function isPending(stream: Http2Stream): boolean {
  return stream.queuedBytes > 0 || (stream.ends && !stream.ended);
}

function tooLarge(): ConnectionError {
  return new ConnectionError(CODE.FLOW_CONTROL_ERROR, "a window was opened beyond its maximum");
}
