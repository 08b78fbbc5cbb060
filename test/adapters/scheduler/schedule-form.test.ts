/** Tests the names and moments of schedules, and refused options of timers. */
import { expect, test } from "vitest";
import {
  scheduleExpression,
  scheduleName,
  SchedulerTimers,
  type SchedulerTimersOptions,
} from "../../../shared/adapters/scheduler/scheduler-timers.ts";
import { LadderTimers, type LadderTimersOptions } from "../../../shared/adapters/scheduler/ladder-timers.ts";
import { invocation } from "../../contracts/queue-contract.ts";

test("any timer name gives a valid schedule name", () => {
  for (const name of ["", "a", `${invocation(1)}.00000000001.suspended.12.3`, "ü/ :$".repeat(50), "x".repeat(500)]) {
    expect(scheduleName(name)).toMatch(/^[0-9a-zA-Z_.-]{1,64}$/);
  }
});

test("equal names stay equal, and names that differ anywhere stay different", () => {
  const name = `${invocation(1)}.00000000001.suspended.12.3`;
  expect(scheduleName(name)).toBe(scheduleName(name));
  const others = ["", "a", "a.b", "a_b", "a/b", name, `${name}1`, `${name.slice(0, -1)}4`, "x".repeat(499)];
  expect(new Set(others.map(scheduleName)).size).toBe(others.length);
});

test("a schedule's name begins with the invocation that it wakes", () => {
  expect(scheduleName(`${invocation(7)}.nonce.start`).startsWith(`${invocation(7)}.`)).toBe(true);
});

test("a moment is written in whole seconds of UTC, rounded down", () => {
  expect(scheduleExpression(Date.UTC(2026, 10, 21, 7, 5, 9, 999))).toBe("at(2026-11-21T07:05:09)");
});

test.each([
  { earlyMs: 60_000, nearMs: 60_000 },
  { earlyMs: 600_000, nearMs: 900_001 },
  { earlyMs: 600_000 },
  { earlyMs: -1 },
  { earlyMs: Number.NaN },
])("%o are refused, because they break 0 ≤ earlyMs < nearMs ≤ the longest delay of the queue", (times) => {
  expect(() => new SchedulerTimers(times as unknown as SchedulerTimersOptions)).toThrow(RangeError);
});

test.each([0, -1, 900_001, Number.NaN])("a hop of %d ms is refused", (hopMs) => {
  expect(() => new LadderTimers({ hopMs } as LadderTimersOptions)).toThrow(RangeError);
});
