/** Each link of each page leads to a file of the repository, and to a heading of it. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { brokenLinks, linksOf } from "./page-text.ts";

const ROOT = new URL("../../", import.meta.url);
const pages = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.md"], { cwd: ROOT, encoding: "utf8" })
  .trim()
  .split("\n");

test("no link of a page leads nowhere", () => {
  expect(pages.flatMap(linksOf).length).toBeGreaterThan(200);
  expect(pages.flatMap(brokenLinks)).toEqual([]);
});
