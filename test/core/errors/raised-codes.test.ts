/** The table and the sources agree: what is in the table is raised somewhere, and what is raised is in the table. */
import { expect, test } from "vitest";
import { ERROR_CODES } from "../../../shared/core/errors/error-table.ts";
import { readSourceTree, ROOT } from "../../architecture/source-tree.ts";

test("every code is raised in the sources, and no other is", () => {
  const raised = new Set<string>();
  for (const [path, text] of readSourceTree(ROOT)) {
    const isSource = /^(?:shared|functions)\/.*\.ts$/.test(path) && !path.startsWith("shared/core/errors/");
    if (isSource) for (const [, code] of text.matchAll(/"((?:META|RT)\d{4})"/g)) raised.add(code!);
  }
  expect([...raised].sort((a, b) => a.localeCompare(b))).toEqual([...ERROR_CODES].sort((a, b) => a.localeCompare(b)));
});
