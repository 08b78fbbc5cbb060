/** Tests the wire format: the bytes of each kind of field, and refused bytes. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decode } from "../../../shared/core/model/proto3-decode.ts";
import { encode } from "../../../shared/core/model/proto3-encode.ts";
import * as proto3 from "../../../shared/core/model/proto3.ts";
import type { Infer, MessageType } from "../../../shared/core/model/proto3.ts";
import { hex, text, toHex } from "../protocol/hex.ts";

const { Proto3Error, bool, bytes, enumeration, message, oneof, optional, repeated, string, submessage, uint32 } =
  proto3;

const Inner = message({ id: uint32(1), tags: repeated(string(2)) });
const Sample = message({
  small: uint32(1),
  safe: proto3.uint53(2),
  big: proto3.uint64(3),
  flag: bool(4),
  text: string(5),
  raw: bytes(6),
  choice: enumeration(7),
  inner: submessage(8, () => Inner),
  numbers: repeated(uint32(9)),
  inners: repeated(submessage(10, () => Inner)),
  maybe: optional(uint32(11)),
  maybeText: optional(string(12)),
  left: oneof("side", uint32(13)),
  right: oneof(
    "side",
    submessage(14, () => Inner),
  ),
  blobs: repeated(bytes(16)),
  flags: repeated(bool(17)),
  at: proto3.moment(18),
});
type Sample = Infer<typeof Sample>;
const blank: Sample = {
  small: 0,
  safe: 0,
  at: 0,
  big: 0n,
  flag: false,
  text: "",
  raw: new Uint8Array(0),
  choice: 0,
  numbers: [],
  inners: [],
  blobs: [],
  flags: [],
};

interface Nest {
  readonly nested: readonly Nest[];
}
const Nest: MessageType<Nest> = message({ nested: repeated(submessage(1, () => Nest)) });

/** The bytes of `levels` nested messages. */
function nest(levels: number): Uint8Array {
  let wire = new Uint8Array(0);
  for (let level = 0; level < levels; level++) {
    const length = wire.length;
    const digits: number[] = [];
    for (let rest = length; ; rest >>>= 7) {
      if (rest < 128) {
        digits.push(rest);
        break;
      }
      digits.push((rest & 127) | 128);
    }
    wire = Uint8Array.from([0x0a, ...digits, ...wire]);
  }
  return wire;
}

test("a message without set fields takes no bytes and reads as zeros", () => {
  expect(encode(Sample, {})).toHaveLength(0);
  expect(decode(Sample, new Uint8Array(0))).toEqual(blank);
  expect(encode(Sample, blank)).toHaveLength(0);
});

describe.each([
  ["a small number", { small: 150 }, "08 9601"],
  ["the largest 32-bit number", { small: 0xffffffff }, "08 ffffffff0f"],
  ["the largest safe number", { safe: Number.MAX_SAFE_INTEGER }, "10 ffffffffffffff0f"],
  ["the largest 64-bit number", { big: 2n ** 64n - 1n }, "18 ffffffffffffffffff01"],
  ["a number of 33 bits in a 64-bit field", { big: 2n ** 32n }, "18 8080808010"],
  ["a flag", { flag: true }, "20 01"],
  ["text beyond ASCII", { text: "é😀" }, "2a 06 c3a9f09f9880"],
  ["a byte order mark", { text: "\ufeffa" }, "2a 04 efbbbf61"],
  ["bytes", { raw: hex("00ff") }, "32 02 00ff"],
  ["an enumeration", { choice: 4 }, "38 04"],
  ["an empty sub-message", { inner: { id: 0, tags: [] } }, "42 00"],
  ["packed numbers", { numbers: [1, 300] }, "4a 03 01ac02"],
  [
    "a list of messages",
    {
      inners: [
        { id: 1, tags: [] },
        { id: 0, tags: ["a", ""] },
      ],
    },
    "52 02 0801 52 05 120161 1200",
  ],
  ["an optional zero", { maybe: 0, maybeText: "" }, "58 00 62 00"],
  ["a oneof's zero", { left: 0 }, "68 00"],
  ["a oneof's message", { right: { id: 1, tags: [] } }, "72 02 0801"],
  ["a field number above 15", { blobs: [hex("01"), hex("")], flags: [true, false] }, "8201 01 01 8201 00 8a01 02 0100"],
] as const)("%s", (_what, draft, digits) => {
  test("has these bytes in both directions", () => {
    expect(toHex(encode(Sample, draft))).toBe(toHex(hex(digits)));
    expect(decode(Sample, hex(digits))).toEqual({ ...blank, ...draft });
  });
});

test("unpacked numbers and several packs form one list", () => {
  expect(decode(Sample, hex("48 01 4a 02 0203 48 04")).numbers).toEqual([1, 2, 3, 4]);
});

test("unknown fields of any wire type are skipped", () => {
  const unknown = "980601 9906 0102030405060708 9a06 03 616263 9d06 01020304";
  expect(decode(Sample, hex(`0801 ${unknown} 2001`))).toEqual({ ...blank, small: 1, flag: true });
});

test("a reader takes the last field of a oneof, and a writer refuses two fields of the same oneof", () => {
  expect(decode(Sample, hex("6801 7200"))).toEqual({ ...blank, right: { id: 0, tags: [] } });
  expect(decode(Sample, hex("7200 6801"))).toEqual({ ...blank, left: 1 });
  expect(() => encode(Sample, { left: 1, right: {} })).toThrow("another of its oneof");
});

test("a sub-message in two parts is merged, a scalar is replaced", () => {
  expect(decode(Sample, hex("4205 0801 120161 4203 120162 0801 0802"))).toEqual({
    ...blank,
    small: 2,
    inner: { id: 1, tags: ["a", "b"] },
  });
});

test("bytes are views of the input, not copies", () => {
  const wire = hex("3202aabb");
  const { raw } = decode(Sample, wire);
  expect(raw.buffer).toBe(wire.buffer);
  expect([raw.byteOffset, raw.length]).toEqual([2, 2]);
});

test("the requested headroom stays free in front of the message", () => {
  expect(toHex(encode(Inner, { id: 5 }, 4))).toBe("00000000" + "0805");
});

test("half of a surrogate pair is written as the replacement character", () => {
  for (const half of ["\ud800", "a\udc00b", "\ud800\ud800\udc00", "\ud83dx"]) {
    expect(toHex(encode(Inner, { tags: [half] }).subarray(2))).toBe(toHex(text(half)));
  }
});

describe.each([
  ["a number cut off", "0896", "cut off"],
  ["a number of more than 10 bytes", "18 80808080808080808080 01", "longer than 10 bytes"],
  ["a number of more than 64 bits", "18 ffffffffffffffffff02", "64 bits"],
  ["33 bits where 32 fit", "08 8080808010", "small does not fit into 32 bits"],
  ["2^53 where a safe number is wanted", "10 8080808080808010", "safe is above 2^53-1"],
  ["a length beyond the end", "2a 05 6162", "a length of 5 bytes where 2 are left"],
  ["a length beyond the end of the sub-message", "4203 2a0261 6262", "left"],
  ["a length of more than 32 bits", "2a ffffffffff01", "32 bits"],
  ["a packed list that ends inside a number", "4a 02 0180 01", "cut off"],
  ["text that is not UTF-8", "2a 02 c328", "text is not valid UTF-8"],
  ["text for a number", "0a 01 61", "small has wire type 2 instead of 0"],
  ["a number for text", "28 01", "text has wire type 0 instead of 2"],
  ["a fixed-size number in place of a varint", "0d 00000000", "wire type 5"],
  ["an unknown fixed-size number cut off", "9d06 0102", "cut off"],
  ["a group", "9b06 9c06", "wire type 3"],
  ["field number 0", "0001", "field number 0"],
])("%s", (_what, digits, words) => {
  test("is refused", () => {
    expect(() => decode(Sample, hex(digits))).toThrow(Proto3Error);
    expect(() => decode(Sample, hex(digits))).toThrow(words);
  });
});

test.each([
  { small: 2 ** 32 },
  { small: -1 },
  { small: 1.5 },
  { small: NaN },
  { safe: 2 ** 53 },
  { choice: -1 },
  { big: -1n },
  { big: 2n ** 64n },
])("%o cannot be written", (draft) => {
  expect(() => encode(Sample, draft)).toThrow(Proto3Error);
});

test("messages may nest 1000 levels deep, and not one more", () => {
  const deepest = decode(Nest, nest(1000));
  expect(toHex(encode(Nest, deepest))).toBe(toHex(nest(1000)));
  expect(() => decode(Nest, nest(1001))).toThrow("deeper than 1000");
  expect(() => encode(Nest, { nested: [deepest] })).toThrow("deeper than 1000");
});

test("a message type with a duplicate field number is refused when it is created", () => {
  expect(() => message({ a: uint32(1), b: string(1) })).toThrow("field number 1 is used twice");
});

test("any bytes are read, or refused with a Proto3Error", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (garbage) => {
      try {
        decode(Sample, garbage);
      } catch (error) {
        expect(error).toBeInstanceOf(Proto3Error);
      }
    }),
    { numRuns: 2000 },
  );
});
