/** The decompressed size of a batch is bounded, and is known before the decompression if the format states this size. */
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { BATCH_MAX_BYTES, loadClient } from "../../../shared/adapters/kafka/client.ts";

interface Algorithm {
  compressSync(data: Buffer): Buffer;
  decompressSync(data: Buffer): Buffer;
}

const algorithms = async () =>
  (await loadClient(() => undefined)).compressionsAlgorithms as unknown as Readonly<Record<string, Algorithm>>;
const BOMB = Buffer.alloc(BATCH_MAX_BYTES + 1);

test.each(["gzip", "snappy", "lz4"])("%s decompresses what was compressed", async (name) => {
  const algorithm = (await algorithms())[name]!;
  const data = Buffer.from("some records ".repeat(20_000));
  expect(Buffer.from(algorithm.decompressSync(Buffer.from(algorithm.compressSync(data)))).equals(data)).toBe(true);
});

test("a batch of gzip beyond the bound is refused", async () => {
  const { gzip } = await algorithms();
  expect(() => gzip!.decompressSync(gzipSync(BOMB))).toThrow(RangeError);
});

test.each(["snappy", "lz4"])("a batch of %s beyond the bound is refused by its stated size", async (name) => {
  const algorithm = (await algorithms())[name]!;
  const packed = Buffer.from(algorithm.compressSync(BOMB));
  expect(() => algorithm.decompressSync(packed)).toThrow(/decompresses to \d+ bytes/);
});

test("the size of a framed batch of snappy, as Java clients write it, is the sum over its blocks", async () => {
  const { snappy } = await algorithms();
  const block = Buffer.from(snappy!.compressSync(Buffer.alloc(BATCH_MAX_BYTES / 2)));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(block.length);
  const head = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1]);
  expect(() => snappy!.decompressSync(Buffer.concat([head, length, block, length, block, length, block]))).toThrow(
    /decompresses to/,
  );
});
