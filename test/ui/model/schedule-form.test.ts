/** Tests the forms of schedules: what they lack, and the requests that they make. */
import { expect, test } from "vitest";
import {
  backfillRequest,
  missingIn,
  NEW_SCHEDULE,
  type ScheduleForm,
  scheduleRequest,
} from "../../../ui/model/schedule-form.ts";

const WHOLE: ScheduleForm = {
  ...NEW_SCHEDULE,
  name: " nightly ",
  service: "Reports",
  handler: "make",
  cron: " 0 2 * * * ",
};

test.each<[Partial<ScheduleForm>, string | undefined]>([
  [{}, undefined],
  [{ name: " " }, "Name the schedule."],
  [{ service: "" }, "Choose a handler."],
  [{ isKeyed: true }, "Name the key."],
  [{ isKeyed: true, key: " " }, undefined],
  [{ cron: " " }, "Write a cron line."],
  [{ timing: "interval" }, "Write an interval."],
  [{ timing: "interval", interval: "1h", cron: "" }, undefined],
  [{ input: "{" }, "The input is no JSON."],
  [{ input: " null " }, undefined],
])("a form with %j: %s", (changes, missing) => {
  expect(missingIn({ ...WHOLE, ...changes })).toBe(missing);
});

test("a cron line goes with its zone, an interval without, and a key only to a service with keys", () => {
  const plan = { name: "nightly", service: "Reports", handler: "make", overlap: "skip" };
  const written = { ...WHOLE, timeZone: " Europe/Berlin ", interval: " 1h ", key: "all" };
  expect(scheduleRequest(written)).toEqual({ ...plan, cron: "0 2 * * *", time_zone: "Europe/Berlin" });
  expect(scheduleRequest({ ...written, timing: "interval", isKeyed: true })).toEqual({
    ...plan,
    key: "all",
    interval: "1h",
  });
  expect(scheduleRequest({ ...written, timeZone: " " })).toEqual({ ...plan, cron: "0 2 * * *" });
});

test("the input goes as the bytes that the reader wrote", () => {
  const { input_base64: input, content_type: type } = scheduleRequest({
    ...WHOLE,
    input: ' {"größe":12345678901234567890} ',
  });
  expect([Buffer.from(input!, "base64").toString("utf8"), type]).toEqual([
    '{"größe":12345678901234567890}',
    "application/json",
  ]);
});

test("a range has two moments, read in the zone of the page", () => {
  const form = { from: "2026-01-01T00:00", to: "2026-01-02T00:00:30", concurrency: 2 };
  expect(backfillRequest(form, true)).toEqual({
    from: "2026-01-01T00:00:00.000Z",
    to: "2026-01-02T00:00:30.000Z",
    concurrency: 2,
  });
  expect(backfillRequest(form, false)?.from).toBe(new Date("2026-01-01T00:00").toISOString());
  expect(backfillRequest({ ...form, to: "" }, true)).toBeUndefined();
  expect(backfillRequest({ ...form, from: "tomorrow" }, true)).toBeUndefined();
});
