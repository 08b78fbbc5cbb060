/** The catalogue of planted mistakes names the files and rules that exist, and docs/reliability.md counts its mistakes. */
import { expect, test } from "vitest";
import { readSourceTree, ROOT } from "../architecture/source-tree.ts";
import { MISTAKES, SUITES } from "../planted/catalogue.mjs";
import { plantedSection } from "./planted-section.ts";
import { isFile, textOf } from "./page-text.ts";

const tree = readSourceTree(ROOT);
const inCatalogue = new Set(MISTAKES.map(({ file }) => file));

test("the catalogue has at least sixty mistakes, and each stands once", () => {
  expect(MISTAKES.length).toBeGreaterThanOrEqual(60);
  const names = MISTAKES.map(({ file, what }) => `${file}: ${what}`);
  expect(names).toEqual([...new Set(names)]);
});

test("every file that plants mistakes is in the catalogue, and the reverse", () => {
  const planting = [...tree].filter(
    ([path, text]) => path.endsWith(".test.ts") && /^(?:plantedTests|ruleTests)\(/m.test(text),
  );
  expect(planting.map(([path]) => path).toSorted()).toEqual([...inCatalogue].toSorted());
});

test("no suite has a file with planted mistakes that the catalogue does not know", () => {
  const folders = [...inCatalogue].map((file) => file.split("/").slice(0, 2).join("/"));
  const named = [...tree.keys()].filter(
    (path) => /planted[^/]*(?:\/.+)?\.test\.ts$/.test(path) && folders.some((folder) => path.startsWith(`${folder}/`)),
  );
  expect(named.filter((path) => !inCatalogue.has(path))).toEqual([]);
});

test("each mistake breaks an invariant of the design, or a rule that is said in words", () => {
  const invariants = [...textOf("docs/design.md").matchAll(/^### (I\d+)\. /gm)].map(([, number]) => number!);
  const unknown = MISTAKES.filter(({ breaks }) => !invariants.includes(breaks) && !/^[a-z].{15,}[^.]$/.test(breaks));
  expect(unknown).toEqual([]);
});

test("each suite of the catalogue has its configuration, which tells its tests the part of the commit", () => {
  for (const [suite, configuration] of Object.entries(SUITES)) {
    expect(isFile(configuration)).toBe(true);
    expect(textOf(configuration)).toContain(`plantedTurn("${suite}")`);
  }
});

test("docs/reliability.md counts the planted mistakes by suite", () => {
  expect(textOf("docs/reliability.md")).toContain(plantedSection());
});
