/** An HTTP/2 peer on a raw socket: the peer reads just enough to recognize requests, and writes arbitrary bytes. */
import { createServer, type Server, type Socket } from "node:net";
import { frame } from "../harness/local/raw-http.ts";

const PREFACE_BYTES = 24;
const HEAD_BYTES = 9;
const [DATA, HEADERS, RESET, SETTINGS, PING] = [0, 1, 3, 4, 6];
const ACK = 1;
const END_STREAM = 1;
const END_HEADERS = 4;

/**
 * Answers one request of a raw deployment.
 * @param isReset whether the client has reset the stream
 */
export type RawAnswer = (socket: Socket, streamId: number, isReset: () => boolean) => Promise<void>;

/** Treats every request as an attempt, so the deployment must be registered before. */
export function rawServer(answer: RawAnswer): Server {
  return createServer((socket) => {
    socket.setNoDelay().on("error", () => undefined);
    socket.write(frame(SETTINGS, 0, 0));
    const resets = new Set<number>();
    let rest = Buffer.alloc(0);
    let isGreeted = false;
    socket.on("data", (part: Buffer) => {
      rest = Buffer.concat([rest, part]);
      if (!isGreeted && rest.length < PREFACE_BYTES) return;
      if (!isGreeted) rest = rest.subarray(PREFACE_BYTES);
      isGreeted = true;
      while (rest.length >= HEAD_BYTES && rest.length >= HEAD_BYTES + rest.readUIntBE(0, 3)) {
        const end = HEAD_BYTES + rest.readUIntBE(0, 3);
        const [type, flags, streamId] = [rest[3]!, rest[4]!, rest.readUInt32BE(5)];
        if (type === SETTINGS && (flags & ACK) === 0) socket.write(frame(SETTINGS, ACK, 0));
        if (type === PING && (flags & ACK) === 0) socket.write(frame(PING, ACK, 0, rest.subarray(HEAD_BYTES, end)));
        if (type === RESET) resets.add(streamId);
        const isEnded = (type === DATA || type === HEADERS) && (flags & END_STREAM) !== 0;
        if (isEnded) void answer(socket, streamId, () => resets.has(streamId));
        rest = rest.subarray(end);
      }
    });
  });
}

/**
 * Writes the piece again and again, as fast as the other side reads.
 * @returns the number of writes
 */
export async function writeRepeatedly(socket: Socket, piece: Buffer, times: number, untilMs: number): Promise<number> {
  let written = 0;
  while (written < times && !socket.destroyed && performance.now() < untilMs) {
    written += 1;
    if (!socket.write(piece)) await drained(socket);
    // Yields to the event loop, so that this process also reads the frames of the other side.
    else if (written % 16 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return written;
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      socket.off("drain", settle).off("close", settle);
      resolve();
    };
    socket.once("drain", settle).once("close", settle);
  });
}

/** The head of an answer to an attempt. The body follows in other frames. */
export function okHead(streamId: number): Buffer {
  return frame(HEADERS, END_HEADERS, streamId, Buffer.concat([Uint8Array.of(0x88), CONTENT_TYPE]));
}

/** ":status: 103", a literal value after an indexed name. */
export function earlyHints(streamId: number): Buffer {
  return frame(HEADERS, END_HEADERS, streamId, Buffer.concat([Uint8Array.of(0x08, 3), Buffer.from("103")]));
}

export function data(streamId: number, bytes: Uint8Array): Buffer {
  return frame(DATA, 0, streamId, Buffer.from(bytes));
}

/** A frame of an unknown type, which a peer has to ignore. */
export function unknownFrame(streamId: number, sizeBytes: number): Buffer {
  return frame(0x2a, 0, streamId, Buffer.alloc(sizeBytes));
}

const literal = (text: string): Buffer => Buffer.concat([Uint8Array.of(text.length), Buffer.from(text)]);
const CONTENT_TYPE = Buffer.concat([
  Uint8Array.of(0),
  literal("content-type"),
  literal("application/vnd.restate.invocation.v7"),
]);
