/** Tests awaits as stored bytes. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Await } from "../../../shared/core/model/await-tree.ts";
import { Proto3Error } from "../../../shared/core/model/proto3.ts";
import { decodeAwait, encodeAwait } from "../../../shared/core/protocol/await-codec.ts";
import { hex, toHex } from "./hex.ts";

const leaf: Await = { completions: [1], signals: [1], namedSignals: [], nested: [], combinator: "first-completed" };

function treesOf(depthMax: number): fc.Arbitrary<Await> {
  return fc.record({
    completions: fc.array(fc.nat(0xffffffff), { maxLength: 3 }),
    signals: fc.array(fc.nat(0xffffffff), { maxLength: 2 }),
    namedSignals: fc.array(fc.string({ unit: "binary" }), { maxLength: 2 }),
    nested: depthMax === 0 ? fc.constant([]) : fc.array(treesOf(depthMax - 1), { maxLength: 3 }),
    combinator: fc.constantFrom(
      "unknown",
      "first-completed",
      "all-completed",
      "first-succeeded-or-all-failed",
      "all-succeeded-or-first-failed",
    ),
  });
}

test("the bytes equal those of the wire format", () => {
  expect(toHex(encodeAwait(leaf))).toBe(toHex(hex("0a0101 120101 2801")));
  expect(toHex(encodeAwait({ ...leaf, nested: [{ ...leaf, combinator: "all-succeeded-or-first-failed" }] }))).toBe(
    toHex(hex("0a0101 120101 2208 0a0101 120101 2804 2801")),
  );
});

test("any tree survives the round trip", () => {
  fc.assert(
    fc.property(treesOf(3), (tree) => {
      expect(decodeAwait(encodeAwait(tree))).toEqual(tree);
    }),
  );
});

test("a combinator of a later version counts as unknown", () => {
  for (const number of ["05", "7f", "ffffffffffffffffff01"]) {
    expect(decodeAwait(hex(`0a0101 28${number}`)).combinator).toBe("unknown");
  }
});

test("a tree may have 1000 levels and not one more, and a far deeper one does not exhaust the stack", () => {
  const deep = (levels: number): Await => {
    let tree = leaf;
    for (let level = 1; level < levels; level++) tree = { ...leaf, nested: [tree] };
    return tree;
  };
  expect(decodeAwait(encodeAwait(deep(1000)))).toEqual(deep(1000));
  expect(() => encodeAwait(deep(1001))).toThrow(Proto3Error);
  expect(() => encodeAwait(deep(100_000))).toThrow("deeper than 1000 levels");
});
