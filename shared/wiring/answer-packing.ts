/** Compresses answers outside of the main thread, a few at a time. */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { ContentCoding, Packing } from "../api/admin/requests/packed-answer.ts";

/** The store needs the same few threads, so most of them stay free. */
const AT_ONCE = 2;
/** Higher levels take several times the work for a few percent. */
const GZIP_LEVEL = 5;
const BROTLI_QUALITY = 4;
const TAG_CHARS = 22;

const toGzip = promisify<Uint8Array, { readonly level: number }, Buffer>(gzip);
const toBrotli = promisify<Uint8Array, { readonly params: Readonly<Record<number, number>> }, Buffer>(brotliCompress);

export function answerPacking(): Packing {
  let running = 0;
  return {
    async compress(bytes, coding) {
      if (running >= AT_ONCE) return undefined;
      running += 1;
      try {
        return await compressed(bytes, coding);
      } finally {
        running -= 1;
      }
    },
    tagOf: (bytes) => createHash("sha256").update(bytes).digest("base64url").slice(0, TAG_CHARS),
  };
}

async function compressed(bytes: Uint8Array, coding: ContentCoding): Promise<Uint8Array> {
  if (coding === "gzip") return await toGzip(bytes, { level: GZIP_LEVEL });
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
  const params = { [BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return await toBrotli(bytes, { params });
}
