/** The repository keeps the architecture rules; `planted.test.ts` shows what each rule catches. */
import { expect, test } from "vitest";
import * as rules from "./house-rules.ts";
import { ROOT, readSourceTree } from "./source-tree.ts";

/** Far below the real count; if the check finds fewer modules or imports, it fails. */
const MODULES_MIN = 50;

const tree = readSourceTree(ROOT);
const modules = rules.readModules(tree);

test("the check reads the sources, and sees their imports", () => {
  const shipped = modules.filter(({ path }) => /^(shared|functions)\//.test(path));
  expect(shipped.length).toBeGreaterThanOrEqual(MODULES_MIN);
  expect(shipped.flatMap(({ imports }) => imports).length).toBeGreaterThanOrEqual(MODULES_MIN);
});

test("imports go only in the allowed directions", () => expect(rules.forbiddenImports(modules)).toEqual([]));
test("no files import each other in a circle", () => expect(rules.circles(modules)).toEqual([]));
test("no folders import each other in a circle", () => expect(rules.folderCircles(modules)).toEqual([]));
test("no module exports an imported name again", () => expect(rules.reexports(modules)).toEqual([]));
test("folders and files have meaningful names", () => expect(rules.badNames(tree)).toEqual([]));
test("each shipped file opens with a sentence", () => expect(rules.withoutOpening(modules)).toEqual([]));
test("the top level has only the listed names, and no folder contains only a README", () => {
  expect(rules.strangersAndEmptyRooms(tree)).toEqual([]);
});
test("each main folder has a README, and a README fits on a screen", () => expect(rules.readmes(tree)).toEqual([]));
test("a README names each room below it", () => expect(rules.unnamedRooms(tree)).toEqual([]));
test("code imports only declared packages, and shipped code imports each dependency", () => {
  expect(rules.undeclaredOrUnused(tree, modules)).toEqual([]);
});
test("each folder that is named in the allow-list of imports has files", () =>
  expect(rules.roomsWithoutFiles(tree)).toEqual([]));

test("no file is so long that it must have several thoughts", () => {
  for (const long of rules.tooLong(modules, rules.LINES_TO_LOOK_TWICE)) console.log(`look twice: ${long}`);
  expect(rules.tooLong(modules)).toEqual([]);
});

test("suites in worker threads keep the library of the stores loaded", () => {
  expect(rules.namedPools(tree)).toEqual([]);
  // No test of this project opens a store, so the library is here only because the main thread of vitest holds it.
  const { sharedObjects } = process.report.getReport() as unknown as { sharedObjects: readonly string[] };
  expect(sharedObjects).toContainEqual(expect.stringMatching(/classic-level.*\.node$/));
});
