/** The zstd functions of Node 22.15 and later. Without them, requests are uncompressed and accept no compressed answers. */
import * as zlib from "node:zlib";

type Convert = (bytes: Uint8Array, options?: { readonly maxOutputLength?: number }) => Uint8Array;

/** Functions that newer versions of Node have, but that the declared types lack. */
interface MaybeZstd {
  readonly zstdCompressSync?: Convert;
  readonly zstdDecompressSync?: Convert;
}

const { zstdCompressSync: compress, zstdDecompressSync: decompress } = zlib as MaybeZstd;

export const zstd: { readonly compress: Convert; readonly decompress: Convert } | undefined =
  compress === undefined || decompress === undefined ? undefined : { compress, decompress };
