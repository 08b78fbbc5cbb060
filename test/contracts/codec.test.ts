/** The contract of the codec port, for every adapter. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deflateCodec } from "../../shared/adapters/system/deflate-codec.ts";
import type { Codec } from "../../shared/engine/ports/codec.ts";
import { StoreError } from "../../shared/engine/ports/table.ts";

const CODECS: readonly (readonly [string, Codec])[] = [["deflate", deflateCodec]];
const MIB = 1024 * 1024;

describe.each(CODECS)("%s", (_, codec) => {
  test("any bytes survive the round trip", async () => {
    const sizes = fc.uint8Array({ maxLength: 5_000 });
    await fc.assert(
      fc.asyncProperty(sizes, async (bytes) => {
        expect(await codec.unpack(await codec.pack(bytes))).toEqual(bytes);
      }),
    );
  });

  test.each([0, 1, 32 * 1024 - 1, 32 * 1024, MIB])(
    "%i repetitive bytes shrink to at most a twentieth plus 16 bytes, and survive the round trip",
    async (size) => {
      const bytes = new Uint8Array(size).map((_byte, at) => at % 7);
      const packed = await codec.pack(bytes);
      expect(packed.length).toBeLessThanOrEqual(16 + size / 20);
      expect(Buffer.compare(await codec.unpack(packed), bytes)).toBe(0);
    },
  );

  test.each([100, 100_000])("%i bytes that were never packed are refused with a StoreError", async (size) => {
    await expect(codec.unpack(new Uint8Array(size).fill(255))).rejects.toThrow(StoreError);
  });

  test("truncated bytes are refused", async () => {
    const packed = await codec.pack(new TextEncoder().encode("a text that is long enough to be cut".repeat(20)));
    await expect(codec.unpack(packed.subarray(0, packed.length - 3))).rejects.toThrow(StoreError);
  });
});
