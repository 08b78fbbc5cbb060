/** Frames: every message follows an 8-byte header of type code, flags and payload length. */
import { encode } from "../model/proto3-encode.ts";
import type { Draft, MessageType } from "../model/proto3.ts";

export const HEADER_BYTES = 8;
/**
 * A frame that is a view keeps its whole buffer in memory. A frame is copied instead if the buffer is more than this many times
 * as large as the frame.
 */
const PINNED_MAX_TIMES = 4;
/** The sender requests an acknowledgement; V7 sets this flag on every run proposal. */
export const REQUESTED_ACK = 0x8000;

export interface Frame {
  /** The type code. */
  readonly type: number;
  /** The 16 bits after the code, reserved bits included. */
  readonly flags: number;
  readonly payload: Uint8Array;
  /** Header and payload as received; stored and replayed unchanged (I9). */
  readonly raw: Uint8Array;
}

export interface FrameTooLarge {
  readonly sizeBytes: number;
  readonly limitBytes: number;
}

/** @param payload the content, which the function copies */
export function encodeFrame(type: number, payload: Uint8Array, flags = 0): Uint8Array {
  const raw = new Uint8Array(HEADER_BYTES + payload.length);
  raw.set(payload, HEADER_BYTES);
  return withHeader(raw, type, flags);
}

/** Encodes a message directly behind its header, without a copy. @throws Proto3Error as `encode` does */
export function messageFrame<T>(code: number, type: MessageType<T>, value: Draft<NoInfer<T>>, flags = 0): Uint8Array {
  return withHeader(encode(type, value, HEADER_BYTES), code, flags);
}

function withHeader(raw: Uint8Array, type: number, flags: number): Uint8Array {
  const header = new DataView(raw.buffer, raw.byteOffset, HEADER_BYTES);
  header.setUint16(0, type);
  header.setUint16(2, flags);
  header.setUint32(4, raw.length - HEADER_BYTES);
  return raw;
}

/** Splits stored bytes into frames. @throws RangeError if the bytes do not end with a complete frame */
export function framesOf(bytes: Uint8Array): Frame[] {
  const reader = new FrameReader(Infinity);
  reader.push(bytes);
  const frames: Frame[] = [];
  for (let frame = reader.next(); frame !== undefined; frame = reader.next()) frames.push(frame);
  if (reader.pendingBytes > 0) throw new RangeError(`${reader.pendingBytes} bytes at the end are not a whole frame`);
  return frames;
}

/** Splits a stream of chunks into frames. Chunk boundaries carry no meaning. */
export class FrameReader {
  /** Set once a header announces a payload above the limit; later bytes are ignored. */
  tooLarge: FrameTooLarge | undefined;
  readonly #limitBytes: number;
  #buffer = new Uint8Array(0);
  #start = 0;
  #end = 0;
  /** Large frames are views of their chunk, so bytes may be appended only to a buffer that this reader allocated. */
  #owned = false;

  /** @param limitBytes the largest accepted payload (RT0003) */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Received bytes that are not part of a complete frame; after the last `next`, the remainder of a cut stream. */
  get pendingBytes(): number {
    return this.#end - this.#start;
  }

  /** @param chunk must not change afterwards, because large frames share its memory */
  push(chunk: Uint8Array): void {
    if (this.tooLarge !== undefined || chunk.length === 0) return;
    if (this.pendingBytes === 0) {
      this.#buffer = chunk as Uint8Array<ArrayBuffer>;
      this.#start = 0;
      this.#end = chunk.length;
      this.#owned = false;
      return;
    }
    if (!this.#owned || this.#end + chunk.length > this.#buffer.length) this.#grow(chunk.length);
    this.#buffer.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  /**
   * The size doubles, so the time for a large frame in many chunks is proportional to the size of the frame. Bytes never move
   * within a buffer, because frames may be views of it.
   */
  #grow(more: number): void {
    const pending = this.#buffer.subarray(this.#start, this.#end);
    this.#buffer = new Uint8Array(2 * (pending.length + more));
    this.#buffer.set(pending);
    this.#start = 0;
    this.#end = pending.length;
    this.#owned = true;
  }

  /** @returns the next complete frame; undefined until more bytes arrive, and always once `tooLarge` is set */
  next(): Frame | undefined {
    if (this.tooLarge !== undefined || this.pendingBytes < HEADER_BYTES) return undefined;
    const header = new DataView(this.#buffer.buffer, this.#buffer.byteOffset + this.#start, HEADER_BYTES);
    const sizeBytes = header.getUint32(4);
    if (sizeBytes > this.#limitBytes) {
      this.tooLarge = { sizeBytes, limitBytes: this.#limitBytes };
      return undefined;
    }
    if (this.pendingBytes < HEADER_BYTES + sizeBytes) return undefined;
    const view = this.#buffer.subarray(this.#start, this.#start + HEADER_BYTES + sizeBytes);
    this.#start += view.length;
    // A view keeps the whole buffer of its chunk in memory: 60,000 small frames pinned 3.8 GB of socket buffers.
    const raw = view.length * PINNED_MAX_TIMES < this.#buffer.buffer.byteLength ? view.slice() : view;
    return { type: header.getUint16(0), flags: header.getUint16(2), payload: raw.subarray(HEADER_BYTES), raw };
  }
}
