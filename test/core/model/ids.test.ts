import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  deploymentIdFromBytes,
  IdError,
  invocationIdBytes,
  invocationIdFromBytes,
  nonceBytes,
  nonceFromBytes,
  parseDeploymentId,
  parseInvocationId,
} from "../../../shared/core/model/ids.ts";

const hex = (text: string) => Uint8Array.from(text.match(/../g)!, (pair) => Number.parseInt(pair, 16));
const LIVE = {
  bytes: hex("d7bfeabb8390b97a93ce0b931488ac3fde8d104a40ae7456"),
  id: "inv_1axgdqqQdyQv2D8F7RouVnlY1UmdjQCyNZ",
};
const ZEROS = `inv_1${"0".repeat(33)}`;

describe("an invocation id", () => {
  test("equals the id that a live server gave to the same bytes", () => {
    expect(invocationIdFromBytes(LIVE.bytes)).toBe(LIVE.id);
    expect(invocationIdBytes(LIVE.id)).toEqual(LIVE.bytes);
  });

  test("is padded to its width", () => {
    expect(invocationIdFromBytes(new Uint8Array(24))).toBe(ZEROS);
    expect(invocationIdBytes(ZEROS)).toEqual(new Uint8Array(24));
  });

  test("survives the round trip, for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 24, maxLength: 24 }), (bytes) => {
        const id = invocationIdFromBytes(bytes);
        expect(id).toHaveLength(38);
        expect(invocationIdBytes(id)).toEqual(bytes);
      }),
    );
  });

  const refusals: readonly [string, string][] = [
    ["", "bad format"],
    ["inv", "bad format"],
    ["dp_1axgdqqQdyQv2D8F7RouVnlY1UmdjQCyNZ", "bad format"],
    ["inv_2axgdqqQdyQv2D8F7RouVnlY1UmdjQCyNZ", "unrecognized codec version"],
    ["inv_", "unrecognized codec version"],
    ["inv_1axgdqqQdyQv2D8F7RouVnlY1UmdjQCyN", "bad length"],
    ["inv_1axgdqqQdyQv2D8F7RouVnlY1UmdjQCyNZZ", "bad length"],
    ["inv_1axgdqqQdyQv2D8F7RouVnlY1UmdjQCy-Z", "base62 decode error"],
    [`inv_1${"Z".repeat(33)}`, "base62 decode error"],
  ];
  test.each(refusals)("'%s' is refused: %s", (text, why) => {
    expect(() => parseInvocationId(text)).toThrow(new IdError(why));
  });
});

test("a deployment id has 26 characters and parses, and an invocation id is no deployment id", () => {
  const id = deploymentIdFromBytes(LIVE.bytes.subarray(8));
  expect(id).toBe(`dp_1${LIVE.id.slice(16)}`);
  expect(id).toHaveLength(26);
  expect(parseDeploymentId(id)).toBe(id);
  expect(() => parseDeploymentId(LIVE.id)).toThrow(IdError);
});

test("a nonce keeps its eight bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 8, maxLength: 8 }), (bytes) => {
      expect(nonceBytes(nonceFromBytes(bytes))).toEqual(bytes);
    }),
  );
});
