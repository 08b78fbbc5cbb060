/** A peer that sends its HTTP/2 frames one by one, so that it can break every rule. */
import { createServer, type Socket } from "node:net";
import { startServer, type Peer } from "../../../harness/https/peer.ts";

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

export const TYPE = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goAway: 7,
  window: 8,
  continuation: 9,
} as const;
export const END_STREAM = 1;
export const ACK = 1;
export const END_HEADERS = 4;
export const PADDED = 8;
export const PRIORITY = 0x20;

const PREFACE_BYTES = 24;
/** ":status: 200" as one indexed field. */
export const OK = Buffer.from([0x88]);

export function frame(type: number, flags: number, streamId: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

export function uint32(...values: number[]): Buffer {
  return Buffer.concat(values.map((value) => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value])));
}

export function settings(values: Readonly<Record<number, number>> = {}): Buffer {
  const parts = Object.entries(values).map(([setting, value]) =>
    Buffer.concat([Buffer.from([0, Number(setting)]), uint32(value)]),
  );
  return frame(TYPE.settings, 0, 0, Buffer.concat(parts));
}

/** A literal field. */
export function field(name: string, value: string): Buffer {
  const text = (part: string): Buffer => {
    if (part.length < 127) return Buffer.concat([Buffer.from([part.length]), Buffer.from(part, "latin1")]);
    const size: number[] = [127];
    let rest = part.length - 127;
    for (; rest > 127; rest >>= 7) size.push((rest & 127) | 128);
    return Buffer.concat([Buffer.from([...size, rest]), Buffer.from(part, "latin1")]);
  };
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}

/** A complete answer. */
export function answer(streamId: number, text: string): Buffer {
  return Buffer.concat([
    frame(TYPE.headers, END_HEADERS, streamId, OK),
    frame(TYPE.data, END_STREAM, streamId, Buffer.from(text)),
  ]);
}

export class ScriptedConnection {
  readonly socket: Socket;
  /** All received frames, without the preface. */
  readonly frames: Frame[] = [];
  readonly closed: Promise<void>;
  #rest = Buffer.alloc(0);
  #skipped = false;
  #waiters: { readonly fits: (frame: Frame) => boolean; readonly resolve: (frame: Frame) => void }[] = [];
  readonly #taken = new Set<Frame>();

  constructor(socket: Socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()));
    socket.on("data", (part: Buffer) => this.#receive(part));
  }

  send(...parts: readonly Uint8Array[]): void {
    if (this.socket.writable) this.socket.write(Buffer.concat(parts));
  }

  /** The first frame that fits and was not taken by an earlier call. */
  next(type: number, fits: (frame: Frame) => boolean = () => true): Promise<Frame> {
    const isIt = (one: Frame): boolean => one.type === type && fits(one);
    const found = this.frames.find((one) => !this.#taken.has(one) && isIt(one));
    if (found === undefined) return new Promise((resolve) => this.#waiters.push({ fits: isIt, resolve }));
    this.#taken.add(found);
    return Promise.resolve(found);
  }

  /** Waits for the next request. @returns its stream */
  async request(): Promise<number> {
    return (await this.next(TYPE.headers)).streamId;
  }

  #receive(part: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, part]);
    if (!this.#skipped && this.#rest.length < PREFACE_BYTES) return;
    if (!this.#skipped) this.#rest = this.#rest.subarray(PREFACE_BYTES);
    this.#skipped = true;
    while (this.#rest.length >= 9 && this.#rest.length >= 9 + this.#rest.readUIntBE(0, 3)) {
      const end = 9 + this.#rest.readUIntBE(0, 3);
      const [type = 0, flags = 0] = this.#rest.subarray(3, 5);
      this.#give({ type, flags, streamId: this.#rest.readUInt32BE(5), payload: this.#rest.subarray(9, end) });
      this.#rest = this.#rest.subarray(end);
    }
  }

  #give(came: Frame): void {
    this.frames.push(came);
    const at = this.#waiters.findIndex(({ fits }) => fits(came));
    if (at < 0) return;
    this.#taken.add(came);
    this.#waiters.splice(at, 1)[0]?.resolve(came);
  }
}

/**
 * @param script the function that acts as the peer on each connection; it gets the number of the connection, from 1, and must
 *   send the peer's settings
 */
export function scriptedPeer(
  script: (connection: ScriptedConnection, count: number) => Promise<void> | void,
): Promise<Peer> {
  let count = 0;
  return startServer(createServer((socket) => void script(new ScriptedConnection(socket), (count += 1))));
}
