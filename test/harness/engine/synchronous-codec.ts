/** A codec for stages: it compresses synchronously, because a stepped clock does not wait for other threads. */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Codec } from "../../../shared/engine/ports/codec.ts";

export const synchronousCodec: Codec = {
  pack: async (bytes) => new Uint8Array(deflateRawSync(bytes)),
  unpack: async (packed) => new Uint8Array(inflateRawSync(packed)),
};
