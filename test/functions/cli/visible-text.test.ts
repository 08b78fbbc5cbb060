/** Texts that others chose act on no terminal: controls, format characters and separators are replaced, or escaped in JSON. */
import { expect, test } from "vitest";
import { foreignJson, foreignLine, visibleText } from "../../../functions/cli/text/visible-text.ts";

const ACTING = {
  control: "\u001b",
  c1: "\u009b",
  bidi: "\u202e",
  isolate: "\u2066",
  "zero width": "\u200b",
  "word joiner": "\u2060",
  "byte order mark": "\ufeff",
  "line separator": "\u2028",
  "paragraph separator": "\u2029",
  tag: "\u{e0041}",
};

test.each(Object.entries(ACTING))("a %s does not act in a text, and JSON keeps its value", (_, found) => {
  expect(foreignLine(`a${found}b`)).toBe("a\ufffdb");
  expect(visibleText(`a${found}b`)).toBe("a\ufffdb");
  const json = foreignJson(`"a${found}b"`);
  expect(json).toMatch(/^[\u0020-\u007e]+$/);
  expect(JSON.parse(json)).toBe(`a${found}b`);
});

test("emoji of several characters stay as they are", () => {
  expect(foreignLine("\u{1f469}\u200d\u{1f4bb} \u2764\ufe0f")).toBe("\u{1f469}\u200d\u{1f4bb} \u2764\ufe0f");
});

test("colours stay, and nothing else of a control sequence", () => {
  expect(visibleText("\u001b[31mred\u001b[39m\u001b[2J")).toBe("\u001b[31mred\u001b[39m\ufffd[2J");
});
