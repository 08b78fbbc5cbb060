/**
 * Tests how the failure of an attempt is compared with the journal. A deployment writes the message and can make it very long, so
 * the code searches only its beginning.
 */
import { expect, test } from "vitest";
import { besideJournal } from "../../../shared/core/invocation/mismatch.ts";
import { append, EMPTY_JOURNAL } from "../../../shared/core/invocation/journal.ts";
import { INPUT, invocationIn, run } from "./sample-invocation.ts";
import { computedMs } from "../../processor-time.ts";

/** In the square of its length, a message would take minutes. */
const COMPUTED_MAX_MS = 5_000;
const { journal } = invocationIn("running");

const failure = (message: string) => ({
  errorCode: "RT0016",
  code: 570,
  message,
  atMs: 1,
  relatedCommand: { index: 0, type: "Run" },
});

test.each([
  ["newlines", "\n".repeat(300_000)],
  ["spaces", " ".repeat(300_000)],
  ["half a difference", " a: b !=".repeat(40_000)],
  ["one long word", ` ${"a".repeat(300_000)}`],
])("at least 300,000 bytes of %s are read with little work", (_what, message) => {
  const startedMs = computedMs();
  const told = besideJournal(failure(message), journal, "dp_1");
  expect(computedMs() - startedMs).toBeLessThan(COMPUTED_MAX_MS);
  expect(told.message.length).toBeLessThan(10_000);
});

test("of several lines with a difference, the first one is shown", () => {
  const told = besideJournal(failure("mismatch\n  name: one != two\n  key: a != b"), journal, "dp_1");
  expect(told.mismatch?.field).toEqual({ name: "name", recorded: "one", offered: "two" });
});

test.each([
  ["first", "charge != refund"],
  ["second", "refund != charge"],
])(
  "the name in the journal is shown as the recorded one, also when the report of the SDK puts it %s",
  (_how, difference) => {
    const named = append(EMPTY_JOURNAL, [INPUT, { ...run(1), name: "charge" }]);
    const report = {
      ...failure(`mismatch\n  name: ${difference}`),
      relatedCommand: { index: 1, type: "Run", name: "refund" },
    };
    const told = besideJournal(report, named, "dp_1");
    expect(told.mismatch?.field).toEqual({ name: "name", recorded: "charge", offered: "refund" });
    expect(told.message).toContain("name: 'charge' there, 'refund' here");
  },
);
