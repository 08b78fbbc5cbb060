/** zstd where Node has it (22.15 and later); elsewhere requests are plain and ask for plain answers. */
import * as zlib from "node:zlib";

type Convert = (bytes: Uint8Array, options?: { readonly maxOutputLength?: number }) => Uint8Array;

/** Functions that newer versions of Node have beside the declared ones. */
interface MaybeZstd {
  readonly zstdCompressSync?: Convert;
  readonly zstdDecompressSync?: Convert;
}

const { zstdCompressSync: compress, zstdDecompressSync: decompress } = zlib as MaybeZstd;

export const zstd: { readonly compress: Convert; readonly decompress: Convert } | undefined =
  compress === undefined || decompress === undefined ? undefined : { compress, decompress };
