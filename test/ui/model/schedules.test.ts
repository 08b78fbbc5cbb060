/** The words of the page of schedules. */
import { expect, test } from "vitest";
import { backfillText, outcomeLook, scheduleLook, scheduleTarget, whenText } from "../../../ui/model/schedule-text.ts";

test("cron lines and intervals in words", () => {
  expect(whenText({ cron: "0 2 * * *", time_zone: "Europe/Berlin" })).toBe("0 2 * * * (Europe/Berlin)");
  expect(whenText({ interval: "1h" })).toBe("every 1h");
});

test("targets with and without a key", () => {
  expect(scheduleTarget({ service: "Reports", handler: "nightly" })).toBe("Reports/nightly");
  expect(scheduleTarget({ service: "Cart", key: "all", handler: "tidy" })).toBe("Cart/all/tidy");
});

test("a backfill says how far it is", () => {
  const backfill = { id: "x", from: "", to: "", total: 5, started: 2, concurrency: 1, created_at: "" };
  expect(backfillText({ backfills: [backfill] })).toBe("2 of 5 filled back");
  expect(backfillText({ backfills: [] })).toBeUndefined();
});

test("a word that a newer server has is shown as it is", () => {
  expect(scheduleLook("resting" as "active").word).toBe("resting");
  expect(outcomeLook("lost" as "open").word).toBe("lost");
});
