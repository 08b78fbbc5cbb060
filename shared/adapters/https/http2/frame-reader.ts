/** Cuts the received bytes of a connection into frames. */
import { CODE, ConnectionError, FRAME_HEAD_BYTES, FRAME_PAYLOAD_MAX_BYTES, MAX_31_BITS, readUint32 } from "./frames.ts";

export interface FrameSink {
  /** The payload is `bytes` from `start` to `end`; the sink may keep these bytes. */
  onFrame(type: number, flags: number, streamId: number, bytes: Uint8Array, start: number, end: number): void;
}

export class FrameReader {
  readonly #sink: FrameSink;
  /** The head of an incomplete frame. */
  readonly #head = new Uint8Array(FRAME_HEAD_BYTES);
  #headBytes = 0;
  /** The payload of the incomplete frame, once its head is complete. */
  #payload: Uint8Array | undefined;
  #payloadBytes = 0;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** @throws ConnectionError for a frame above our limit, as soon as its head is complete; and what the sink throws */
  push(chunk: Uint8Array): void {
    let at = this.#headBytes === 0 ? 0 : this.#goOn(chunk);
    while (chunk.length - at >= FRAME_HEAD_BYTES) {
      const size = sizeOf(chunk, at);
      const start = at + FRAME_HEAD_BYTES;
      if (chunk.length - start < size) break;
      at = start + size;
      this.#give(chunk, start - FRAME_HEAD_BYTES, chunk, start, at);
    }
    if (at < chunk.length) this.#keep(chunk, at);
  }

  /** The last frame if it is incomplete but its head is complete; otherwise undefined. */
  unfinished(): { type: number; flags: number; streamId: number; payload: Uint8Array } | undefined {
    if (this.#payload === undefined) return undefined;
    const [type = 0, flags = 0] = this.#head.subarray(3, 5);
    const streamId = readUint32(this.#head, 5) & MAX_31_BITS;
    return { type, flags, streamId, payload: this.#payload.subarray(0, this.#payloadBytes) };
  }

  /** Continues the incomplete frame. @returns the position in the chunk behind the bytes of this frame */
  #goOn(chunk: Uint8Array): number {
    let at = 0;
    if (this.#payload === undefined) {
      at = Math.min(FRAME_HEAD_BYTES - this.#headBytes, chunk.length);
      this.#head.set(chunk.subarray(0, at), this.#headBytes);
      this.#headBytes += at;
      if (this.#headBytes < FRAME_HEAD_BYTES) return at;
      this.#payload = Buffer.allocUnsafe(sizeOf(this.#head, 0));
      this.#payloadBytes = 0;
    }
    const payload = this.#payload;
    const taken = Math.min(payload.length - this.#payloadBytes, chunk.length - at);
    payload.set(chunk.subarray(at, at + taken), this.#payloadBytes);
    this.#payloadBytes += taken;
    if (this.#payloadBytes < payload.length) return at + taken;
    this.#payload = undefined;
    this.#headBytes = 0;
    this.#give(this.#head, 0, payload, 0, payload.length);
    return at + taken;
  }

  #keep(chunk: Uint8Array, from: number): void {
    this.#goOn(chunk.subarray(from));
  }

  #give(head: Uint8Array, at: number, payload: Uint8Array, start: number, end: number): void {
    const streamId = readUint32(head, at + 5) & MAX_31_BITS;
    this.#sink.onFrame(head[at + 3] ?? 0, head[at + 4] ?? 0, streamId, payload, start, end);
  }
}

function sizeOf(bytes: Uint8Array, at: number): number {
  const size = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
  if (size > FRAME_PAYLOAD_MAX_BYTES) {
    throw new ConnectionError(CODE.FRAME_SIZE_ERROR, `a frame of ${size} bytes came, more than was allowed`);
  }
  return size;
}
