/** Gathers all frames of one turn of the event loop into one write on the socket. */
import type { Socket } from "node:net";
import { CONNECTION_WINDOW_BYTES, STREAM_WINDOW_INITIAL_BYTES } from "./receive-window.ts";
import { HEADER_LIST_MAX_BYTES } from "../exchange/end-to-end-headers.ts";
import { FLAG, FRAME, FRAME_HEAD_BYTES, SETTING, WINDOW_BYTES } from "./frames.ts";

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");
/** No push, no dynamic header table, and a small window for each stream, which grows. */
const OUR_SETTINGS: readonly (readonly [setting: number, value: number])[] = [
  [SETTING.HEADER_TABLE_SIZE, 0],
  [SETTING.ENABLE_PUSH, 0],
  [SETTING.INITIAL_WINDOW_SIZE, STREAM_WINDOW_INITIAL_BYTES],
  [SETTING.MAX_HEADER_LIST_SIZE, HEADER_LIST_MAX_BYTES],
];
const BLOCK_BYTES = 64 * 1024;
/** Longer pieces go to the socket as they are; for shorter ones a copy costs less. */
const COPIED_MAX_BYTES = 8 * 1024;
/** While the socket has this many bytes to send, content waits in its stream, where an abort drops it. */
const BACKLOG_MAX_BYTES = 1024 * 1024;

export class GatheredWrites {
  readonly #socket: Socket;
  #block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  /** The filled part of the block that is not in a piece yet lies between `#from` and `#to`. */
  #from = 0;
  #to = 0;
  #pieces: Uint8Array[] = [];
  #planned = false;
  /** The bytes that were gathered since the last write on the socket. */
  #gatheredBytes = 0;
  readonly #onTurn = (): void => this.flush();

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /**
   * True while content must wait. A peer that reads nothing may have opened its windows to gigabytes, and a socket keeps
   * what it has to send even for streams that were reset.
   */
  get isFull(): boolean {
    return this.#gatheredBytes + this.#socket.writableLength >= BACKLOG_MAX_BYTES;
  }

  /** True while the socket still has bytes of earlier writes to send. */
  get isBehind(): boolean {
    return this.#socket.writableLength > 0;
  }

  head(type: number, flags: number, streamId: number, size: number): void {
    const at = this.#reserve(FRAME_HEAD_BYTES);
    const block = this.#block;
    block[at] = size >> 16;
    block[at + 1] = size >> 8;
    block[at + 2] = size;
    block[at + 3] = type;
    block[at + 4] = flags;
    this.#uint32(at + 5, streamId);
  }

  /** The caller must not change the bytes afterwards. */
  bytes(piece: Uint8Array): void {
    this.#gatheredBytes += piece.length;
    if (piece.length > COPIED_MAX_BYTES) {
      this.#closePiece();
      this.#pieces.push(piece);
      return;
    }
    const at = this.#reserve(piece.length);
    this.#block.set(piece, at);
  }

  /** A frame with one number as payload, such as RST_STREAM and WINDOW_UPDATE. */
  number(type: number, streamId: number, value: number): void {
    this.head(type, FLAG.NONE, streamId, 4);
    this.#uint32(this.#reserve(4), value);
  }

  /** The client's connection preface: magic bytes, settings and the window of the connection. */
  preface(): void {
    this.bytes(PREFACE);
    this.head(FRAME.SETTINGS, FLAG.NONE, 0, 6 * OUR_SETTINGS.length);
    for (const [setting, value] of OUR_SETTINGS) {
      const at = this.#reserve(6);
      this.#block[at] = 0;
      this.#block[at + 1] = setting;
      this.#uint32(at + 2, value);
    }
    this.number(FRAME.WINDOW_UPDATE, 0, CONNECTION_WINDOW_BYTES - WINDOW_BYTES);
  }

  ping(flags: number, content: Uint8Array): void {
    this.head(FRAME.PING, flags, 0, content.length);
    this.bytes(content);
  }

  goAway(code: number): void {
    this.head(FRAME.GOAWAY, FLAG.NONE, 0, 8);
    const at = this.#reserve(8);
    // The last stream id is 0, because the peer opens no streams.
    this.#uint32(at, 0);
    this.#uint32(at + 4, code);
  }

  /** Writes the header block as one frame, followed by continuations if the block is too large. */
  headers(streamId: number, flags: number, block: Uint8Array, frameMaxBytes: number): void {
    const size = Math.min(block.length, frameMaxBytes);
    const isWhole = size === block.length;
    this.head(FRAME.HEADERS, isWhole ? flags | FLAG.END_HEADERS : flags, streamId, size);
    this.#copied(block.subarray(0, size));
    for (let at = size; at < block.length; at += frameMaxBytes) {
      const part = block.subarray(at, at + frameMaxBytes);
      const isLast = at + part.length === block.length;
      this.head(FRAME.CONTINUATION, isLast ? FLAG.END_HEADERS : FLAG.NONE, streamId, part.length);
      this.#copied(part);
    }
  }

  flush(): void {
    this.#planned = false;
    this.#gatheredBytes = 0;
    this.#closePiece();
    const pieces = this.#pieces;
    if (pieces.length === 0 || this.#socket.destroyed) return;
    this.#pieces = [];
    if (pieces.length > 1) this.#socket.cork();
    for (const piece of pieces) this.#socket.write(piece);
    if (pieces.length > 1) this.#socket.uncork();
    // An empty socket buffer means that the system has copied all bytes, so the block can be reused.
    if (this.#socket.writableLength === 0) this.#from = this.#to = 0;
  }

  /** Copies the bytes whatever their size, because the encoder reuses its buffer. */
  #copied(piece: Uint8Array): void {
    const at = this.#reserve(piece.length);
    this.#block.set(piece, at);
  }

  /** Reserves contiguous room; @returns its start */
  #reserve(size: number): number {
    if (!this.#planned) {
      this.#planned = true;
      setImmediate(this.#onTurn);
    }
    if (this.#to + size > this.#block.length) {
      this.#closePiece();
      this.#block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, size));
      this.#from = this.#to = 0;
    }
    const at = this.#to;
    this.#to += size;
    return at;
  }

  #closePiece(): void {
    if (this.#to > this.#from) this.#pieces.push(this.#block.subarray(this.#from, this.#to));
    this.#from = this.#to;
  }

  #uint32(at: number, value: number): void {
    const block = this.#block;
    block[at] = value >>> 24;
    block[at + 1] = value >>> 16;
    block[at + 2] = value >>> 8;
    block[at + 3] = value;
  }
}
