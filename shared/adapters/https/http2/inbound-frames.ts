/** Checks and parses inbound frames: removes padding, joins continuations, and ends a connection that floods. */
import { CODE, ConnectionError, FLAG, FRAME, MAX_31_BITS, readUint32, SETTING, type FrameSink } from "./frames.ts";
import { IdleWork } from "../exchange/idle-work.ts";

/** Receives the parsed frames. A payload is passed as the range of `bytes` from `start` to `end`. */
export interface FrameReceiver {
  /**
   * @param size the bytes that count for the windows, the padding included
   * @returns true if the frame advanced an exchange
   */
  onData(streamId: number, ends: boolean, bytes: Uint8Array, start: number, end: number, size: number): boolean;
  /** @returns true if the headers advanced an exchange */
  onHeaders(streamId: number, ends: boolean, bytes: Uint8Array, start: number, end: number): boolean;
  onReset(streamId: number, code: number): void;
  onSettings(settings: ReadonlyMap<number, number>): void;
  onPing(bytes: Uint8Array, start: number, isAnswer: boolean): void;
  onGoodbye(lastStreamId: number, code: number): void;
  onWindow(streamId: number, bytes: number): void;
  /** A frame broke a rule; only its stream must end, not the connection. */
  onStreamError(streamId: number, code: number, message: string): void;
}

/** The limit for all frames of one header block together. */
export const HEADER_BLOCK_MAX_BYTES = 64 * 1024;
const CONTINUATIONS_MAX = 64;

interface OpenBlock {
  readonly streamId: number;
  readonly ends: boolean;
  readonly parts: Uint8Array[];
  bytes: number;
}

export class InboundFrames implements FrameSink {
  readonly #receiver: FrameReceiver;
  #block: OpenBlock | undefined;
  #greeted = false;
  readonly #idle = new IdleWork();

  constructor(receiver: FrameReceiver) {
    this.#receiver = receiver;
  }

  /** True once the peer has sent its settings, the mandatory first frame of HTTP/2. */
  get greeted(): boolean {
    return this.#greeted;
  }

  /** The peer took content, and so its window updates were no idle work. */
  onProgress(): void {
    this.#idle.progress();
  }

  onFrame(type: number, flags: number, streamId: number, bytes: Uint8Array, start: number, end: number): void {
    if (!this.#greeted) {
      const isPreface = type === FRAME.SETTINGS && (flags & FLAG.ACK) === 0;
      insist(isPreface, CODE.PROTOCOL_ERROR, "the peer does not open with its settings");
      this.#greeted = true;
    }
    const goesOn = type === FRAME.CONTINUATION && this.#block?.streamId === streamId;
    insist(goesOn || this.#block === undefined, CODE.PROTOCOL_ERROR, "a block of headers was interrupted");
    if (this.#idle.frame()) throw calm("its frames come in thousands");
    if (type === FRAME.DATA) this.#data(flags, streamId, bytes, start, end);
    else if (type === FRAME.HEADERS) this.#headers(flags, streamId, bytes, start, end);
    else if (type === FRAME.CONTINUATION) this.#continuation(flags, bytes.subarray(start, end));
    else this.#control(type, flags, streamId, bytes, start, end);
  }

  #control(type: number, flags: number, streamId: number, bytes: Uint8Array, start: number, end: number): void {
    const size = end - start;
    const receiver = this.#receiver;
    if (type === FRAME.SETTINGS) this.#settings(flags, streamId, bytes, start, end);
    else if (type === FRAME.PING) {
      ofConnection(streamId);
      sized(size === 8);
      receiver.onPing(bytes, start, (flags & FLAG.ACK) !== 0);
    } else if (type === FRAME.GOAWAY) {
      ofConnection(streamId);
      sized(size >= 8);
      receiver.onGoodbye(readUint32(bytes, start) & MAX_31_BITS, readUint32(bytes, start + 4));
    } else if (type === FRAME.WINDOW_UPDATE) {
      sized(size === 4);
      receiver.onWindow(streamId, readUint32(bytes, start) & MAX_31_BITS);
    } else if (type === FRAME.RST_STREAM) {
      ofStream(streamId);
      sized(size === 4);
      receiver.onReset(streamId, readUint32(bytes, start));
    } else if (type === FRAME.PRIORITY) {
      ofStream(streamId);
      if (size !== 5) receiver.onStreamError(streamId, CODE.FRAME_SIZE_ERROR, "a priority has the wrong size");
    } else if (type === FRAME.PUSH_PROMISE) {
      throw new ConnectionError(CODE.PROTOCOL_ERROR, "the peer pushes though it may not");
    } else this.#idle.bytes(size);
  }

  #data(flags: number, streamId: number, bytes: Uint8Array, start: number, end: number): void {
    ofStream(streamId);
    const [from, to] = (flags & FLAG.PADDED) === 0 ? [start, end] : withoutPadding(bytes, start, end);
    const ends = (flags & FLAG.END_STREAM) !== 0;
    const wentOn = this.#receiver.onData(streamId, ends, bytes, from, to, end - start);
    if (!wentOn) return;
    if (ends) this.#idle.progress();
    else this.#idle.content(to - from);
  }

  #headers(flags: number, streamId: number, bytes: Uint8Array, start: number, end: number): void {
    ofStream(streamId);
    const [afterPadding, to] = (flags & FLAG.PADDED) === 0 ? [start, end] : withoutPadding(bytes, start, end);
    const from = (flags & FLAG.PRIORITY) === 0 ? afterPadding : afterPadding + 5;
    sized(from <= to);
    const ends = (flags & FLAG.END_STREAM) !== 0;
    if ((flags & FLAG.END_HEADERS) === 0) {
      this.#block = { streamId, ends, parts: [bytes.subarray(from, to)], bytes: to - from };
      return;
    }
    this.#onBlock(this.#receiver.onHeaders(streamId, ends, bytes, from, to), to - from);
  }

  #continuation(flags: number, part: Uint8Array): void {
    const block = this.#block;
    if (block === undefined)
      throw new ConnectionError(CODE.PROTOCOL_ERROR, "a continuation came without headers before it");
    block.parts.push(part);
    block.bytes += part.length;
    const isBounded = block.bytes <= HEADER_BLOCK_MAX_BYTES && block.parts.length <= CONTINUATIONS_MAX;
    if (!isBounded) throw calm("its header blocks are too large or have too many continuations");
    if ((flags & FLAG.END_HEADERS) === 0) return;
    this.#block = undefined;
    const whole = Buffer.concat(block.parts);
    this.#onBlock(this.#receiver.onHeaders(block.streamId, block.ends, whole, 0, block.bytes), block.bytes);
  }

  #onBlock(wentOn: boolean, size: number): void {
    if (wentOn) return this.#idle.progress();
    this.#idle.bytes(size);
    if (this.#idle.head()) throw calm("its informational heads come in hundreds");
  }

  #settings(flags: number, streamId: number, bytes: Uint8Array, start: number, end: number): void {
    ofConnection(streamId);
    if ((flags & FLAG.ACK) !== 0) return sized(start === end);
    sized((end - start) % 6 === 0);
    const settings = new Map<number, number>();
    for (let at = start; at < end; at += 6) {
      const value = readUint32(bytes, at + 2);
      settings.set(((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0), value);
    }
    const pushes = settings.get(SETTING.ENABLE_PUSH) ?? 0;
    insist(pushes === 0, CODE.PROTOCOL_ERROR, "the peer sent the setting ENABLE_PUSH with another value than 0");
    const window = settings.get(SETTING.INITIAL_WINDOW_SIZE) ?? 0;
    insist(window <= MAX_31_BITS, CODE.FLOW_CONTROL_ERROR, "a window was set beyond its maximum");
    const frameBytes = settings.get(SETTING.MAX_FRAME_SIZE) ?? 16_384;
    const isSize = frameBytes >= 16_384 && frameBytes <= 0xffffff;
    insist(isSize, CODE.PROTOCOL_ERROR, `${frameBytes} bytes cannot be the maximum of a frame`);
    this.#receiver.onSettings(settings);
  }
}

function withoutPadding(bytes: Uint8Array, start: number, end: number): readonly [from: number, to: number] {
  sized(end > start);
  const to = end - (bytes[start] ?? 0);
  insist(to > start, CODE.PROTOCOL_ERROR, "the padding of a frame is longer than the frame");
  return [start + 1, to];
}

function ofStream(streamId: number): void {
  insist(streamId !== 0, CODE.PROTOCOL_ERROR, "a frame names no stream");
}

function ofConnection(streamId: number): void {
  insist(streamId === 0, CODE.PROTOCOL_ERROR, "a frame of the connection names a stream");
}

function sized(isRight: boolean): void {
  insist(isRight, CODE.FRAME_SIZE_ERROR, "a frame has the wrong size");
}

/** @param what as `flood` takes it */
export function calm(what: string): ConnectionError {
  return new ConnectionError(CODE.ENHANCE_YOUR_CALM, what);
}

/** @throws ConnectionError unless the condition holds */
function insist(condition: boolean, code: number, message: string): void {
  if (!condition) throw new ConnectionError(code, message);
}
