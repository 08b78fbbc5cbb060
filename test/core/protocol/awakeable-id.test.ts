/** Tests awakeable ids: the ids that SDKs make, and refused texts. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { invocationIdBytes, invocationIdFromBytes } from "../../../shared/core/model/ids.ts";
import { encodeAwakeableId, parseAwakeableId } from "../../../shared/core/protocol/awakeable-id.ts";
import { hex, toHex } from "./hex.ts";

const BYTES = hex("0123456789abcdef".repeat(3));
const KNOWN = "sign_1ASNFZ4mrze8BI0VniavN7wEjRWeJq83vAAAAEQ";

test("the id equals that of an SDK for the same bytes", () => {
  expect(encodeAwakeableId(BYTES, 17)).toBe(KNOWN);
  const id = parseAwakeableId(KNOWN);
  expect(id).toEqual({ kind: "signal", invocationId: invocationIdFromBytes(BYTES), index: 17 });
  expect(toHex(invocationIdBytes(id.invocationId))).toBe(toHex(BYTES));
});

test("padding and the prefix of old deployments are accepted", () => {
  expect(parseAwakeableId(`${KNOWN}==`)).toEqual(parseAwakeableId(KNOWN));
  expect(parseAwakeableId(KNOWN.replace("sign", "prom"))).toMatchObject({ kind: "entry", index: 17 });
});

test.each([
  ["", "bad format"],
  ["sign1abc", "bad format"],
  ["inv_1axgdqqQdyQv2D8F7RouVnlY1UmdjQCyNZ", "bad format"],
  [KNOWN.replace("_1", "_2"), "unrecognized codec version"],
  [KNOWN.slice(0, -1), "bad length"],
  [`${KNOWN}A`, "bad length"],
  [KNOWN.replace("Z4", "!4"), "base64 decode error"],
  [KNOWN.replace("Z4", "+4"), "base64 decode error"],
  [`${KNOWN.slice(0, -1)}R`, "base64 decode error"],
])("%s is refused: %s", (text, reason) => {
  expect(() => parseAwakeableId(text)).toThrow(reason);
});

test("any bytes and index survive the round trip, and agree with Node's base64url", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 24, maxLength: 24 }), fc.nat(0xffffffff), (bytes, index) => {
      const big = Buffer.alloc(4);
      big.writeUInt32BE(index);
      const text = encodeAwakeableId(bytes, index);
      expect(text).toBe(`sign_1${Buffer.concat([bytes, big]).toString("base64url")}`);
      expect(parseAwakeableId(text)).toEqual({ kind: "signal", invocationId: invocationIdFromBytes(bytes), index });
    }),
  );
});

test("invocation ids of any other length are encoded too, because SDKs encode any bytes", () => {
  for (const size of [0, 1, 2, 3, 36]) {
    const bytes = new Uint8Array(size).fill(0xab);
    expect(encodeAwakeableId(bytes, 1)).toBe(`sign_1${Buffer.concat([bytes, hex("00000001")]).toString("base64url")}`);
  }
});
