/** Tests the bars that show how many invocations ended in each minute of the last hour. */
import { expect, test } from "vitest";
import { barsOf, MinuteCounts, sumOf } from "../../../ui/model/ended-bars.ts";

const minute = (succeeded: number, failed: number) => ({
  at: "2026-11-24T13:00:00Z",
  succeeded,
  failed,
  cancelled: 0,
  killed: 0,
});

test.each([
  [0, 1],
  [4, 4],
  [7, 10],
  [12, 20],
  [430, 500],
  [1_000, 1_000],
])("the scale for a highest count of %i reaches up to %i", (most, top) =>
  expect(barsOf([minute(most, 0)]).top).toBe(top),
);

test("a bar is as high as its count, and one failure among thousands is still seen", () => {
  const { bars } = barsOf([minute(999, 1), minute(0, 0)]);
  expect(bars[0]).toMatchObject({ ended: 1_000, failed: 1, endedHeight: 1, failedHeight: 0.03 });
  expect(bars[1]).toMatchObject({ endedHeight: 0, failedHeight: 0 });
});

test("each end counts in its minute; an end before the hour, without a moment, or with an unknown outcome is left out", () => {
  const nowMs = Date.UTC(2026, 10, 24, 13, 30, 30);
  const counts = new MinuteCounts(nowMs);
  counts.add(nowMs, "failed");
  counts.add(nowMs - 59 * 60_000, "succeeded");
  counts.add(nowMs - 60 * 60_000, "succeeded");
  counts.add(nowMs, "unheard-of");
  counts.add(undefined, "failed");
  expect(counts.minutes).toHaveLength(60);
  expect([counts.minutes[0]?.at, counts.minutes[0]?.succeeded, counts.minutes[59]?.failed]).toEqual([
    "2026-11-24T12:31:00.000Z",
    1,
    1,
  ]);
  expect(sumOf(counts.minutes)).toEqual({ succeeded: 1, failed: 1, cancelled: 0, killed: 0 });
});
