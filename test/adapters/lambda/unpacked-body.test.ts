/**
 * Tests that a body is unpacked only as fast as it is read, and never beyond its limit. Deflate stands for zstd, which Node has
 * from version 22.15 on.
 */
import { createInflateRaw, deflateRawSync } from "node:zlib";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { UNPACKED_MAX_BYTES, UnpackedBody } from "../../../shared/adapters/lambda/unpacked-body.ts";
import { zstd } from "../../../shared/adapters/lambda/zstd.ts";
import { reasonOf } from "../../contracts/endpoints-contract.ts";

const MEGABYTE = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;
/** What a stream unpacks ahead of its reader. */
const AHEAD_PIECES = 4;

const PACKINGS = {
  deflate: {
    pack: (bytes: Uint8Array) => deflateRawSync(bytes),
    unpacking: () => createInflateRaw({ chunkSize: PIECE_BYTES }),
  },
  ...(zstd !== undefined && { zstd: { pack: zstd.compress, unpacking: zstd.unpacking } }),
};

async function readToTheEnd(body: UnpackedBody): Promise<number> {
  let bytes = 0;
  for (let piece = await body.next(); piece !== undefined; piece = await body.next()) bytes += piece.length;
  return bytes;
}

test.each(Object.entries(PACKINGS))("a body in %s is unpacked as it was", async (_name, { pack, unpacking }) => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 31) & 255));
  const body = new UnpackedBody(pack(bytes), unpacking());
  const pieces: Uint8Array[] = [];
  for (let piece = await body.next(); piece !== undefined; piece = await body.next()) pieces.push(piece);
  expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
  expect(await body.next()).toBeUndefined();
});

test.each(Object.entries(PACKINGS))(
  "of ten bodies in %s that unpack to 62 MiB each, only what is read comes into memory",
  async (_name, { pack, unpacking }) => {
    const packed = pack(Buffer.alloc(62 * MEGABYTE));
    const before = process.memoryUsage().arrayBuffers;
    const bodies = Array.from({ length: 10 }, () => new UnpackedBody(packed, unpacking()));
    const first = await Promise.all(bodies.map((body) => body.next()));
    // Unpacking runs on other threads; the readers leave it the time to go on.
    await pause(200);
    expect(first.every((piece) => piece!.length <= PIECE_BYTES)).toBe(true);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * AHEAD_PIECES * PIECE_BYTES + MEGABYTE);
    for (const body of bodies) body.close();
  },
);

test.each(Object.entries(PACKINGS))(
  "a body in %s beyond the limit is cut there",
  async (_name, { pack, unpacking }) => {
    const body = new UnpackedBody(pack(Buffer.alloc(UNPACKED_MAX_BYTES + 1)), unpacking());
    expect(await reasonOf(readToTheEnd(body))).toBe("too-large");
    const whole = new UnpackedBody(pack(Buffer.alloc(UNPACKED_MAX_BYTES)), unpacking());
    expect(await readToTheEnd(whole)).toBe(UNPACKED_MAX_BYTES);
  },
);

test.each(Object.entries(PACKINGS))("a damaged body in %s breaks the exchange", async (_name, { unpacking }) => {
  expect(await reasonOf(readToTheEnd(new UnpackedBody(Buffer.from([1, 2, 3]), unpacking())))).toBe("broken");
});

test("a frame that asks for a window of 128 MiB is refused", async () => {
  if (zstd === undefined) return;
  // Magic number, no single segment, a window of 2^27 bytes, and one empty last block.
  const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (27 - 10) << 3, 0x01, 0x00, 0x00]);
  expect(await reasonOf(readToTheEnd(new UnpackedBody(frame, zstd.unpacking())))).toBe("broken");
});
