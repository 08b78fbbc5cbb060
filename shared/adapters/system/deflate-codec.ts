/** Compresses with raw DEFLATE (RFC 1951), the one method that every version of Node has. */
import { promisify } from "node:util";
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from "node:zlib";
import type { Codec } from "../../engine/ports/codec.ts";
import { StoreError } from "../../engine/ports/table.ts";

/** Below this size the transfer to another thread and back takes longer than the work. */
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

/** The ports use plain byte arrays; a copy avoids memory that a pool may reuse. */
function plain(buffer: Buffer): Uint8Array {
  const whole = buffer.byteLength === buffer.buffer.byteLength;
  return whole ? new Uint8Array(buffer.buffer) : new Uint8Array(buffer);
}
