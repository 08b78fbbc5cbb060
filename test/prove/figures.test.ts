/** Tests how the figures of several runs are added up. */
import { expect, test } from "vitest";
import { sumOf } from "./figures.mjs";

test("equal names are added up, and the largest of those that end in Max is kept", () => {
  const runs = [
    { seeds: 10, quietAtMsMax: 7 },
    { seeds: 5, quietAtMsMax: 9 },
    { kills: 1, quietAtMsMax: 8 },
  ];
  expect(sumOf(runs)).toEqual({ seeds: 15, kills: 1, quietAtMsMax: 9 });
  expect(sumOf([])).toEqual({});
});
