/** Each link of each page leads to a file of the repository, and to a heading of it. */
import { expect, test } from "vitest";
import { brokenLinks, linksOf, pagesOf } from "./page-text.ts";

test("no link of a page leads nowhere", () => {
  expect(pagesOf().flatMap(linksOf).length).toBeGreaterThan(200);
  expect(pagesOf().flatMap(brokenLinks)).toEqual([]);
});
