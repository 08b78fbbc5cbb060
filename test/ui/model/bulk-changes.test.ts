/** Tests changes of many invocations: the statuses that they apply to, and the progress of a run. */
import { expect, test } from "vitest";
import {
  advanced,
  appliesTo,
  begun,
  BULK_CHANGES,
  matchingFilter,
  progressText,
} from "../../../ui/model/bulk-changes.ts";
import { NO_FILTER } from "../../../ui/model/invocation-filter.ts";

const change = (name: string) => BULK_CHANGES.find((one) => one.name === name)!;

test.each<[Parameters<typeof change>[0], Parameters<typeof appliesTo>[1], boolean]>([
  ["cancel", "running", true],
  ["cancel", "completed", false],
  ["pause", "paused", false],
  ["resume", "paused", true],
  ["resume", "backing-off", true],
  ["resume", "running", false],
  ["purge", "suspended", false],
  ["purge", "completed", true],
  ["restart", "completed", true],
])("%s applies to an invocation that is %s: %s", (name, status, applies) =>
  expect(appliesTo(change(name), status)).toBe(applies),
);

test("a filter without a status selects the same statuses as the command of the CLI", () => {
  expect(matchingFilter(change("kill"), NO_FILTER).status).toEqual(["open"]);
  expect(matchingFilter(change("restart"), NO_FILTER)).toMatchObject({ status: [], outcome: ["failed"] });
  const own = { ...NO_FILTER, outcome: ["killed"] };
  expect(matchingFilter(change("restart"), own)).toEqual(own);
});

test("a run counts done, noted, refused and left invocations, batch by batch", () => {
  const first = advanced(begun(["a", "b", "c", "d"]), ["a", "b", "c"], {
    succeeded: ["a", "b"],
    failed: [{ invocation_id: "c", error: "it has ended" }],
    noted: ["b"],
  });
  expect(first).toMatchObject({ done: 1, noted: 1, left: ["d"], refused: [{ id: "c", message: "it has ended" }] });
  expect(progressText(change("pause"), first)).toBe(
    "Paused 1 of 4 · Pausing 1, recorded and applied later · 1 refused · 1 left",
  );
});

test("an id that the answer leaves out counts as refused", () => {
  expect(advanced(begun(["a"]), ["a"], { succeeded: [], failed: [] }).refused).toEqual([
    { id: "a", outcome: "unanswered" },
  ]);
});
