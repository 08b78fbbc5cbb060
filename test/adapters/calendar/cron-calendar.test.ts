/** Cron expressions in time zones: both clock changes of a year in five zones, the fields that exist, and what is refused. */
import { describe, expect, test } from "vitest";
import { CronCalendar } from "../../../shared/adapters/calendar/cron-calendar.ts";

const calendar = new CronCalendar();

/** @returns the moments after `from`, in UTC without seconds where they are 0 */
function moments(expression: string, zone: string, from: string, count: number): readonly string[] {
  const found: string[] = [];
  for (let atMs: number | undefined = Date.parse(from); found.length < count;) {
    atMs = calendar.next(expression, zone, atMs);
    if (atMs === undefined) break;
    found.push(new Date(atMs).toISOString().replace(":00.000Z", "Z"));
  }
  return found;
}

interface Change {
  readonly zone: string;
  /** A daily moment within the local hour that the change leaves out. */
  readonly missing: { readonly cron: string; readonly from: string; readonly expected: readonly string[] };
  /** A daily moment within the local hour that the change repeats. */
  readonly repeated: { readonly cron: string; readonly from: string; readonly expected: readonly string[] };
}

const CHANGES: readonly Change[] = [
  {
    zone: "Europe/Berlin",
    missing: {
      cron: "30 2 * * *",
      from: "2026-03-27T12:00Z",
      expected: ["2026-03-28T01:30Z", "2026-03-30T00:30Z"],
    },
    repeated: {
      cron: "30 2 * * *",
      from: "2026-10-24T12:00Z",
      expected: ["2026-10-25T00:30Z", "2026-10-26T01:30Z"],
    },
  },
  {
    zone: "America/New_York",
    missing: {
      cron: "30 2 * * *",
      from: "2026-03-07T00:00Z",
      expected: ["2026-03-07T07:30Z", "2026-03-09T06:30Z"],
    },
    repeated: {
      cron: "30 1 * * *",
      from: "2026-10-31T12:00Z",
      expected: ["2026-11-01T05:30Z", "2026-11-02T06:30Z"],
    },
  },
  {
    // Half an hour only, and in the other half of the year.
    zone: "Australia/Lord_Howe",
    missing: {
      cron: "15 2 * * *",
      from: "2026-10-02T12:00Z",
      expected: ["2026-10-02T15:45Z", "2026-10-04T15:15Z"],
    },
    repeated: {
      cron: "45 1 * * *",
      from: "2026-04-04T00:00Z",
      expected: ["2026-04-04T14:45Z", "2026-04-05T15:15Z"],
    },
  },
  {
    // The hour before midnight of one day, and the first one of another.
    zone: "America/Santiago",
    missing: {
      cron: "30 0 * * *",
      from: "2026-09-05T00:00Z",
      expected: ["2026-09-05T04:30Z", "2026-09-07T03:30Z"],
    },
    repeated: {
      cron: "30 23 * * *",
      from: "2026-04-04T12:00Z",
      expected: ["2026-04-05T02:30Z", "2026-04-06T03:30Z"],
    },
  },
  {
    // Winter time is the change, with a negative saving.
    zone: "Europe/Dublin",
    missing: {
      cron: "30 1 * * *",
      from: "2026-03-28T00:00Z",
      expected: ["2026-03-28T01:30Z", "2026-03-30T00:30Z"],
    },
    repeated: {
      cron: "30 1 * * *",
      from: "2026-10-24T12:00Z",
      expected: ["2026-10-25T00:30Z", "2026-10-26T01:30Z"],
    },
  },
];

describe.each(CHANGES)("in $zone", ({ zone, missing, repeated }) => {
  test("a local time that does not come is left out", () => {
    expect(moments(missing.cron, zone, missing.from, missing.expected.length)).toEqual(missing.expected);
  });
  test("a local time that comes twice is a moment once, the first time", () => {
    expect(moments(repeated.cron, zone, repeated.from, repeated.expected.length)).toEqual(repeated.expected);
  });
  test("every hour of a year has one moment, except for the hours that are left out or come again", () => {
    const all = moments("0 0 * * * *", zone, "2025-12-31T23:59:59Z", 8_759);
    expect(new Set(all).size).toBe(8_759);
    expect(all.toSorted()).toEqual(all);
  });
});

test("every moment of the repeated hour is left out at its second coming, and none after it", () => {
  expect(moments("*/20 * * * *", "Europe/Berlin", "2026-10-24T23:50Z", 6)).toEqual([
    "2026-10-25T00:00Z",
    "2026-10-25T00:20Z",
    "2026-10-25T00:40Z",
    "2026-10-25T02:00Z",
    "2026-10-25T02:20Z",
    "2026-10-25T02:40Z",
  ]);
  expect(moments("* * * * * *", "Europe/Berlin", "2026-10-25T01:10:00Z", 2)).toEqual([
    "2026-10-25T02:00Z",
    "2026-10-25T02:00:01.000Z",
  ]);
});

test.each([
  ["0 0 L * *", ["2026-02-28T00:00Z", "2026-03-31T00:00Z"]],
  ["0 9 * * MON#1", ["2026-02-02T09:00Z", "2026-03-02T09:00Z"]],
  ["0 9 * * 5#L", ["2026-02-27T09:00Z", "2026-03-27T09:00Z"]],
  ["0 0 1 JAN-MAR *", ["2026-02-01T00:00Z", "2026-03-01T00:00Z"]],
  ["*/15 30 6 * * *", ["2026-02-01T06:30Z", "2026-02-01T06:30:15.000Z"]],
  ["@daily", ["2026-02-01T00:00Z", "2026-02-02T00:00Z"]],
  ["0 0 29 2 *", ["2028-02-29T00:00Z", "2032-02-29T00:00Z"]],
])("'%s' is read", (expression, expected) => {
  expect(calendar.refusal(expression)).toBeUndefined();
  expect(moments(expression, "UTC", "2026-01-31T23:59:59Z", 2)).toEqual(expected);
});

test.each([
  ["every day", "it has 2 fields"],
  ["61 * * * *", "Invalid value for minute: 61"],
  ["0 0 30 2 *", "no date fits it"],
  ["0 0 ? * *", "it has a character that no field allows"],
  ["0 0 0 1 1 * 2030", "it has 7 fields"],
  ["2026-01-01T00:00:00", "it has 1 fields"],
  ["", "it has 1 fields"],
])("'%s' is refused with a reason", (expression, reason) => {
  expect(calendar.refusal(expression)).toContain(reason);
});

test("only names of time zones are zones", () => {
  expect(["Europe/Berlin", "UTC", "America/Argentina/Buenos_Aires"].every((one) => calendar.knowsZone(one))).toBe(true);
  expect(["Berlin", "+02:00", "", "Europe/Atlantis", "x".repeat(70)].some((one) => calendar.knowsZone(one))).toBe(
    false,
  );
});
