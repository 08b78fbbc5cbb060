/** Tests the machine's clock, with fake timers for long sleeps. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { SystemClock } from "../../../shared/adapters/system/clock.ts";

const clock = new SystemClock();
const DAY_MS = 86_400_000;

describe("with the machine's own timers", () => {
  test("a sleep without an abort resolves true", async () => {
    expect(await clock.sleep(2)).toBe(true);
    expect(await clock.sleep(0)).toBe(true);
    expect(await clock.sleep(-5)).toBe(true);
  });

  test("a sleep under an aborted signal resolves false", async () => {
    expect(await clock.sleep(DAY_MS, AbortSignal.abort())).toBe(false);
  });

  test("a sleep ends with false as soon as its signal aborts", async () => {
    const stop = new AbortController();
    const slept = clock.sleep(DAY_MS, stop.signal);
    stop.abort();
    expect(await slept).toBe(false);
  });

  test("now is the machine's time in milliseconds since the epoch", () => {
    const before = Date.now();
    const now = clock.nowMs();
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
  });
});

describe("with faked timers", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("a sleep longer than the longest timer lasts its full length", async () => {
    let slept: boolean | undefined;
    void clock.sleep(60 * DAY_MS).then((value) => (slept = value));
    await vi.advanceTimersByTimeAsync(60 * DAY_MS - 1000);
    expect(slept).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1001);
    expect(slept).toBe(true);
  });

  test("a long sleep can be aborted after its first hop and leaves no timer", async () => {
    const stop = new AbortController();
    const slept = clock.sleep(60 * DAY_MS, stop.signal);
    await vi.advanceTimersByTimeAsync(30 * DAY_MS);
    stop.abort();
    expect(await slept).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a signal that aborts after the sleep changes nothing", async () => {
    const stop = new AbortController();
    const slept = clock.sleep(10, stop.signal);
    await vi.advanceTimersByTimeAsync(11);
    stop.abort();
    expect(await slept).toBe(true);
  });
});
