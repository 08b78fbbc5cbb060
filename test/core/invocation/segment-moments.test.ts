/** Tests which moment each entry of a journal has: its receipt, or else the moment of the segment that contains it. */
import { expect, test } from "vitest";
import { entryMoments } from "../../../shared/core/invocation/segment-moments.ts";

const moments = [
  { fromEntry: 0, atMs: 10 },
  { fromEntry: 1, atMs: 20 },
  { fromEntry: 1, atMs: 30 },
  { fromEntry: 3, atMs: 40 },
];

/** @param count the number of entries, none of which has a moment of receipt */
const unknown = (count: number) => Array.from({ length: count }, () => ({}));

test.each([
  ["a segment without entries gives its moment to no entry", moments, 5, unknown(5), [10, 30, 30, 40, 40]],
  ["entries that are in no segment yet have the newest moment", moments, 4, unknown(6), [10, 30, 30, 40, 99, 99]],
  ["a dropped journal has no moments", [...moments, { fromEntry: 5, atMs: 50 }], 0, [], []],
  ["without segments every entry has the newest moment", [], 2, unknown(2), [99, 99]],
  ["the first entry has the moment of the acceptance", [{ fromEntry: 0, atMs: 7 }], 1, unknown(1), [7]],
  [
    "an entry with a moment of receipt has that moment, whatever its segment",
    moments,
    4,
    [{}, { receivedAtMs: 27 }, {}, { receivedAtMs: 38 }, { receivedAtMs: 77 }],
    [10, 27, 30, 38, 77],
  ],
] as const)("%s", (_, given, known, entries, expected) => {
  expect(entryMoments(entries, given, { known, newestAtMs: 99 })).toEqual(expected);
});
