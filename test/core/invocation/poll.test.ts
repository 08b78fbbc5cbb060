/** Tests the decisions of a poll, and when an invocation expires. */
import { describe, expect, test } from "vitest";
import { advance } from "../../../shared/core/invocation/advance.ts";
import type { Arrival } from "../../../shared/core/invocation/event.ts";
import { expiresAtMs, type Invocation, type Status } from "../../../shared/core/invocation/invocation.ts";
import { append } from "../../../shared/core/invocation/journal.ts";
import type { Transition } from "../../../shared/core/invocation/transition.ts";
import {
  ACCEPTANCE,
  arrival,
  cancelArrived,
  completionArrived,
  invocationIn,
  KILL_ARRIVED,
  LATER_MS,
  poll,
  NOW_MS,
  signal,
  sleep,
} from "./sample-invocation.ts";

/** Describes the step, or the failure if the segment ends the invocation with a failure. */
function told({ step, segment }: Transition): string {
  if (step.kind === "park") return `park ${step.status}`;
  if (step.kind === "attempt") return `attempt with ${step.take.map(({ key }) => key).join(" and ") || "nothing"}`;
  const after = segment?.after;
  if (after?.kind !== "completed" || after.result.kind !== "failure") return step.kind;
  const { code, message } = after.result.failure;
  return `${code} ${message}${after.tombstone ? ", tombstone" : ""}`;
}

type Row = readonly [status: Status, none: string, completion: string, cancel: string, kill: string];

const ROWS: readonly Row[] = [
  ["scheduled", "park scheduled", "park scheduled", "409 canceled, tombstone", "409 killed, tombstone"],
  ["pending", "acquire", "acquire", "409 canceled, tombstone", "409 killed, tombstone"],
  ["ready", "attempt with nothing", "attempt with c1", "409 canceled, tombstone", "409 killed, tombstone"],
  ["running", "attempt with nothing", "attempt with c1", "attempt with xcancel", "409 killed"],
  ["backing-off", "park backing-off", "park backing-off", "attempt with xcancel", "409 killed"],
  ["suspended", "park suspended", "attempt with c1", "attempt with xcancel", "409 killed"],
  ["paused", "park paused", "park paused", "attempt with xcancel", "409 killed"],
  ["completed", "end", "end", "end", "end"],
];

describe("a poll", () => {
  const cases = ROWS.flatMap(([status, none, completion, cancel, kill]) => [
    { status, brought: "nothing", arrivals: [] as Arrival[], expected: none },
    { status, brought: "a completion", arrivals: [completionArrived(1)], expected: completion },
    { status, brought: "a cancel", arrivals: [cancelArrived()], expected: cancel },
    { status, brought: "a kill", arrivals: [KILL_ARRIVED], expected: kill },
    { status, brought: "a kill beside a cancel", arrivals: [cancelArrived(), KILL_ARRIVED], expected: kill },
  ]);
  test.each(cases)("at $status with $brought: $expected", ({ status, arrivals, expected }) => {
    expect(told(advance(invocationIn(status), poll(arrivals)))).toBe(expected);
  });

  test("starts a scheduled invocation at its moment, and not a millisecond before", () => {
    const invocation = invocationIn("scheduled");
    const early = advance(invocation, poll([], LATER_MS - 1)).step;
    expect(early).toEqual({ kind: "park", status: "scheduled", wakeAtMs: LATER_MS });
    expect(advance(invocation, poll([], LATER_MS)).step.kind).toBe("attempt");
  });

  test("retries a backing-off invocation at its moment, and not a millisecond before", () => {
    const invocation = invocationIn("backing-off");
    const early = advance(invocation, poll([], LATER_MS - 1)).step;
    expect(early).toEqual({ kind: "park", status: "backing-off", wakeAtMs: LATER_MS });
    expect(advance(invocation, poll([], LATER_MS)).step.kind).toBe("attempt");
  });

  test("starts an attempt of an exclusive handler only if the invocation holds its key", () => {
    const exclusive = { ...ACCEPTANCE, handlerType: "exclusive" as const };
    for (const status of ["ready", "running", "pending"] as const) {
      const invocation = invocationIn(status, { acceptance: exclusive });
      expect(advance(invocation, poll()).step.kind).toBe("acquire");
      expect(advance(invocation, { ...poll(), holdsLock: true }).step.kind).toBe("attempt");
    }
  });

  test("counts the attempt that it starts", () => {
    const { next } = advance(invocationIn("running", { attempts: 4 }), poll());
    expect(next.attempts).toBe(5);
    expect(next.phase.status).toBe("running");
  });

  test("resets the retries if a cancel resumes a paused invocation", () => {
    const retries = { policyAttempts: 7, sinceEntry: 3 };
    const { next } = advance(invocationIn("paused", { retries }), poll([cancelArrived()]));
    expect(next.retries).toEqual({ policyAttempts: 0, sinceEntry: 0 });
  });

  test("leaves no tombstone for a killed invocation that had an attempt", () => {
    const { segment } = advance(invocationIn("ready", { attempts: 1 }), poll([KILL_ARRIVED]));
    expect(segment?.after).toMatchObject({ kind: "completed", tombstone: false, killed: true });
  });

  test("sends arrivals in the order of their moments, and by key within one moment", () => {
    const arrivals = [
      arrival("xb", signal(20), NOW_MS - 5),
      arrival("c9", signal(19), NOW_MS - 1),
      arrival("xa", signal(18), NOW_MS - 5),
      arrival("c1", signal(17), NOW_MS - 9),
    ];
    const { step } = advance(invocationIn("running"), poll(arrivals));
    expect(step.kind === "attempt" && step.take.map(({ key }) => key)).toEqual(["c1", "xa", "xb", "c9"]);
  });

  test("sends sleeps that are over, in the order of their moments, except those whose completion has arrived", () => {
    const invocation = withEntries(invocationIn("running"), [
      sleep(2, NOW_MS - 1),
      sleep(3, NOW_MS - 7),
      sleep(4, NOW_MS),
      sleep(5, NOW_MS + 1),
      sleep(6, NOW_MS - 3),
    ]);
    const { step } = advance(invocation, poll([completionArrived(6)]));
    expect(step.kind === "attempt" && step.dueSleeps).toEqual([3, 2, 4]);
  });
});

describe("a tombstone", () => {
  test("expires at once", () => {
    const { next } = advance(invocationIn("ready"), poll([cancelArrived()]));
    expect(expiresAtMs(next)).toBe(NOW_MS);
  });

  test("is left only by an invocation that had no attempt", () => {
    const { next } = advance(invocationIn("suspended"), poll([KILL_ARRIVED]));
    expect(expiresAtMs(next)).toBe(NOW_MS + next.acceptance.completionRetentionMs);
  });
});

test("an open invocation does not expire", () => {
  expect(expiresAtMs(invocationIn("suspended"))).toBeUndefined();
});

test("a completed invocation expires when its retention is over", () => {
  const invocation = invocationIn("completed");
  const { phase } = invocation;
  if (phase.status !== "completed") throw new Error("the sample is not completed");
  const acceptance = { ...invocation.acceptance, completionRetentionMs: 0 };
  expect(expiresAtMs({ ...invocation, acceptance })).toBe(phase.endedAtMs);
});

function withEntries(invocation: Invocation, entries: Parameters<typeof append>[1]): Invocation {
  return { ...invocation, journal: append(invocation.journal, entries) };
}
