/** Bounds the decompressed size of a batch of records, because a compressed megabyte could fill the memory. */
import * as zlib from "node:zlib";

export const BATCH_MAX_BYTES = 64 * 1024 * 1024;

interface Decompression {
  decompressSync(data: Buffer): Buffer;
}

type Unpack = (data: Buffer, options: { readonly maxOutputLength: number }) => Buffer;

/** @param algorithms the client's algorithms by their names in Kafka; this function changes them in place */
export function boundBatches(algorithms: Readonly<Record<string, Decompression>>): void {
  const { gzip, snappy, lz4, zstd } = algorithms;
  if (gzip !== undefined) gzip.decompressSync = bounded(zlib.gunzipSync);
  // Node has zstd from version 22.15 on; on an older Node the client refuses batches in zstd.
  const unzstd = (zlib as { readonly zstdDecompressSync?: Unpack }).zstdDecompressSync;
  if (zstd !== undefined && unzstd !== undefined) zstd.decompressSync = bounded(unzstd);
  if (snappy !== undefined) measureFirst(snappy, snappyBytes);
  if (lz4 !== undefined) measureFirst(lz4, lz4Bytes);
}

function bounded(unpack: Unpack): Decompression["decompressSync"] {
  return (data) => unpack(data, { maxOutputLength: BATCH_MAX_BYTES });
}

function measureFirst(algorithm: Decompression, sizeOf: (data: Buffer) => number): void {
  const unpack = algorithm.decompressSync.bind(algorithm);
  algorithm.decompressSync = (data) => {
    const sizeBytes = sizeOf(data);
    if (sizeBytes <= BATCH_MAX_BYTES) return unpack(data);
    throw new RangeError(
      `a batch of records decompresses to ${sizeBytes} bytes, and at most ${BATCH_MAX_BYTES} are read`,
    );
  };
}

const FRAMED_SNAPPY = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const FRAME_HEAD_BYTES = 16;

/**
 * Raw snappy begins with its decompressed size as a varint. The format of Java clients is a list of such blocks, with
 * the compressed size of each block before the block.
 */
export function snappyBytes(data: Buffer): number {
  if (!data.subarray(0, FRAMED_SNAPPY.length).equals(FRAMED_SNAPPY)) return varint(data);
  let sizeBytes = 0;
  for (let at = FRAME_HEAD_BYTES; at + 4 <= data.length;) {
    const length = data.readUInt32BE(at);
    sizeBytes += varint(data.subarray(at + 4));
    at += 4 + length;
  }
  return sizeBytes;
}

function varint(data: Uint8Array): number {
  let value = 0;
  for (let at = 0; at < 5 && at < data.length; at++) {
    value += (data[at]! & 0x7f) * 2 ** (7 * at);
    if (data[at]! < 0x80) return value;
  }
  return value;
}

const CONTENT_SIZE = 0x08;
const BLOCK_CHECKSUM = 0x10;
const DICTIONARY = 0x01;
const STORED = 0x8000_0000;

/** The largest decompressed size of an LZ4 frame, from the largest block size that the frame declares. */
export function lz4Bytes(data: Buffer): number {
  if (data.length < 7) return 0;
  const flags = data[4]!;
  const blockMaxBytes = 4 ** (((data[5]! >> 4) & 7) + 4);
  let at = 7 + ((flags & CONTENT_SIZE) !== 0 ? 8 : 0) + ((flags & DICTIONARY) !== 0 ? 4 : 0);
  let sizeBytes = 0;
  while (at + 4 <= data.length) {
    const written = data.readUInt32LE(at);
    if (written === 0) break;
    const length = written >= STORED ? written - STORED : written;
    sizeBytes += written >= STORED ? length : blockMaxBytes;
    at += 4 + length + ((flags & BLOCK_CHECKSUM) !== 0 ? 4 : 0);
  }
  return sizeBytes;
}
