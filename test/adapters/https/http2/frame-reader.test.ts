/** Tests that any fragmentation of the received bytes gives the same frames and the same answer. */
import {
  array,
  assert,
  asyncProperty,
  constant,
  integer,
  oneof,
  property,
  record,
  uint8Array,
  type Arbitrary,
} from "fast-check";
import { expect, test } from "vitest";
import { FrameReader } from "../../../../shared/adapters/https/http2/frames.ts";
import { HttpsEndpoints } from "../../../../shared/adapters/https/https-endpoints.ts";
import { readAll, requestTo } from "../../../contracts/endpoints-contract.ts";
import {
  END_HEADERS,
  END_STREAM,
  OK,
  PADDED,
  TYPE,
  field,
  frame,
  scriptedPeer,
  settings,
  uint32,
  type Frame,
} from "./scripted-peer.ts";

const frames: Arbitrary<Frame[]> = array(
  record({
    type: integer({ min: 0, max: 255 }),
    flags: integer({ min: 0, max: 255 }),
    streamId: integer({ min: 0, max: 0x7fffffff }),
    payload: oneof(
      uint8Array({ maxLength: 40 }),
      integer({ min: 0, max: 16_384 }).map((size) => new Uint8Array(size).fill(size)),
    ).map((bytes) => Buffer.from(bytes)),
  }),
  { maxLength: 12 },
);
const cuts = array(oneof(constant(1), constant(9), integer({ min: 1, max: 40 }), integer({ min: 1, max: 40_000 })), {
  minLength: 1,
  maxLength: 50,
});

/** Cuts the bytes into pieces of the given sizes; the sizes repeat until the bytes end. */
function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0, i = 0; at < bytes.length; i += 1) {
    const end = at + (sizes[i % sizes.length] ?? 1);
    // Each piece has its own memory, like a chunk that a socket delivers.
    pieces.push(Buffer.from(bytes.subarray(at, end)));
    at = end;
  }
  return pieces;
}

test("any fragmentation gives whole frames in order", () => {
  assert(
    property(frames, cuts, (sent, sizes) => {
      const came: Buffer[] = [];
      const reader = new FrameReader({
        onFrame: (type, flags, streamId, bytes, start, end) =>
          void came.push(frame(type, flags, streamId, bytes.subarray(start, end))),
      });
      const bytes = Buffer.concat(sent.map((one) => frame(one.type, one.flags, one.streamId, one.payload)));
      for (const piece of cut(bytes, sizes)) reader.push(piece);
      expect(came).toHaveLength(sent.length);
      expect(Buffer.concat(came).equals(bytes)).toBe(true);
      expect(reader.unfinished()).toBeUndefined();
    }),
    { numRuns: 200 },
  );
});

test("a delivered payload keeps its bytes while further frames arrive", () => {
  const kept: Uint8Array[] = [];
  const reader = new FrameReader({
    onFrame: (...[, , , bytes, start, end]) => void kept.push(bytes.subarray(start, end)),
  });
  for (let i = 0; i < 50; i += 1) {
    for (const piece of cut(frame(0, 0, 1, Buffer.alloc(100, i)), [30])) reader.push(piece);
  }
  expect(kept.map((bytes) => Buffer.from(bytes).equals(Buffer.alloc(100, kept.indexOf(bytes))))).not.toContain(false);
});

/** A peer's answer on stream `id` with many kinds of frames. */
function everything(id: number): Buffer {
  return Buffer.concat([
    settings({ 3: 100, 4: 70_000 }),
    frame(TYPE.ping, 0, 0, Buffer.alloc(8)),
    frame(TYPE.headers, 0, id, OK),
    frame(TYPE.continuation, END_HEADERS, id, field("x-a", "b".repeat(300))),
    frame(TYPE.data, 0, id, Buffer.from("one ")),
    frame(TYPE.window, 0, 0, uint32(1_000)),
    frame(TYPE.data, PADDED, id, Buffer.from([2, 116, 119, 111, 0, 0])),
    frame(TYPE.headers, END_HEADERS | END_STREAM, id, field("x-check", "1")),
  ]);
}

test("an answer cut at any byte is the same answer", async () => {
  const endpoints = new HttpsEndpoints({ allow: ["loopback"] });
  let sizes: readonly number[] = [1];
  const peer = await scriptedPeer(async (connection) => {
    connection.socket.setNoDelay(true);
    for (;;) {
      for (const piece of cut(everything(await connection.request()), sizes)) {
        connection.send(piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  });
  const answered = async (): Promise<void> => {
    const exchange = endpoints.open(requestTo(peer.uri, "h2 in the clear"));
    expect((await exchange.head()).headers).toEqual({ "x-a": "b".repeat(300) });
    expect((await readAll(exchange)).toString()).toBe("one two");
  };
  const wholeBytes = everything(1).length;
  for (const first of [1, 5, 9, 10, wholeBytes - 1]) {
    sizes = [first, wholeBytes];
    await answered();
  }
  await assert(
    asyncProperty(array(integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 20 }), async (some) => {
      sizes = some;
      await answered();
    }),
    { numRuns: 40 },
  );
  endpoints.close();
  await peer.stop();
});
