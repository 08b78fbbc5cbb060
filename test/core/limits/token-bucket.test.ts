/** The arithmetic of rates: never above the burst and the rate, never below by more than a token. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRate, type Rate, rateText } from "../../../shared/core/limits/rule.ts";
import { intervalUs, nextTokenAtMs, takeTokens } from "../../../shared/core/limits/token-bucket.ts";

const someRate = fc
  .record({
    count: fc.integer({ min: 1, max: 100_000 }),
    perMs: fc.integer({ min: 1, max: 86_400_000 }),
    burst: fc.integer({ min: 1, max: 1_000 }),
  })
  .filter(({ count, perMs }) => count <= 10 * perMs);

describe("a rate", () => {
  test.each([
    ["100/1m", { count: 100, perMs: 60_000, burst: 2 }],
    ["5/s", { count: 5, perMs: 1_000, burst: 5 }],
    ["1/1h", { count: 1, perMs: 3_600_000, burst: 1 }],
  ])("%s is understood", (text, rate) => {
    expect(parseRate(text)).toEqual(rate);
  });

  test.each([
    ["100", undefined, /is not '<count>\/<duration>'.*'100\/1m'/],
    ["0/1m", undefined, /has the count 0/],
    ["100/1month", undefined, /has the duration '1month'/],
    ["100/2d", undefined, /should be 1ms to 1d/],
    ["11/1ms", undefined, /more than 10000 starts a second/],
    ["100/1m", 0, /burst.*is 0/],
  ])("%s with a burst of %s is refused", (text, burst, reason) => {
    expect(parseRate(text, burst)).toMatch(reason);
  });

  test("is shown as it was written", () => {
    for (const text of ["100/1m", "5/1s", "7/1h30m"]) expect(rateText(parseRate(text) as Rate)).toBe(text);
  });
});

describe("a bucket", () => {
  test("that is unused has the burst, and then one token per interval", () => {
    const rate: Rate = { count: 10, perMs: 1_000, burst: 3 };
    const first = takeTokens(rate, 0, 5_000, 9);
    expect(first.count).toBe(3);
    expect(takeTokens(rate, first.fullAtUs, 5_000, 9).count).toBe(0);
    expect(nextTokenAtMs(rate, first.fullAtUs, 5_000)).toBe(5_100);
    expect(takeTokens(rate, first.fullAtUs, 5_100, 9).count).toBe(1);
  });

  test("gives in no window more than the burst and the rate allow", () => {
    fc.assert(
      fc.property(someRate, fc.array(fc.integer({ min: 0, max: 2_000 }), { maxLength: 60 }), (rate, waits) => {
        let nowMs = 1_000_000;
        let fullAtUs = 0;
        const taken: { atMs: number; count: number }[] = [];
        for (const waitMs of waits) {
          nowMs += waitMs;
          const tokens = takeTokens(rate, fullAtUs, nowMs, 50);
          fullAtUs = tokens.fullAtUs;
          taken.push({ atMs: nowMs, count: tokens.count });
        }
        for (const [at, { atMs: fromMs }] of taken.entries()) {
          let count = 0;
          for (const { atMs, count: some } of taken.slice(at)) {
            count += some;
            expect(count).toBeLessThanOrEqual(rate.burst + ((atMs - fromMs) * 1_000) / intervalUs(rate));
          }
        }
      }),
    );
  });

  test("has its next token when it says so, and not a millisecond before", () => {
    fc.assert(
      fc.property(someRate, fc.integer({ min: 1, max: 5_000 }), (rate, wanted) => {
        const { fullAtUs } = takeTokens(rate, 0, 1_000_000, wanted);
        const nextMs = nextTokenAtMs(rate, fullAtUs, 1_000_000);
        expect(takeTokens(rate, fullAtUs, Math.max(nextMs, 1_000_000), 1).count).toBe(1);
        if (nextMs > 1_000_000) expect(takeTokens(rate, fullAtUs, nextMs - 1, 1).count).toBe(0);
      }),
    );
  });

  test("of a rate that was lowered is empty for no longer than it takes to fill", () => {
    const rate: Rate = { count: 1, perMs: 1_000, burst: 2 };
    expect(nextTokenAtMs(rate, 9_000_000_000, 1_000)).toBe(4_000);
  });
});
