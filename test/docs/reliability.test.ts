/** The page about reliability names parts of the proof, files and tests that exist. */
import { expect, test } from "vitest";
import { PARTS } from "../prove/parts.mjs";
import { readKept, withTable } from "../prove/page.mjs";
import { brokenLinks, isFile, textOf } from "./page-text.ts";

const PAGE = "docs/reliability.md";
const page = textOf(PAGE);

/** Each line of tests: a file, and the titles of some of its tests. */
const tests = [...page.matchAll(/^ {2}- `([^`]+)`: (.+)$/gm)].map(([, path, titles]) => ({
  path: path!,
  titles: [...titles!.matchAll(/"([^"]+)"/g)].map(([, title]) => title!),
}));

test("every fault names the tests that fail without its mend, and they exist", () => {
  const faults = page
    .split("## Every fault")[1]!
    .split("### Known")[0]!
    .match(/^- \*\*/gm)!;
  expect(faults.length).toBeGreaterThan(15);
  expect(tests.length).toBeGreaterThanOrEqual(faults.length);
  const lost = tests.flatMap(({ path, titles }) =>
    titles
      .filter((title) => !isFile(path) || !['"', "`"].some((quote) => textOf(path).includes(quote + title + quote)))
      .map((title) => ({ path, title })),
  );
  expect(lost).toEqual([]);
  expect(tests.filter(({ titles }) => titles.length === 0)).toEqual([]);
});

test("every part of the proof has its row, and every row its part", () => {
  const section = page.split("## How each is tried")[1]!.split("\n### ")[0]!;
  const rows = [...section.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
  expect(rows).toEqual(PARTS.map(({ name }) => name));
});

test("the table of what was played has the figures of docs/reliability.json", () => {
  expect(withTable(page, readKept())).toBe(page);
  const names = new Set(PARTS.map(({ name }) => name));
  expect(Object.keys(readKept()).filter((name) => !names.has(name))).toEqual([]);
});

test("every link of the page leads to a file and a heading", () => expect(brokenLinks(PAGE)).toEqual([]));
