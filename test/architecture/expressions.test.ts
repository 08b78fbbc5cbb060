/** No regular expression that ships can be kept busy by the text that it is given: one thread carries everybody. */
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
  ["two repetitions that share what they take", "/^\\s*([\\w ]+?)\\s*=/", "more than linear"],
  ["an end that is looked for from each place anew", "/ +$/", "more than linear"],
  ["the like across lines", "/^[\\s]*Expected:[\\s]*\\n[\\s]*$/m", "more than linear"],
  ["one that is made of a literal text", 'new RegExp("(x+x+)+y")', "exponential"],
])("%s is refused, and its healthy neighbour is not", (_what, planted, words) => {
  const text = `export const fine = /^[a-z]{1,8}$/;\nexport const bad = ${planted};\n`;
  const complaints = slowExpressions(new Map([["shared/core/planted.ts", text]]));
  expect(complaints.length).toBeGreaterThan(0);
  for (const complaint of complaints) expect(complaint).toMatch(/^shared\/core\/planted\.ts:2 /);
  expect(complaints.join("\n")).toContain(words);
});

test("one that is made of a text nobody can read is refused, unless it is named with its reason", () => {
  const text = "export const made = (of: string) => new RegExp(of);\n";
  const complaints = slowExpressions(new Map([["functions/cli/planted.ts", text]]));
  expect(complaints).toEqual(["functions/cli/planted.ts:1 makes an expression of a text"]);
});

test("what does not ship may take its time", () => {
  expect(slowExpressions(new Map([["test/planted.ts", "export const slow = /(a+)+$/;\n"]]))).toEqual([]);
});
