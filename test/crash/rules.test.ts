/** Tests the rules of the crash tests with records that keep them, and with records that break them. */
import { describe, expect, test } from "vitest";
import type { Added, Committed } from "./account.ts";
import { judgeCounts } from "./count-rule.ts";
import { judgeLedger } from "./ledger-rule.ts";
import type { Line } from "./ledger.ts";
import type { Absence } from "./victim.ts";
import { absentMs, judgeSleeps, SLEEP_MARGIN_MS } from "./sleep-rule.ts";

let nonces = 0;

function line(attemptAtMs: number, more: Partial<Line> = {}): Line {
  const nonce = `n${++nonces}`;
  const where = { invocationId: "inv", step: "step", bootId: "boot", bootAtMs: attemptAtMs };
  return { ...where, nonce, attemptId: `of ${nonce}`, attemptAtMs, atMs: attemptAtMs + 5, throws: false, ...more };
}

function committed({ invocationId, step, nonce, atMs }: Line, failures = 0): Committed {
  return { invocationId, step, nonce, atMs, failures };
}

const kill = (atMs: number) => ({ atMs, deadMs: atMs + 3 });

describe("the ledger", () => {
  test("may contain one uncommitted execution for each kill between two attempts", () => {
    const lines = [line(0), line(100), line(200)];
    const verdict = judgeLedger(lines, [committed(lines[2]!)], [kill(50), kill(150)]);
    expect(verdict).toEqual({ complaints: [], uncommitted: 2, thrown: 0 });
  });

  test("excuses an execution if its deployment ran before a kill and read the request within two seconds after the kill", () => {
    const judge = (killedAtMs: number, bootAtMs: number): string => {
      const lines = [line(5_000, { bootAtMs }), line(5_500)];
      return judgeLedger(lines, [committed(lines[1]!)], [kill(killedAtMs)]).complaints.join();
    };
    expect(judge(4_900, 1_000)).toBe("");
    expect(judge(2_900, 1_000)).toMatch(/no kill explains it/);
    expect(judge(4_800, 4_850)).toMatch(/no kill explains it/);
  });

  test.each([
    ["a repetition without a kill", [], /no kill explains it/],
    ["a kill before the first attempt", [kill(-10)], /no kill explains it/],
    ["a kill behind the last attempt", [kill(210)], /no kill explains it/],
    ["one kill for two repetitions", [kill(99)], /no kill explains it/],
  ])("is refused for %s", (_, kills, why) => {
    const lines = [line(0), line(101), line(200)];
    expect(judgeLedger(lines, [committed(lines[2]!)], kills).complaints.join()).toMatch(why);
  });

  test("is refused if the committed execution is missing, doubled or unknown", () => {
    const one = line(0);
    expect(judgeLedger([], [committed(one)], []).complaints.join()).toMatch(/in the ledger 0 times/);
    expect(judgeLedger([one, one], [committed(one)], []).complaints.join()).toMatch(/in the ledger 2 times/);
    expect(judgeLedger([one], [], []).complaints.join()).toMatch(/no result contains it/);
  });

  test("contains as many executions that throw on purpose as the plan states", () => {
    const lines = [line(0, { throws: true }), line(10, { throws: true }), line(20)];
    expect(judgeLedger(lines, [committed(lines[2]!, 2)], []).complaints).toEqual([]);
    expect(judgeLedger(lines, [committed(lines[2]!, 1)], []).complaints.join()).toMatch(/threw 2 times instead of 1/);
    expect(judgeLedger(lines, [committed(lines[0]!, 2)], []).complaints.join()).toMatch(/an execution that threw/);
  });

  test("is refused if one attempt executes a step twice", () => {
    const lines = [line(0, { attemptId: "same" }), line(0, { attemptId: "same" })];
    expect(judgeLedger(lines, [committed(lines[1]!)], [kill(0)]).complaints.join()).toMatch(/twice by an attempt/);
  });
});

describe("a sleep", () => {
  const slept = (tookMs: number) => [{ invocationId: "inv", askedMs: 1_000, fromMs: 0, toMs: tookMs }];
  const judge = (tookMs: number, absence: Absence = { fromMs: 0, toMs: 0 }): string => {
    const complaints: string[] = [];
    judgeSleeps(slept(tookMs), [absence], complaints);
    return complaints.join();
  };

  test("is refused if it is too short, or longer than its absences and the margin allow", () => {
    const tooLongMs = 1_000 + SLEEP_MARGIN_MS + 1;
    expect(judge(999)).toMatch(/slept 999 ms/);
    expect(judge(1_000)).toBe("");
    expect(judge(tooLongMs)).toMatch(/too long/);
    expect(judge(tooLongMs, { fromMs: 100, toMs: 1_000 })).toMatch(/too long/);
    expect(judge(tooLongMs, { fromMs: 100, toMs: 1_001 })).toBe("");
  });

  test("counts each moment of overlapping absences once", () => {
    const absences = [
      { fromMs: 30, toMs: 60 },
      { fromMs: -10, toMs: 10 },
      { fromMs: 40, toMs: 50 },
      { fromMs: 55, toMs: Infinity },
    ];
    expect(absentMs(absences, 0, 100)).toBe(80);
  });
});

describe("the count of a key", () => {
  const added = (...counts: readonly number[]): Added[] =>
    counts.map((count, at) => ({ invocationId: `i${at}`, key: "k", count, fromMs: count * 10, toMs: count * 10 + 5 }));
  const judge = (counts: readonly number[], served: readonly string[], inOrder: readonly string[][] = []): string =>
    judgeCounts("k", added(...counts), inOrder, { count: counts.length, served }).join();

  test("is accepted if each add counted once, in the order of each sender", () => {
    expect(judge([2, 1, 3], ["i1", "i0", "i2"], [["i1", "i2"], ["i0"]])).toBe("");
    expect(judgeCounts("k", [], [], {})).toEqual([]);
  });

  test.each([
    ["an add that counted twice", [1, 3], ["i0", "i1"], [], /counted to 3 by i1, which is its add number 2/],
    ["an add that was lost", [1, 1], ["i0", "i1"], [], /counted to 1 by i1, which is its add number 2/],
    ["another order than that of a sender", [2, 1], ["i1", "i0"], [["i0", "i1"]], /in the order 2,1 of one sender/],
    ["an add that is in the state although no handler requested it", [1], ["i0", "i1"], [], /served/],
    ["counts whose order the state contradicts", [1, 2], ["i1", "i0"], [], /served/],
    ["a sender whose add is unknown", [1], ["i0"], [["i0", "i7"]], /in the order 1,NaN/],
  ])("is refused for %s", (_, counts, served, inOrder, why) => {
    expect(judge(counts, served, inOrder)).toMatch(why);
  });

  test("is refused if two adds held the key at the same time, or if the state has another count", () => {
    const [one, other] = added(1, 2) as [Added, Added];
    const state = { count: 2, served: ["i0", "i1"] };
    expect(judgeCounts("k", [one, { ...other, fromMs: 14 }], [], state).join()).toMatch(/was held by i0 and i1/);
    expect(judgeCounts("k", [one, other], [], { ...state, count: 3 }).join()).toMatch(/ended with the count 3 of 2/);
    expect(judgeCounts("k", [one, other], [], {}).join()).toMatch(/ended with the count undefined of 2/);
  });
});
