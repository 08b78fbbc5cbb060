/** Writes the table of differences as a page, and fails if the page is out of date. */
import { expect, test } from "vitest";
import { DIFFERENCES } from "./differences.ts";

test("differences.md has the rows of the table (written with --update)", async () => {
  const rows = DIFFERENCES.map(
    ({ what, ours, theirs, reason, decidedBy }) => `| ${[what, ours, theirs, reason, decidedBy].join(" | ")} |`,
  );
  const page = [
    "# How drawn programs look on Stepwell and on the reference server",
    "",
    "Written from `differences.ts`, which the comparison consults; everything else that it compares is equal. The reference is the",
    "server 1.7.12 with its default settings.",
    "",
    "| What | Stepwell | Reference | Reason | Decided by |",
    "|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
  await expect(page).toMatchFileSnapshot("differences.md");
});
