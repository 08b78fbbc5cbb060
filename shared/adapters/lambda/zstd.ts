/** zstd where this Node has it (22.15 and later); elsewhere nothing is compressed, and nothing compressed is asked for. */
import * as zlib from "node:zlib";

type Convert = (bytes: Uint8Array, options?: { readonly maxOutputLength?: number }) => Uint8Array;

/** What newer Nodes have beside what is declared for the oldest. */
interface MaybeZstd {
  readonly zstdCompressSync?: Convert;
  readonly zstdDecompressSync?: Convert;
}

const { zstdCompressSync: compress, zstdDecompressSync: decompress } = zlib as MaybeZstd;

export const zstd: { readonly compress: Convert; readonly decompress: Convert } | undefined =
  compress === undefined || decompress === undefined ? undefined : { compress, decompress };
