/** A rule that is tried on past invocations holds back those, and only those, that would have found no place or no token. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { EarliestFirst } from "../../../shared/core/limits/earliest-first.ts";
import { type PastRun, tryRules } from "../../../shared/core/limits/dry-run.ts";
import { type Limits, parseRate, type Rate, type Rule } from "../../../shared/core/limits/rule.ts";

const NOW_MS = 1_000_000;

const rule = (pattern: string, limits: Limits): Rule => {
  return { pattern, limits, disabled: false, version: 1, modifiedAtMs: 0 };
};
const run = (startedAtMs: number, endedAtMs: number | undefined, more: Partial<PastRun> = {}): PastRun => {
  return { service: "Mail", handler: "send", startedAtMs, endedAtMs, ...more };
};
const tried = (limits: Limits, runs: readonly PastRun[], pattern = "service:Mail") =>
  tryRules([rule(pattern, limits)], [], runs, NOW_MS)[0];

test("an invocation waits until a place is free, and so do those behind it", () => {
  const runs = [run(0, 100), run(10, 60), run(20, 30)];
  expect(tried({ concurrency: 1 }, runs)).toEqual({ matched: 3, heldBack: 2, longestWaitMs: 130 });
  expect(tried({ concurrency: 2 }, runs)).toEqual({ matched: 3, heldBack: 1, longestWaitMs: 40 });
  expect(tried({ concurrency: 3 }, runs)).toEqual({ matched: 3, heldBack: 0, longestWaitMs: 0 });
});

test("the order of the list does not matter", () => {
  const runs = [run(20, 30), run(0, 100), run(10, 60)];
  expect(tried({ concurrency: 1 }, runs)).toEqual({ matched: 3, heldBack: 2, longestWaitMs: 130 });
});

test("an invocation that finds all places taken by running ones waits until now", () => {
  const runs = [run(900_000, undefined), run(990_000, 990_001), run(995_000, undefined)];
  expect(tried({ concurrency: 1 }, runs)).toEqual({ matched: 3, heldBack: 2, longestWaitMs: 10_000 });
});

test("a rate holds back what comes faster", () => {
  const rate = parseRate("1/1s", 2) as Rate;
  const runs = [0, 0, 0, 0, 5_000].map((atMs) => run(100_000 + atMs, 100_000 + atMs));
  expect(tried({ rate }, runs)).toEqual({ matched: 5, heldBack: 2, longestWaitMs: 2_000 });
});

test("each name of a pattern with '*' has a pool of its own", () => {
  const runs = ["a", "b", "a"].map((scope) => run(0, 100, { scope }));
  expect(tried({ concurrency: 1 }, runs, "*")).toEqual({ matched: 3, heldBack: 1, longestWaitMs: 100 });
  expect(tried({ concurrency: 1 }, runs, "b")).toEqual({ matched: 1, heldBack: 0, longestWaitMs: 0 });
  expect(tried({ concurrency: 1 }, runs, "c")).toEqual({ matched: 0, heldBack: 0, longestWaitMs: 0 });
});

test("a stored rule that is more specific keeps its invocations, and one with the same pattern makes room", () => {
  const runs = [run(0, 100, { scope: "a" }), run(0, 100, { scope: "b" })];
  const wide = rule("*", { concurrency: 1 });
  const stored = [rule("a", { concurrency: 9 }), rule("*", { concurrency: 9 })];
  expect(tryRules([wide], stored, runs, NOW_MS)).toMatchObject([{ matched: 1 }]);
  expect(tryRules([wide], [{ ...stored[0]!, disabled: true }], runs, NOW_MS)).toMatchObject([{ matched: 2 }]);
});

test("two tried rules do not delay each other's invocations", () => {
  const runs = [run(0, 100, { scope: "a" }), run(0, 100, { scope: "a" })];
  const both = [rule("a", { concurrency: 1 }), rule("service:Mail", { concurrency: 2 })];
  expect(tryRules(both, [], runs, NOW_MS)).toEqual([
    { matched: 2, heldBack: 1, longestWaitMs: 100 },
    { matched: 2, heldBack: 0, longestWaitMs: 0 },
  ]);
});

const someRuns = fc.array(fc.record({ startedAtMs: fc.nat(10_000), tookMs: fc.nat(3_000) }), { maxLength: 60 });

test("any runs: as many places as invocations hold nothing back, and fewer places never hold back less", () => {
  fc.assert(
    fc.property(someRuns, (some) => {
      const runs = some.map(({ startedAtMs, tookMs }) => run(startedAtMs, startedAtMs + tookMs));
      const waits = [...runs.keys()].map((at) => tried({ concurrency: at + 1 }, runs)!.longestWaitMs);
      expect(waits.at(-1) ?? 0).toBe(0);
      expect(waits).toEqual(waits.toSorted((a, b) => b - a));
    }),
  );
});

test("a heap of any moments gives them from the earliest to the latest", () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), (moments) => {
      const heap = new EarliestFirst();
      for (const atMs of moments) heap.add(atMs);
      expect(moments.map(() => heap.take())).toEqual(moments.toSorted((a, b) => a - b));
      expect([heap.size, heap.take()]).toEqual([0, Infinity]);
    }),
  );
});
