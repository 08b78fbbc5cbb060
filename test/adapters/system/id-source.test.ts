/** Tests derived and random bytes for ids. */
import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { SecretIdSource } from "../../../shared/adapters/system/id-source.ts";

const secret = new Uint8Array(32).fill(7);
const ids = new SecretIdSource(secret);
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

test("derived bytes are the HMAC-SHA256 over the parts, each after its length in four bytes", () => {
  const message = Buffer.concat([Buffer.from([0, 0, 0, 2]), Buffer.from("ab"), Buffer.from([0, 0, 0, 1, 0xff])]);
  const expected = createHmac("sha256", secret).update(message).digest("hex");
  expect(hex(ids.derive(["ab", Uint8Array.of(0xff)], 32))).toBe(expected);
  expect(hex(ids.derive(["ab", Uint8Array.of(0xff)], 16))).toBe(expected.slice(0, 32));
});

test("different splits of the same characters give different bytes", () => {
  const splits = [["ab", "c"], ["a", "bc"], ["abc"], ["abc", ""], ["", "abc"]].map((parts) =>
    hex(ids.derive(parts, 24)),
  );
  expect(new Set(splits).size).toBe(splits.length);
});

test("another secret gives other bytes for the same parts", () => {
  const others = new SecretIdSource(new Uint8Array(32).fill(8));
  expect(hex(others.derive(["x"], 16))).not.toBe(hex(ids.derive(["x"], 16)));
});

test("random bytes have the requested size and do not repeat", () => {
  const seen = new Set(Array.from({ length: 200 }, () => hex(ids.random(16))));
  expect(seen.size).toBe(200);
  expect(ids.random(24)).toHaveLength(24);
  expect(ids.random(0)).toHaveLength(0);
});

test("no random bytes are given out twice, whatever sizes are requested", () => {
  const portions = [1, 24, 8, 4095, 4096, 4097, 10_000, 16];
  const seen = new Set<string>();
  for (let round = 0; round < 100; round++) {
    for (const size of portions) {
      const bytes = ids.random(size);
      expect(bytes).toHaveLength(size);
      if (size < 8) continue;
      const text = hex(bytes.subarray(0, 8));
      expect(text).not.toBe("0".repeat(16));
      seen.add(text);
      bytes.fill(0);
    }
  }
  expect(seen.size).toBe(100 * (portions.length - 1));
});

test("a secret or a size out of range is refused", () => {
  expect(() => new SecretIdSource(new Uint8Array(31))).toThrow(RangeError);
  expect(() => ids.derive(["x"], 33)).toThrow(RangeError);
  expect(() => ids.derive(["x"], 1.5)).toThrow(RangeError);
});
