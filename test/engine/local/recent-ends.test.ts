/** Tests the counts of the invocations that ended in the last hour; a process keeps these counts in memory. */
import { expect, test } from "vitest";
import { invocationIdFromBytes } from "../../../shared/core/model/ids.ts";
import { RecentEnds } from "../../../shared/engine/local/recent-ends.ts";
import type { EndedInvocation } from "../../../shared/engine/ports/activity.ts";
import { SteppedClock } from "../../stepped-clock.ts";

const MINUTE_MS = 60_000;
const END: EndedInvocation = {
  id: invocationIdFromBytes(new Uint8Array(24).fill(1)),
  target: { service: "S", handler: "h" },
  outcome: "failed",
  durationMs: 1,
};

test("ends are counted in their minute and forgotten after an hour", async () => {
  const clock = new SteppedClock(1_000 * MINUTE_MS);
  const ends = new RecentEnds(clock);
  ends.ended(END);
  ends.ended({ ...END, outcome: "succeeded" });
  ends.ended({ ...END, target: { service: "T", handler: "h" } });
  await clock.advance(59 * MINUTE_MS);
  ends.ended(END);
  expect(
    ends
      .view()
      .minutes.filter(({ failed }) => failed > 0)
      .map(({ atMs }) => atMs / MINUTE_MS),
  ).toEqual([1_000, 1_059]);
  expect([...ends.view().failed]).toEqual([
    ["S", 2],
    ["T", 1],
  ]);
  await clock.advance(MINUTE_MS);
  expect([...ends.view().failed]).toEqual([["S", 1]]);
  expect(ends.view().minutes.filter(({ failed }) => failed > 0)).toHaveLength(1);
  await clock.advance(60 * MINUTE_MS);
  expect(ends.view().minutes.every(({ failed, succeeded }) => failed + succeeded === 0)).toBe(true);
  expect(ends.view().failed.size).toBe(0);
});

test("the view says since when the process counts, at most an hour back", async () => {
  const clock = new SteppedClock(1_000 * MINUTE_MS);
  const ends = new RecentEnds(clock);
  expect(ends.view().sinceMs).toBe(1_000 * MINUTE_MS);
  await clock.advance(200 * MINUTE_MS);
  expect(ends.view().sinceMs).toBe(1_141 * MINUTE_MS);
});

test("each end is also passed on, for example to the terminal", () => {
  const told: EndedInvocation[] = [];
  new RecentEnds(new SteppedClock(0), { ended: (end) => told.push(end) }).ended(END);
  expect(told).toEqual([END]);
});
