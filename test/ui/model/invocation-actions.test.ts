/** Tests the actions on the page of an invocation: in each status, the page offers only actions that the server accepts. */
import { describe, expect, test } from "vitest";
import type { InvocationBody } from "../../../shared/api/contract/invocations.ts";
import {
  ACTIONS,
  actionLine,
  actionPath,
  actionsFor,
  askText,
  ordersOf,
  progressOf,
  restartText,
  wordsOf,
  type ActionName,
} from "../../../ui/model/invocation-actions.ts";

type Status = InvocationBody["status"];

/**
 * The accepted actions by status, in the order of test/engine/operate/life-matrix.test.ts. That test shows that the server accepts
 * these actions.
 */
const ACCEPTED: Readonly<Record<Status, readonly ActionName[]>> = {
  scheduled: ["cancel", "kill", "pause"],
  pending: ["cancel", "kill", "pause"],
  running: ["cancel", "kill", "pause", "resume"],
  ready: ["cancel", "kill", "pause", "resume"],
  "backing-off": ["cancel", "kill", "pause", "resume"],
  suspended: ["cancel", "kill", "pause", "resume"],
  paused: ["cancel", "kill", "pause", "resume"],
  completed: ["purge", "restart-as-new"],
};

test.each(Object.entries(ACCEPTED) as [Status, readonly ActionName[]][])(
  "an invocation that is %s offers only what the server accepts",
  (status, accepted) => {
    const offered = actionsFor({ status, entry_count: 3 }, false);
    expect(offered.filter((action) => !accepted.includes(action))).toEqual([]);
    expect(offered.length).toBeGreaterThan(1);
  },
);

test("the run of a workflow, and an invocation without a journal, are not restarted", () => {
  expect(actionsFor({ status: "completed", entry_count: 3 }, true)).toEqual(["purge"]);
  expect(actionsFor({ status: "completed", entry_count: 0 }, false)).toEqual(["purge"]);
});

test.each(ACTIONS)("the words of %s say what stays or what ends", (action) => {
  const { verb, consequence } = wordsOf(action, { status: "suspended", entry_count: 3 });
  expect([verb.length > 0, /stay|deleted/.test(consequence)]).toEqual([true, true]);
});

describe("the progress of an action", () => {
  const before = { status: "suspended", entry_count: 3 } as const;
  const now = (status: string, outcome?: string) =>
    ({ ...before, status, ...(outcome !== undefined && { outcome }) }) as InvocationBody;

  test.each<[string, ActionName, InvocationBody | undefined, boolean]>([
    ["a cancel is done when the invocation has ended", "cancel", now("completed", "cancelled"), true],
    ["a cancel that the handler has not obeyed yet is not done", "cancel", now("suspended"), false],
    ["a pause is done when the invocation is paused", "pause", now("paused"), true],
    ["a pause is not done while an attempt runs", "pause", now("running"), false],
    ["a killed invocation that is gone is a success", "kill", undefined, true],
    ["a purged invocation is gone", "purge", undefined, true],
    ["a purge is not done while the invocation still exists", "purge", now("completed"), false],
    ["a resume is done when the status has changed", "resume", now("running"), true],
  ])("%s", (_, action, after, isDone) => {
    expect(progressOf(action, before, after).isDone).toBe(isDone);
  });
});

test.each([
  [0, 9, "Only the input stays"],
  [3, 9, "Entries 0 to 3 stay with their results. Entries 4 to 8 run again."],
  [7, 9, "Entry 8 runs again."],
  [8, 9, "No step of the journal runs again."],
])("a restart from entry %i of %i says what runs again", (from, count, words) => {
  expect(restartText(from, count)).toContain(words);
});

test("an action has one name: on its button, in the title of its dialog, in the API and in the CLI", () => {
  for (const status of Object.keys(ACCEPTED) as Status[]) {
    for (const action of actionsFor({ status, entry_count: 3 }, false)) {
      const { verb } = wordsOf(action, { status, entry_count: 3 });
      const [name] = action.split("-");
      expect([status, askText(action, { status, entry_count: 3 })]).toEqual([status, `${verb} …`]);
      expect([status, verb.toLowerCase()]).toEqual([status, name]);
      expect(actionLine("inv_1", action, {})).toBe(`stepwell invocations ${name} inv_1`);
      expect(actionPath("inv_1", action, {})).toBe(`invocations/inv_1/${action}`);
    }
  }
});

test("to move an invocation whose attempt is under way, the order to pause comes before the order to resume", () => {
  const options = { deployment: "dp_1" };
  expect(ordersOf("resume", { status: "running", entry_count: 3 }, options)).toEqual(["pause", "resume"]);
  expect(ordersOf("resume", { status: "backing-off", entry_count: 3 }, options)).toEqual(["resume"]);
  expect(ordersOf("resume", { status: "suspended", entry_count: 3 }, options)).toEqual(["resume"]);
  expect(ordersOf("resume", { status: "paused", entry_count: 3 }, options)).toEqual(["resume"]);
  expect(ordersOf("resume", { status: "backing-off", entry_count: 3 }, {})).toEqual(["resume"]);
  expect(ordersOf("kill", { status: "running", entry_count: 3 }, options)).toEqual(["kill"]);
  expect([actionPath("inv_1", "pause", options), actionLine("inv_1", "pause", options)]).toEqual([
    "invocations/inv_1/pause",
    "stepwell invocations pause inv_1",
  ]);
});

test("the request and the command line name the same choices", () => {
  const options = { deployment: "dp_1", from: 4 };
  expect(actionPath("inv_1", "restart-as-new", options)).toBe(
    "invocations/inv_1/restart-as-new?from=4&deployment=dp_1",
  );
  expect(actionLine("inv_1", "restart-as-new", options)).toBe(
    "stepwell invocations restart inv_1 --from 4 --deployment dp_1",
  );
  expect(actionPath("inv_1", "kill", {})).toBe("invocations/inv_1/kill");
});
