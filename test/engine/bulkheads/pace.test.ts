/** A loop over untrusted input pauses for due timers. While timers fire late, the amount of work at a time shrinks. */
import { expect, test } from "vitest";
import { Pace } from "../../../shared/engine/bulkheads/fair-turns.ts";
import { Lag } from "../../../shared/engine/bulkheads/lag.ts";
import type { Clock } from "../../../shared/engine/ports/clock.ts";
import { SteppedClock } from "../../stepped-clock.ts";

/** Models a blocked thread: time passes, and no timer fires until the thread is released. */
function heldThread() {
  const stepped = new SteppedClock();
  let heldMs = 0;
  const clock: Clock = { nowMs: () => stepped.nowMs() + heldMs, sleep: (ms, signal) => stepped.sleep(ms, signal) };
  return { stepped, clock, hold: (ms: number) => void (heldMs += ms) };
}

test("a loop that has blocked the thread for some milliseconds waits until timers have had their turn", async () => {
  const { stepped, clock, hold } = heldThread();
  const pace = new Pace(clock);
  expect(pace.step("a")).toBe(undefined);
  hold(7);
  expect(pace.step("a")).toBe(undefined);
  hold(1);
  const order: string[] = [];
  const waiting = ["a", "a", "a", "b"].map((lane, at) => pace.step(lane)?.then(() => order.push(`${lane}${at}`)));
  expect(order).toEqual([]);
  await stepped.advance(10);
  await Promise.all(waiting.map(async (waits) => await waits));
  expect(order).toEqual(["a0", "a1", "b3", "a2"]);
  expect(pace.step("a")).toBe(undefined);
});

test("after a long idle time the next loop starts at once", async () => {
  const { stepped, clock } = heldThread();
  const pace = new Pace(clock);
  expect(pace.step("a")).toBe(undefined);
  await stepped.advance(60_000);
  expect(pace.step("a")).toBe(undefined);
});

test("while timers fire late, the amount of work halves, and it rises again once they fire in time", async () => {
  const { stepped, clock, hold } = heldThread();
  const wanted: number[] = [];
  const over = new AbortController();
  const watching = new Lag(clock, 100, (count) => wanted.push(count)).watch(over.signal);
  for (let n = 0; n < 7; n++) {
    hold(200);
    await stepped.advance(50);
  }
  expect(wanted).toEqual([50, 25, 12, 6, 4]);
  await stepped.advance(5_000);
  expect(wanted.at(-1)).toBe(100);
  over.abort();
  await watching;
});
