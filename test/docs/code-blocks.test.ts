/** Code on a page is a part of a file that a test runs: the comment before the block names the file. */
import { expect, test } from "vitest";
import { codeBlocks } from "./code-blocks.ts";
import { pagesOf } from "./page-text.ts";

const blocks = pagesOf().flatMap(codeBlocks);

test("pages have code of files", () => expect(blocks.length).toBeGreaterThan(0));

test.each(blocks)("$page, line $line: the code is in $file", ({ code, text }) => {
  expect(text, "the file has these lines, one after the other").toContain(code);
});
