/** Tests that the error table and the sources have the same codes. */
import { expect, test } from "vitest";
import { ERROR_CODES } from "../../../shared/core/errors/error-table.ts";
import { readSourceTree, ROOT } from "../../architecture/source-tree.ts";

test("the sources raise every code of the table, and no other", () => {
  const raised = new Set<string>();
  for (const [path, text] of readSourceTree(ROOT)) {
    const isSource = /^(?:shared|functions)\/.*\.ts$/.test(path) && !path.startsWith("shared/core/errors/");
    if (isSource) for (const [, code] of text.matchAll(/"((?:META|RT)\d{4})"/g)) raised.add(code!);
  }
  expect([...raised].sort((a, b) => a.localeCompare(b))).toEqual([...ERROR_CODES].sort((a, b) => a.localeCompare(b)));
});
