/** No input can keep a shipped regular expression busy: one thread serves all services. */
import { expect, test } from "vitest";
import { countExpressions, slowExpressions } from "./slow-expressions.ts";
import { readSourceTree, ROOT } from "./source-tree.ts";

const tree = readSourceTree(ROOT);

test("every expression that ships takes linear time", () => {
  expect(countExpressions(tree)).toBeGreaterThan(100);
  expect(slowExpressions(tree)).toEqual([]);
});

test.each([
  ["a repetition inside of a repetition", "/^(?:a+)+$/", "exponential"],
  ["two repetitions that match the same text", "/^\\s*([\\w ]+?)\\s*=/", "more than linear"],
  ["a repetition before the end, which the search tries again from each place", "/ +$/", "more than linear"],
  [
    "repetitions that also match line breaks, with the flag m",
    "/^[\\s]*Expected:[\\s]*\\n[\\s]*$/m",
    "more than linear",
  ],
  ["an expression built from a literal", 'new RegExp("(x+x+)+y")', "exponential"],
])("%s is refused, and a harmless expression beside it is not", (_what, planted, words) => {
  const text = `export const fine = /^[a-z]{1,8}$/;\nexport const bad = ${planted};\n`;
  const complaints = slowExpressions(new Map([["shared/core/planted.ts", text]]));
  expect(complaints.length).toBeGreaterThan(0);
  for (const complaint of complaints) expect(complaint).toMatch(/^shared\/core\/planted\.ts:2 /);
  expect(complaints.join("\n")).toContain(words);
});

test("an expression built from an unknown string is refused", () => {
  const text = "export const made = (of: string) => new RegExp(of);\n";
  const complaints = slowExpressions(new Map([["functions/cli/planted.ts", text]]));
  expect(complaints).toEqual(["functions/cli/planted.ts:1 builds an expression from a string"]);
});

test("an expression that does not ship may be slow", () => {
  expect(slowExpressions(new Map([["test/planted.ts", "export const slow = /(a+)+$/;\n"]]))).toEqual([]);
});
