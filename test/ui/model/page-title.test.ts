/** Tests the title of the tab, the sentence for screen readers, and the fold of a long text. */
import { expect, test } from "vitest";
import { changesText } from "../../../ui/model/invocation-actions.ts";
import { foldedText } from "../../../ui/model/visible-text.ts";
import { invocationSubject, needsSubject, pageTitle } from "../../../ui/model/page-title.ts";
import { parseRoute } from "../../../ui/model/route.ts";

test("the title names the target and the status of an invocation, the glyph first", () => {
  const subject = invocationSubject({ target: "Billing/charge", status: "completed", outcome: "failed" });
  expect(pageTitle(parseRoute("#/invocations/inv_1"), subject)).toBe(
    "✕ Billing/charge failed · invocations · Stepwell",
  );
  expect(invocationSubject({ target: "a\u202eb", status: "running" })).toBe("▶ a\\u{202e}b running");
});

test("without a subject the title names the segment of the address", () => {
  expect(pageTitle(parseRoute("#/services/Cart"), undefined)).toBe("Cart · services · Stepwell");
  expect(pageTitle(parseRoute(""), undefined)).toBe("overview · Stepwell");
  expect(pageTitle(undefined, undefined)).toBe("Stepwell");
});

test("the overview's title counts what needs the operator", () => {
  expect([needsSubject(0), needsSubject(1), needsSubject(3)]).toEqual([undefined, "! 1 needs you", "! 3 need you"]);
});

test("a change is said with the step that runs, and without seconds", () => {
  const step = { name: "chunk 94", since: "2026-11-24T13:00:00Z" };
  const waits = [{ kind: "attempt" as const, since: step.since, step }];
  expect(changesText({ status: "running", entry_count: 1_200, waits_for: waits })).toBe(
    "running, runs chunk 94, 1,200 entries",
  );
  expect(changesText({ status: "completed", outcome: "failed", entry_count: 1 })).toBe("failed, 1 entry");
});

test("a long text is folded to its beginning, and a short one stays whole", () => {
  expect(foldedText("short\nand\nplain")).toEqual({ shown: "short\nand\nplain", hiddenChars: 0 });
  const folded = foldedText("x".repeat(10_000));
  expect([folded.shown.length < 700, folded.hiddenChars > 9_000]).toEqual([true, true]);
  expect(foldedText("line\n".repeat(40)).shown.split("\n")).toHaveLength(6);
  expect(foldedText(`${"x".repeat(650)}`).hiddenChars).toBe(0);
});
