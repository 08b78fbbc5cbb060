/** Compresses and decompresses with raw DEFLATE (RFC 1951), which every version of Node has. */
import { promisify } from "node:util";
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from "node:zlib";
import type { Codec } from "../../engine/ports/codec.ts";
import { StoreError } from "../../engine/ports/table.ts";

/** Fewer bytes than this are converted on this thread: the transfer to another thread and back would take longer. */
const ASIDE_FROM_BYTES = 32 * 1024;

const deflateAside = promisify(deflateRaw);
const inflateAside = promisify(inflateRaw);

export const deflateCodec: Codec = {
  async pack(bytes) {
    return plain(bytes.length < ASIDE_FROM_BYTES ? deflateRawSync(bytes) : await deflateAside(bytes));
  },
  async unpack(packed) {
    try {
      return plain(packed.length < ASIDE_FROM_BYTES ? inflateRawSync(packed) : await inflateAside(packed));
    } catch (cause) {
      throw new StoreError("packed bytes cannot be unpacked", { cause });
    }
  },
};

/** Converts a buffer to the plain byte array of the ports. Copies a buffer that is a part of a larger memory area. */
function plain(buffer: Buffer): Uint8Array {
  const whole = buffer.byteLength === buffer.buffer.byteLength;
  return whole ? new Uint8Array(buffer.buffer) : new Uint8Array(buffer);
}
