/** The frames of HTTP/2 (RFC 9113): types, flags, settings, error codes and sizes; and the reader that cuts bytes into frames. */

export const FRAME = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const;

export const FLAG = { NONE: 0, END_STREAM: 1, ACK: 1, END_HEADERS: 4, PADDED: 8, PRIORITY: 0x20 } as const;

export const SETTING = {
  HEADER_TABLE_SIZE: 1,
  ENABLE_PUSH: 2,
  MAX_CONCURRENT_STREAMS: 3,
  INITIAL_WINDOW_SIZE: 4,
  MAX_FRAME_SIZE: 5,
  MAX_HEADER_LIST_SIZE: 6,
} as const;

export const CODE = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  INTERNAL_ERROR: 2,
  FLOW_CONTROL_ERROR: 3,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  ENHANCE_YOUR_CALM: 11,
  HTTP_1_1_REQUIRED: 13,
} as const;

/** The codes with which a peer refuses a request. */
export const REFUSALS: ReadonlySet<number> = new Set([CODE.REFUSED_STREAM, CODE.ENHANCE_YOUR_CALM]);

export const FRAME_HEAD_BYTES = 9;
/** The default limit of a frame's payload in both directions. Stepwell never announces another limit. */
export const FRAME_PAYLOAD_MAX_BYTES = 16_384;
/** The initial window of a stream and of a connection. */
export const WINDOW_BYTES = 65_535;
/** The largest window, which is also the largest stream id. */
export const MAX_31_BITS = 0x7fffffff;

/** The peer broke a rule of HTTP/2 in a way that ends the connection. */
export class ConnectionError extends Error {
  override name = "ConnectionError";
  /** The error code of the GOAWAY. */
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** @returns the name of the code, such as "CANCEL" for 8, or a hexadecimal number if the code has no name */
export function codeName(code: number): string {
  return Object.entries(CODE).find(([, number]) => number === code)?.[0] ?? `0x${code.toString(16)}`;
}

/** Reads an unsigned number of 32 bits, the most significant byte first. */
export function readUint32(bytes: Uint8Array, at: number): number {
  const [a, b, c, d] = [bytes[at] ?? 0, bytes[at + 1] ?? 0, bytes[at + 2] ?? 0, bytes[at + 3] ?? 0];
  return a * 0x1000000 + ((b << 16) | (c << 8) | d);
}

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
