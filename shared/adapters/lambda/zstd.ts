/** The zstd functions of Node 22.15 and later. Without them, requests are uncompressed and accept no compressed answers. */
import type { Transform } from "node:stream";
import * as zlib from "node:zlib";

interface UnpackOptions {
  readonly chunkSize: number;
  readonly params: Readonly<Record<number, number>>;
}

/** Functions that newer versions of Node have, but that the declared types lack. */
interface MaybeZstd {
  readonly zstdCompressSync?: (bytes: Uint8Array) => Uint8Array;
  readonly createZstdDecompress?: (options: UnpackOptions) => Transform;
  readonly constants: { readonly ZSTD_d_windowLogMax?: number };
}

const { zstdCompressSync: compress, createZstdDecompress, constants } = zlib as unknown as MaybeZstd;
const { ZSTD_d_windowLogMax: windowLogMax } = constants;

/** The most bytes that a piece has. */
const PIECE_BYTES = 64 * 1024;
/**
 * A decoder keeps a window of the unpacked bytes, whose size the sender chooses. RFC 8878 asks decoders for 8 MiB; a sender
 * that names more wants the memory and not the packing.
 */
const WINDOW_MAX_LOG = 23;

export const zstd =
  compress === undefined || createZstdDecompress === undefined || windowLogMax === undefined
    ? undefined
    : {
        compress,
        /** A stream that unpacks only as fast as its reader reads. */
        unpacking: (): Transform =>
          createZstdDecompress({ chunkSize: PIECE_BYTES, params: { [windowLogMax]: WINDOW_MAX_LOG } }),
      };
