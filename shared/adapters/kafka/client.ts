/**
 * Loads the Kafka client at the first subscription. Guards its connections, bounds the batches that it decompresses, and keeps the
 * lists of aborted transactions from its filter.
 */
import type * as Client from "@platformatic/kafka";
import { tellAborted } from "./aborted-transactions.ts";
import { assertAllowed, type AddressRefusal } from "./client-options.ts";
import * as zlib from "node:zlib";

export type KafkaClient = typeof Client;

let loading: Promise<KafkaClient> | undefined;

/** @param refusalOf the check of addresses; the whole process uses the check of the first caller */
export function loadClient(refusalOf: AddressRefusal): Promise<KafkaClient> {
  loading ??= load(refusalOf);
  return loading;
}

async function load(refusalOf: AddressRefusal): Promise<KafkaClient> {
  provideResolvers();
  const client = await import("@platformatic/kafka");
  guardConnections(client, refusalOf);
  tellAborted(client);
  boundBatches(client.compressionsAlgorithms as unknown as Parameters<typeof boundBatches>[0]);
  return client;
}

/**
 * Checks the address of each broker. The client has no hook for this check, so this function wraps `get`. Every
 * connection comes from `get`, also a connection to a broker that another broker has named.
 */
function guardConnections({ ConnectionPool }: KafkaClient, refusalOf: AddressRefusal): void {
  type Callback = (error: Error | null, connection?: Client.Connection) => void;
  type Get = (this: unknown, broker: Client.Broker, callback: Callback) => void;
  const pool = ConnectionPool.prototype as unknown as { get: Get };
  const { get } = pool;
  pool.get = function guardedGet(broker, callback) {
    assertAllowed(broker, refusalOf).then(() => get.call(this, broker, callback), callback);
  };
}

/** Defines `Promise.withResolvers`, which the client calls, and which Node lacks before version 22. */
function provideResolvers(): void {
  const promises = Promise as unknown as { withResolvers?: () => object };
  promises.withResolvers ??= function withResolvers() {
    let resolve: unknown;
    let reject: unknown;
    const promise = new Promise((onDone, onFailed) => {
      resolve = onDone;
      reject = onFailed;
    });
    return { promise, resolve, reject };
  };
}

/** Bounds the decompressed size of a batch of records, because a compressed megabyte could fill the memory. */
export const BATCH_MAX_BYTES = 64 * 1024 * 1024;

interface Decompression {
  decompressSync(data: Buffer): Buffer;
}

type Unpack = (data: Buffer, options: { readonly maxOutputLength: number }) => Buffer;

/** @param algorithms the client's algorithms by their names in Kafka; this function changes them in place */
function boundBatches(algorithms: Readonly<Record<string, Decompression>>): void {
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
function snappyBytes(data: Buffer): number {
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
function lz4Bytes(data: Buffer): number {
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
