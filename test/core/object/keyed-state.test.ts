/** Tests where the values of a key are placed: small values in the lock while it has room, larger values beside the lock. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { EMPTY_STATE, place } from "../../../shared/core/object/keyed-state.ts";
import { computedMs } from "../../processor-time.ts";

/** Placed in the square of their number, they would take longer. */
const COMPUTED_MAX_MS = 5_000;

test("a hundred thousand values are placed with work in proportion to their number", () => {
  const changes = Array.from({ length: 100_000 }, (_, at) => ({
    kind: "set" as const,
    key: `key-${at}`,
    value: new Uint8Array(at % 200),
  }));
  const startedMs = computedMs();
  const { next, put } = place(EMPTY_STATE, changes);
  expect(computedMs() - startedMs).toBeLessThan(COMPUTED_MAX_MS);
  expect(next.unlisted).toBe(true);
  expect(next.inline.size + put.size).toBe(100_000);
});

test("each value is in one place, and values in the lock, with their keys, are no larger than those beside the lock", () => {
  const value = fc.uint8Array({ maxLength: 250 });
  fc.assert(
    fc.property(fc.dictionary(fc.string({ maxLength: 8 }), value, { maxKeys: 40 }), (values) => {
      const entries = Object.entries(values);
      const { next, put } = place(
        EMPTY_STATE,
        entries.map(([key, one]) => ({ kind: "set", key, value: one })),
      );
      const sizeOf = (key: string): number => key.length * 3 + values[key]!.length + 6;
      const [inside, outside] = [[...next.inline.keys()], [...put.keys()]];
      expect([...inside, ...outside].toSorted()).toEqual(entries.map(([key]) => key).toSorted());
      const bytes = inside.reduce((sum, key) => sum + sizeOf(key), 0);
      expect(bytes).toBeLessThanOrEqual(640);
      if (outside.length > 0)
        expect(Math.max(0, ...inside.map(sizeOf))).toBeLessThanOrEqual(Math.min(...outside.map(sizeOf)));
    }),
  );
});

test("the lock lists names up to a bound in bytes, whatever their length, and a state with longer names is unlisted", () => {
  const name = fc.nat(21_845).chain((length) => fc.constantFrom("n", "é", "語").map((unit) => unit.repeat(length)));
  const change = fc.tuple(name, fc.nat(20)).map(([key, at]) => ({
    kind: "set" as const,
    key: `${at}${key}`,
    value: new Uint8Array(at % 2 === 0 ? 1 : 400),
  }));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), fc.array(change, { maxLength: 20 }), (first, second) => {
      const before = place(EMPTY_STATE, first).next;
      for (const { inline, beside } of [before, place(before, second).next])
        expect(Buffer.byteLength([...inline.keys(), ...beside].join(""))).toBeLessThanOrEqual(9 * 1024);
    }),
    { numRuns: 50 },
  );
});

test("sixteen values with short names are listed", () => {
  const changes = Array.from({ length: 16 }, (_, at) => ({
    kind: "set" as const,
    key: `a name of some length ${at}`,
    value: new Uint8Array(400),
  }));
  expect(place(EMPTY_STATE, changes).next.unlisted).toBe(false);
});
