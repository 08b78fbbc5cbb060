/** Constants of HTTP/2 (RFC 9113): frame types, flags, settings, error codes and sizes. Also reads 32-bit numbers. */

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
