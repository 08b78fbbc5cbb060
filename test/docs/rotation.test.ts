/** Tests of the rotation of suites: every test file and every row is in exactly one part, and each part has something to run. */
import { readdirSync } from "node:fs";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ATTACKS, PARTS as PARTS_OF_ATTACKS } from "../attacks/all-attacks.ts";
import { MISTAKES, PARTS as PARTS_OF_MISTAKES } from "../planted/catalogue.mjs";
import { PAGES, PARTS as PARTS_OF_PAGES } from "../reference-ui/pages.ts";
import { filesInEachPart, filesOf, ROTATING_SUITES, type RotatingSuite } from "../rotating-suites.ts";
import { itemsOfTurn, rotationOfRun } from "../rotation.ts";

afterEach(() => vi.unstubAllEnvs());

const NUMBERS = Array.from({ length: 37 }, (_, at) => at);

/** Each part of the items, in the order of the turns. */
function partsOf<Item>(items: readonly Item[], parts: number): (readonly Item[])[] {
  return Array.from({ length: parts }, (_, turn) => itemsOfTurn(items, parts, String(turn)));
}

test.each([1, 2, 3, 4, 10, 37, 50])("%i parts are disjoint, and together have every item", (parts) => {
  const divided = partsOf(NUMBERS, parts);
  expect(divided.flat().toSorted((one, other) => one - other)).toEqual(NUMBERS);
  const sizes = divided.map(({ length }) => length);
  expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
});

test("a large number chooses a part, too, and `all` chooses every part", () => {
  expect(itemsOfTurn(NUMBERS, 4, String(0xffff_ffff))).toEqual(NUMBERS.filter((at) => at % 4 === 3));
  expect(itemsOfTurn(NUMBERS, 4, "all")).toEqual(NUMBERS);
});

test("the same commit has the same part", () => {
  vi.stubEnv("ROTATION", undefined);
  expect(rotationOfRun()).toBe(rotationOfRun());
});

test.each(["", "half", "-1", "1.5"])("ROTATION=%s is refused", (rotation) => {
  vi.stubEnv("ROTATION", rotation);
  expect(() => rotationOfRun()).toThrow("ROTATION");
});

const suites = Object.values<RotatingSuite>(ROTATING_SUITES);

describe.each(suites)("the files of $folder", (suite) => {
  const { folder, parts } = suite;
  const all = filesOf(suite);
  test("are in exactly one part each, and no part is empty", () => {
    const divided = partsOf(all, parts);
    expect(divided.flat().toSorted()).toEqual(all.toSorted());
    expect(divided.filter(({ length }) => length === 0)).toEqual([]);
  });
  test("are all test files of the folder, but for those that each part has", () => {
    const names = readdirSync(`test/${folder}`, { recursive: true, encoding: "utf8" });
    const found = names.filter((file) => /^[^.]+\.test\.ts$/.test(file) && !file.includes("node_modules"));
    expect([...all, ...filesInEachPart(suite)].toSorted()).toEqual(
      found.map((file) => `test/${folder}/${file}`).toSorted(),
    );
  });
});

test.each([
  { what: "attacks", items: ATTACKS.map(({ name }) => name), parts: PARTS_OF_ATTACKS },
  { what: "planted mistakes", items: MISTAKES.map(({ file, what }) => `${file}: ${what}`), parts: PARTS_OF_MISTAKES },
  { what: "pages of the reference's UI", items: PAGES.map(({ title }) => title), parts: PARTS_OF_PAGES },
])("the $what are in exactly one part each, and no part is small", ({ items, parts }) => {
  const divided = partsOf(items, parts);
  expect(divided.flat().toSorted()).toEqual([...new Set(items)].toSorted());
  expect(divided.filter(({ length }) => length < 5)).toEqual([]);
});
