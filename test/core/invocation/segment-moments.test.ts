/** Tests which moment each entry of a journal has: the moment of the segment that contains the entry. */
import { expect, test } from "vitest";
import { entryMoments } from "../../../shared/core/invocation/segment-moments.ts";

const moments = [
  { fromEntry: 0, atMs: 10 },
  { fromEntry: 1, atMs: 20 },
  { fromEntry: 1, atMs: 30 },
  { fromEntry: 3, atMs: 40 },
];

test.each([
  ["a segment without entries gives its moment to no entry", moments, { known: 5, count: 5 }, [10, 30, 30, 40, 40]],
  [
    "entries that are in no segment yet have the newest moment",
    moments,
    { known: 4, count: 6 },
    [10, 30, 30, 40, 99, 99],
  ],
  ["a dropped journal has no moments", [...moments, { fromEntry: 5, atMs: 50 }], { known: 0, count: 0 }, []],
  ["without segments every entry has the newest moment", [], { known: 2, count: 2 }, [99, 99]],
  ["the first entry has the moment of the acceptance", [{ fromEntry: 0, atMs: 7 }], { known: 1, count: 1 }, [7]],
] as const)("%s", (_, given, counts, expected) => {
  expect(entryMoments(given, { ...counts, newestAtMs: 99 })).toEqual(expected);
});
