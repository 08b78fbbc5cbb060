/** Tests the table of invocations: its columns, widths and ages, and that it makes texts of the server harmless. */
import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import { ageText } from "../../../functions/cli/text/moment.ts";
import { invocationTable } from "../../../functions/cli/text/invocation-table.ts";
import { END_OUTCOMES } from "../../../shared/core/invocation/end-outcome.ts";
import { PRESENTED } from "../../../shared/core/query/status-words.ts";
import type { InvocationSummaryBody } from "../../../shared/api/contract/invocations.ts";
import { OUTCOME_WORDS, STATUS_WORDS } from "../../../shared/api/wire/status-words.ts";

const NOW_MS = Date.parse("2030-01-01T00:00:00Z");
const ID = `inv_${"x".repeat(34)}`;

const plain: InvocationSummaryBody = {
  id: ID,
  target: "Worker/run",
  target_service_name: "Worker",
  target_handler_name: "run",
  status: "suspended",
  created_at: "2029-12-31T23:58:55.000Z",
};
const failing: InvocationSummaryBody = {
  ...plain,
  target: `Worker/${"long-name-".repeat(8)}`,
  status: "backing-off",
  attempts: 12,
  next_retry_at: "2030-01-01T00:00:42.500Z",
  error: { code: "RT0007", message: `the handler failed: ${"again and ".repeat(20)}` },
};

const lines = (width: number, ...invocations: readonly InvocationSummaryBody[]): readonly string[] =>
  invocationTable(picocolors.createColors(false), invocations, { width, nowMs: NOW_MS }).split("\n");

describe("the table", () => {
  it("has only the columns with content", () => {
    expect(lines(120, plain)).toEqual([
      "ID                                      TARGET      STATUS     AGE",
      `${ID}  Worker/run  suspended   1m`,
    ]);
  });

  it.each([120, 160, 200])("has one line of at most %i characters for each invocation", (width) => {
    const [heads, first, second, ...more] = lines(width, plain, failing);
    expect(heads).toMatch(/^ID +TARGET +STATUS +AGE +ATTEMPTS +NEXT RETRY +ERROR$/);
    expect(first).toMatch(/ Worker\/run +suspended +1m$/);
    expect(second).toMatch(/ Worker\/long\S*… +backing-off +1m +12 {2}in 42s +RT0007 the h.*…$/);
    expect(second!.length).toBe(width);
    expect(more).toEqual([]);
  });

  it.each([80, 100, 110])("has a second line for the error where the terminal has %i columns", (width) => {
    const [heads, first, second, third, ...more] = lines(width, failing, plain);
    expect(heads).toMatch(/^ID +TARGET +STATUS +AGE$/);
    expect(first).toMatch(/ Worker\/long\S*… +backing-off +1m$/);
    expect(second).toMatch(/^ {2}12 attempts, next in 42s: RT0007 the handler failed: again.*…$/);
    expect(third).toMatch(/ Worker\/run +suspended +1m$/);
    expect(Math.max(...[heads, first, second, third].map((line) => line!.length))).toBe(width);
    expect(more).toEqual([]);
  });

  it("gets no further line and no colour from a text of the server", () => {
    const text = lines(120, { ...plain, target: "Worker/run/a\n\u001b[31mb", status: "su\nspended" as never }).join(
      "\n",
    );
    expect(text.split("\n")).toHaveLength(2);
    expect(text).not.toContain("\u001b");
  });
});

describe("an age", () => {
  it.each([
    [-5, "0s"],
    [59_999, "59s"],
    [60_000, "1m"],
    [3_599_999, "59m"],
    [3_600_000, "1h"],
    [172_799_999, "47h"],
    [172_800_000, "2d"],
  ])("of %i ms is %s", (ageMs, text) => expect(ageText(ageMs)).toBe(text));
});

describe("the words of filters", () => {
  it("are those of the engine", () => {
    expect(OUTCOME_WORDS).toEqual(END_OUTCOMES);
    expect(new Set(STATUS_WORDS)).toEqual(new Set(["open", ...PRESENTED]));
  });
});
