/** Tests frames: eight bytes of header and a payload, in chunks that are cut at any place. */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  FrameReader,
  HEADER_BYTES,
  REQUESTED_ACK,
  encodeFrame,
  framesOf,
  type Frame,
} from "../../../shared/core/protocol/frame.ts";
import { hex, text, toHex } from "./hex.ts";
import { cutAt, cuts } from "./chunks.ts";

const LIMIT = 1000;

function readAll(reader: FrameReader, chunks: readonly Uint8Array[]): Frame[] {
  const frames: Frame[] = [];
  for (const chunk of chunks) {
    reader.push(chunk);
    for (let frame = reader.next(); frame !== undefined; frame = reader.next()) frames.push(frame);
  }
  return frames;
}

test("a frame is code, flags, length and payload", () => {
  expect(toHex(encodeFrame(0x0411, hex("5801")))).toBe("0411000000000002" + "5801");
  expect(toHex(encodeFrame(0x0005, hex("0801"), REQUESTED_ACK))).toBe("0005800000000002" + "0801");
  expect(toHex(encodeFrame(0xfbff, new Uint8Array(0)))).toBe("fbff000000000000");
});

test("a frame keeps at most four times its own size in memory, whatever the size of its chunk", () => {
  const chunk = new Uint8Array(64 * 1024);
  const [small, large] = [encodeFrame(0x0405, new Uint8Array(0)), encodeFrame(0x0401, new Uint8Array(20_000))];
  chunk.set(small);
  chunk.set(large, small.length);
  const reader = new FrameReader(30_000);
  reader.push(chunk.subarray(0, small.length + large.length));
  for (const raw of [small, large]) {
    const frame = reader.next()!;
    expect(toHex(frame.raw)).toBe(toHex(raw));
    expect(frame.raw.buffer.byteLength).toBeLessThanOrEqual(4 * raw.length);
  }
});

test("reserved flags stay unchanged in the raw bytes", () => {
  const [frame] = framesOf(hex("0411 ffff 00000002 5801"));
  expect(frame).toMatchObject({ type: 0x0411, flags: 0xffff });
  expect(toHex(frame!.raw)).toBe("0411ffff000000025801");
});

test("the frames do not depend on where their bytes are cut into chunks", () => {
  const anyFrame = fc.tuple(fc.nat(0xffff), fc.uint8Array({ maxLength: 40 }), fc.nat(0xffff));
  fc.assert(
    fc.property(fc.array(anyFrame, { maxLength: 8 }), cuts, (parts, at) => {
      const raws = parts.map(([type, payload, flags]) => encodeFrame(type, payload, flags));
      const reader = new FrameReader(LIMIT);
      const frames = readAll(reader, cutAt(Buffer.concat(raws), at));
      expect(frames.map(({ raw }) => toHex(raw))).toEqual(raws.map(toHex));
      expect(frames.map(({ type, flags, payload }) => [type, toHex(payload), flags])).toEqual(
        parts.map(([type, payload, flags]) => [type, toHex(payload), flags]),
      );
      expect(reader.pendingBytes).toBe(0);
    }),
  );
});

test("the size of an incomplete frame is reported", () => {
  const whole = encodeFrame(1, text("abc"));
  for (let length = 0; length < whole.length; length++) {
    const reader = new FrameReader(LIMIT);
    expect(readAll(reader, [whole, whole.subarray(0, length)])).toHaveLength(1);
    expect(reader.pendingBytes).toBe(length);
  }
  expect(() => framesOf(whole.subarray(0, 9))).toThrow("9 bytes at the end are not a whole frame");
});

test("a frame keeps its bytes while later frames arrive in the same buffer", () => {
  const raws = Array.from({ length: 50 }, (_, i) => encodeFrame(i, new Uint8Array(i).fill(i)));
  const stream = Buffer.concat(raws);
  const chunks = Array.from({ length: Math.ceil(stream.length / 7) }, (_, i) => stream.subarray(i * 7, i * 7 + 7));
  const frames = readAll(new FrameReader(LIMIT), chunks);
  expect(frames.map(({ raw }) => toHex(raw))).toEqual(raws.map(toHex));
});

test("a payload at the limit is read, and a larger one is refused after its header", () => {
  const reader = new FrameReader(LIMIT);
  expect(readAll(reader, [encodeFrame(1, new Uint8Array(LIMIT))])).toHaveLength(1);
  expect(readAll(reader, [encodeFrame(1, new Uint8Array(LIMIT + 1)).subarray(0, HEADER_BYTES)])).toEqual([]);
  expect(reader.tooLarge).toEqual({ sizeBytes: LIMIT + 1, limitBytes: LIMIT });
  expect(readAll(reader, [encodeFrame(1, text("a"))])).toEqual([]);
});

test("a length with its highest bit set is a large number, not a negative one", () => {
  const reader = new FrameReader(LIMIT);
  reader.push(hex("0411 0000 ffffffff"));
  expect(reader.next()).toBeUndefined();
  expect(reader.tooLarge).toEqual({ sizeBytes: 0xffffffff, limitBytes: LIMIT });
});

test("a large frame in many small chunks is read", () => {
  // Copying all bytes at every chunk would move about 500 GB.
  const payload = new Uint8Array(16 * 1024 * 1024).fill(7);
  const raw = encodeFrame(0x0401, payload);
  const reader = new FrameReader(payload.length);
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < raw.length; at += 256) chunks.push(raw.subarray(at, at + 256));
  const frames = readAll(reader, chunks);
  expect(frames).toHaveLength(1);
  expect(Buffer.compare(frames[0]!.raw, raw)).toBe(0);
});
