/** The moments of receipt as a segment stores them: what they cost, and that they come back. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Entry } from "../../../shared/core/invocation/entry.ts";
import { receiptsFromStored, receiptsToStored } from "../../../shared/engine/store/receipts.ts";

const WRITTEN_MS = 1_764_000_000_000;

const entryAt = (receivedAtMs?: number): Entry => ({
  kind: "notification",
  type: "Sleep",
  id: { completionId: 1 },
  failed: false,
  frame: new Uint8Array(0),
  ...(receivedAtMs !== undefined && { receivedAtMs }),
});

function readBack(stored: readonly number[], count: number): readonly (number | undefined)[] {
  const receipts = receiptsFromStored(stored, WRITTEN_MS);
  return Array.from({ length: count }, () => receipts.next().value);
}

test("all moments come back, also those after the moment of the segment and those that a clock set back", () => {
  const moment = fc.integer({ min: -100_000_000_000, max: 100_000_000_000 }).map((offset) => WRITTEN_MS + offset);
  fc.assert(
    fc.property(fc.array(moment), (moments) => {
      const stored = receiptsToStored(moments.map(entryAt), WRITTEN_MS);
      expect(stored.every((one) => Number.isSafeInteger(one) && one >= 0)).toBe(true);
      expect(readBack(stored, moments.length)).toEqual(moments);
    }),
  );
});

test.each([
  ["entries of one answer take one number", [5, 5, 5, 5], [10]],
  ["entries as the segment was written take one number, which says that the moments are known", [0, 0, 0], [0]],
  ["later steps take the time since the step before, as odd numbers", [200, 140, 77, 77], [400, 119, 125]],
  ["an entry from after the moment of the segment takes an odd number", [-1, 0], [1, 2]],
])("%s", (_, beforeWritten, expected) => {
  const entries = beforeWritten.map((agoMs) => entryAt(WRITTEN_MS - agoMs));
  const stored = receiptsToStored(entries, WRITTEN_MS);
  expect(stored).toEqual(expected);
  expect(readBack(stored, entries.length)).toEqual(entries.map(({ receivedAtMs }) => receivedAtMs));
});

test("entries without moments, such as copied ones, take nothing and stay without", () => {
  const stored = receiptsToStored([entryAt(), entryAt()], WRITTEN_MS);
  expect(stored).toEqual([]);
  expect(readBack(stored, 2)).toEqual([undefined, undefined]);
});
