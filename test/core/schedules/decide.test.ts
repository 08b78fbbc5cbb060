/** What a schedule does at a moment: overlap, catch-up, count, jitter, pauses, changes and backfills. */
import { describe, expect, test } from "vitest";
import type { InvocationId, ScheduleId } from "../../../shared/core/model/ids.ts";
import { decide } from "../../../shared/core/schedules/decide.ts";
import { dueAtMs } from "../../../shared/core/schedules/moments.ts";
import type { OverlapPolicy, Schedule } from "../../../shared/core/schedules/schedule.ts";
import {
  changed,
  firstState,
  OPEN_MAX,
  resumed,
  type ScheduleState,
  withoutOpen,
  withStarted,
} from "../../../shared/core/schedules/schedule-state.ts";
import { schedulePlan } from "../../harness/engine/schedule-plan.ts";

const MINUTE_MS = 60_000;
const NONE = (): undefined => undefined;

const scheduleOf = (given: Partial<Schedule> = {}): Schedule => ({
  ...schedulePlan(),
  id: "sch_1" as ScheduleId,
  generation: 1,
  createdAtMs: 0,
  changedAtMs: 0,
  ...given,
});

/** Takes all decisions at a moment. Started runs stay open. */
function played(schedule: Schedule, from: ScheduleState, nowMs: number) {
  const did: string[] = [];
  for (let state = from; ;) {
    const decision = decide({ schedule, state, nextCron: NONE, nowMs });
    if (decision.kind === "wait") return { did, state, untilMs: decision.untilMs };
    if (decision.kind === "start") {
      const { run } = decision;
      did.push(`start ${run.key}`);
      state = withStarted(decision.state, { ...run, invocationId: "inv_1" as InvocationId, startedAtMs: nowMs });
    } else {
      const newest = decision.state.recent[0];
      if (decision.kind === "cancel") did.push(`cancel ${decision.runs.map(({ key }) => key).join()}`);
      else if (newest !== undefined && newest !== state.recent[0]) did.push(`${newest.outcome} ${newest.key}`);
      else did.push("wait");
      state = decision.state;
    }
  }
}

const ended = (state: ScheduleState, key: string): ScheduleState =>
  withoutOpen(state, key, { outcome: "succeeded", endedAtMs: 0 })!;

describe("while an earlier run is open, a tick", () => {
  const twoMoreTicks = (overlap: OverlapPolicy) => {
    const schedule = scheduleOf({ overlap });
    const first = played(schedule, firstState(schedule, NONE, 0), MINUTE_MS);
    expect(first.did).toEqual(["start t1.60000"]);
    const second = played(schedule, first.state, 2 * MINUTE_MS);
    const third = played(schedule, second.state, 3 * MINUTE_MS);
    const after = played(schedule, ended(third.state, "t1.60000"), 3 * MINUTE_MS);
    return [second.did, third.did, after.did];
  };

  test("is left out under skip", () => {
    expect(twoMoreTicks("skip")).toEqual([["skipped t1.120000"], ["skipped t1.180000"], []]);
  });
  test("waits under buffer-one, and a further one is left out", () => {
    expect(twoMoreTicks("buffer-one")).toEqual([["wait"], ["skipped t1.180000"], ["start t1.120000"]]);
  });
  test("waits in order under buffer-all", () => {
    expect(twoMoreTicks("buffer-all")).toEqual([["wait"], ["wait"], ["start t1.120000"]]);
  });
  test("cancels the earlier one under cancel-running, and the latest tick runs after its end", () => {
    expect(twoMoreTicks("cancel-running")).toEqual([
      ["wait", "cancel t1.60000"],
      ["skipped t1.120000"],
      ["start t1.180000"],
    ]);
  });
  test("starts beside it under allow", () => {
    expect(twoMoreTicks("allow")).toEqual([["start t1.120000"], ["start t1.180000"], []]);
  });
});

test("after an outage, ticks within the catch-up window run, and the others are missed in one step", () => {
  const schedule = scheduleOf({ catchUpMs: 2 * MINUTE_MS });
  const { did, state } = played(schedule, firstState(schedule, NONE, 0), 60 * MINUTE_MS);
  expect(did).toEqual(["missed t1.60000", "start t1.3480000", "start t1.3540000", "start t1.3600000"]);
  expect(state.recent.at(-1)).toMatchObject({ outcome: "missed", untilMs: 3_480_000 });
});

test("after as many ticks as the count none follows", () => {
  const schedule = scheduleOf({ count: 2 });
  const { did, state, untilMs } = played(schedule, firstState(schedule, NONE, 0), 10 * MINUTE_MS);
  expect(did).toEqual(["start t1.60000", "start t1.120000"]);
  expect([state.nextMs, untilMs]).toEqual([undefined, undefined]);
});

test("start and end bound the moments, and an interval counts from the start", () => {
  const schedule = scheduleOf({ startAtMs: 90_000, endAtMs: 160_000 });
  expect(played(schedule, firstState(schedule, NONE, 0), 10 * MINUTE_MS).did).toEqual([
    "start t1.90000",
    "start t1.150000",
  ]);
});

test("the jitter follows from schedule and moment, and stays within its bound", () => {
  const schedule = scheduleOf({ jitterMs: 30_000 });
  const late = Array.from({ length: 100 }, (_, at) => dueAtMs(schedule, at * MINUTE_MS) - at * MINUTE_MS);
  expect(late.every((ms) => ms >= 0 && ms <= 30_000)).toBe(true);
  expect(new Set(late).size).toBeGreaterThan(50);
  expect(dueAtMs(schedule, MINUTE_MS)).toBe(dueAtMs(schedule, MINUTE_MS));
  const due = dueAtMs(schedule, MINUTE_MS);
  const first = firstState(schedule, NONE, 0);
  expect(played(schedule, first, due - 1)).toMatchObject({ did: [], untilMs: due });
  expect(played(schedule, first, due).did).toEqual(["start t1.60000"]);
});

test("a paused schedule starts nothing, and the moments of the pause do not count", () => {
  const schedule = scheduleOf();
  const paused = { ...firstState(schedule, NONE, 0), pause: { atMs: 1 } };
  expect(played(schedule, paused, 5 * MINUTE_MS)).toMatchObject({ did: [], untilMs: undefined });
  const state = resumed({ schedule, state: paused }, NONE, 5 * MINUTE_MS);
  expect(played(schedule, state, 5 * MINUTE_MS)).toMatchObject({ did: [], untilMs: 6 * MINUTE_MS });
});

test("a change of what runs begins a generation and loses no moment; a change of when counts from now on", () => {
  const schedule = scheduleOf();
  const state = firstState(schedule, NONE, 0);
  const nowMs = 2.5 * MINUTE_MS;
  const other = changed({ schedule, state }, schedulePlan({ input: new Uint8Array(1) }), NONE, nowMs);
  expect([other.schedule.generation, other.state.nextMs]).toEqual([2, MINUTE_MS]);
  const later = changed(
    { schedule, state },
    schedulePlan({ timing: { kind: "interval", everyMs: 120_000 } }),
    NONE,
    nowMs,
  );
  expect([later.schedule.generation, later.state.nextMs]).toEqual([2, 4 * MINUTE_MS]);
  const policy = changed({ schedule, state }, schedulePlan({ overlap: "skip" }), NONE, nowMs);
  expect([policy.schedule.generation, policy.state.nextMs]).toEqual([1, MINUTE_MS]);
});

test("a backfill runs its moments in order, as many at a time as allowed, also while the schedule is paused", () => {
  const schedule = scheduleOf();
  const backfill = { id: "x", fromMs: MINUTE_MS, belowMs: 4 * MINUTE_MS, nextMs: MINUTE_MS, total: 3, started: 0 };
  const state: ScheduleState = {
    ...firstState(schedule, NONE, 100 * MINUTE_MS),
    pause: { atMs: 1 },
    backfills: [{ ...backfill, concurrency: 2, createdAtMs: 0 }],
  };
  const first = played(schedule, state, 100 * MINUTE_MS);
  expect(first.did).toEqual(["start b.x.60000", "start b.x.120000"]);
  const second = played(schedule, ended(first.state, "b.x.60000"), 100 * MINUTE_MS);
  expect(second.did).toEqual(["start b.x.180000"]);
  const last = ended(ended(second.state, "b.x.120000"), "b.x.180000");
  expect([last.backfills, last.open]).toEqual([[], []]);
});

test("of too many open runs the oldest is followed no longer", () => {
  const schedule = scheduleOf();
  const { state } = played(schedule, firstState(schedule, NONE, 0), (OPEN_MAX + 1) * MINUTE_MS);
  expect(state.open).toHaveLength(OPEN_MAX);
  expect(state.recent[0]).toMatchObject({ key: "t1.60000", outcome: "untracked" });
});

test("an end that is noted twice counts once", () => {
  const schedule = scheduleOf();
  const { state } = played(schedule, firstState(schedule, NONE, 0), MINUTE_MS);
  expect(withoutOpen(ended(state, "t1.60000"), "t1.60000", { outcome: "failed", endedAtMs: 1 })).toBeUndefined();
});
