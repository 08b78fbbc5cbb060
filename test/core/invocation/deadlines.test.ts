/** Tests what the rule book decides about deadlines, status by status. */
import { describe, expect, test } from "vitest";
import { advance } from "../../../shared/core/invocation/advance.ts";
import { cancelByDeadline, deadlinesFor, nextDeadlineMs } from "../../../shared/core/invocation/deadlines.ts";
import type { Invocation, Status } from "../../../shared/core/invocation/invocation.ts";
import { newsFor } from "../../../shared/core/invocation/poll.ts";
import type { Transition } from "../../../shared/core/invocation/transition.ts";
import { LAST_MOMENT_MS } from "../../../shared/core/model/moment.ts";
import {
  ACCEPTANCE,
  attemptEnded,
  cancelArrived,
  failing,
  invocationIn,
  LATER_MS,
  NOW_MS,
  poll,
} from "./sample-invocation.ts";

const GRACE_MS = 30_000;

function bounded(
  status: Status,
  deadlines: Partial<Invocation["acceptance"]>,
  more: Partial<Invocation> = {},
): Invocation {
  const invocation = invocationIn(status, more);
  return { ...invocation, acceptance: { ...invocation.acceptance, ...deadlines } };
}

/** The step with its cancel or its moment, or the end with its code. */
function told({ step, segment }: Transition): string {
  if (step.kind === "park") return `park until ${step.wakeAtMs === undefined ? "woken" : step.wakeAtMs - NOW_MS}`;
  if (step.kind === "attempt") return `attempt with ${step.take.map(({ key }) => key).join() || "nothing"}`;
  const after = segment?.after;
  if (after?.kind !== "completed" || after.result.kind !== "failure") return step.kind;
  const { code } = after.result.failure;
  return `${code}${after.tombstone ? " tombstone" : ""}${after.killed ? " killed" : ""}`;
}

type Row = readonly [
  status: Status,
  beforeStart: string,
  lateStart: string,
  before: string,
  late: string,
  over: string,
];

const ROWS: readonly Row[] = [
  ["scheduled", "park until 1", "408", "park until 1", "504", "504"],
  ["pending", "acquire", "408", "acquire", "504", "504"],
  ["ready", "attempt with nothing", "408", "attempt with nothing", "504", "504"],
  [
    "running",
    "attempt with nothing",
    "attempt with nothing",
    "attempt with nothing",
    "attempt with deadline",
    "504 killed",
  ],
  ["backing-off", "park until 60000", "park until 60000", "park until 1", "attempt with deadline", "504 killed"],
  ["suspended", "park until woken", "park until woken", "park until 1", "attempt with deadline", "504 killed"],
  ["paused", "park until woken", "park until woken", "park until 1", "attempt with deadline", "504 killed"],
  ["completed", "end", "end", "end", "end", "end"],
];

describe("a poll", () => {
  test.each(ROWS)("of a %s invocation keeps its deadlines", (status, beforeStart, lateStart, before, late, over) => {
    const startBy = (startByMs: number) => advance(bounded(status, { startByMs }), poll());
    const endBy = (endByMs: number) => advance(bounded(status, { endByMs, endGraceMs: GRACE_MS }), poll());
    expect({
      beforeStart: told(startBy(NOW_MS + 1)),
      lateStart: told(startBy(NOW_MS)),
      before: told(endBy(NOW_MS + 1)),
      late: told(endBy(NOW_MS)),
      over: told(endBy(NOW_MS - GRACE_MS)),
    }).toEqual({ beforeStart, lateStart, before, late, over });
  });

  test("counts an invocation whose first attempt is held back as not started", () => {
    const held = bounded("backing-off", { startByMs: NOW_MS }, { attempts: 0, journal: invocationIn("ready").journal });
    expect(told(advance(held, poll()))).toBe("408");
  });

  test("ends as cancelled what a caller cancels, although its deadline has passed as well", () => {
    const invocation = bounded("ready", { endByMs: NOW_MS, endGraceMs: GRACE_MS });
    expect(told(advance(invocation, poll([cancelArrived()])))).toBe("409 tombstone");
  });

  test("gives one cancel, and parks until the kill afterwards", () => {
    const taken = bounded("suspended", { endByMs: NOW_MS, endGraceMs: GRACE_MS }, { consumed: new Set(["deadline"]) });
    expect(told(advance(taken, poll()))).toBe(`park until ${GRACE_MS}`);
    expect(cancelByDeadline(taken, NOW_MS)).toBeUndefined();
  });
});

test("the end of an attempt parks until the next deadline, and a cut after the grace leads to a poll", () => {
  const { step } = advance(bounded("running", { endByMs: NOW_MS + 5, endGraceMs: GRACE_MS }), attemptEnded(failing()));
  expect(step).toEqual({ kind: "park", status: "backing-off", wakeAtMs: NOW_MS + 5 });
  const over = bounded("running", { endByMs: NOW_MS - GRACE_MS, endGraceMs: GRACE_MS });
  expect(advance(over, attemptEnded({ kind: "cut" })).step).toEqual({ kind: "poll" });
});

test("an open exchange is sent the cancel once, and is looked at again at the next deadline", () => {
  const invocation = bounded("running", { endByMs: NOW_MS, endGraceMs: GRACE_MS });
  const news = newsFor(invocation, { atMs: NOW_MS, arrivals: [] }, new Set());
  expect([news.take.map(({ key }) => key), news.nextSleepAtMs]).toEqual([["deadline"], NOW_MS + GRACE_MS]);
  expect(newsFor(invocation, { atMs: NOW_MS, arrivals: [] }, new Set(["deadline"])).take).toEqual([]);
  expect(newsFor(invocation, { atMs: NOW_MS - 1, arrivals: [] }, new Set()).nextSleepAtMs).toBe(NOW_MS);
});

test("an invocation without deadlines has no next one", () => {
  for (const status of ["scheduled", "running", "paused"] as const)
    expect(nextDeadlineMs(invocationIn(status), NOW_MS)).toBeUndefined();
});

describe("the deadlines of a request", () => {
  const beginning = { createdAtMs: NOW_MS };
  const byHandler = { startWithinMs: 1, endWithinMs: 2 };

  test("count from the end of its delay, and replace those of the handler", () => {
    const delayed = { ...beginning, startAtMs: LATER_MS };
    expect(deadlinesFor({}, byHandler, 9, delayed)).toEqual({
      startByMs: LATER_MS + 1,
      endByMs: LATER_MS + 2,
      endGraceMs: 9,
    });
    expect(deadlinesFor({ startWithinMs: 5, endWithin: 6 }, byHandler, 9, beginning)).toEqual({
      startByMs: NOW_MS + 5,
      endByMs: NOW_MS + 6,
      endGraceMs: 9,
    });
  });

  test("inherit the moment of the caller, or else have that of the handler", () => {
    const asked = { endWithin: "inherit" } as const;
    const caller = { ...ACCEPTANCE, endByMs: LATER_MS };
    expect(deadlinesFor(asked, byHandler, 9, beginning, caller).endByMs).toBe(LATER_MS);
    expect(deadlinesFor(asked, byHandler, 9, beginning, ACCEPTANCE).endByMs).toBe(NOW_MS + 2);
    expect(deadlinesFor(asked, {}, 9, beginning, ACCEPTANCE)).toEqual({});
  });

  test("are no later than the last moment that can be shown", () => {
    expect(deadlinesFor({ endWithin: 1e15 }, {}, 9, beginning).endByMs).toBe(LAST_MOMENT_MS);
  });
});
