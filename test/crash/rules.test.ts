/** The rules by which the spree is judged, each of them broken on purpose. */
import { describe, expect, test } from "vitest";
import type { Committed } from "./account.ts";
import { newAccount, takeAccount } from "./account.ts";
import { judgeLedger } from "./ledger-rule.ts";
import type { Line } from "./ledger.ts";
import type { Done, Outcome } from "./outcome.ts";
import type { Op } from "./plan.ts";
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
  test("may hold one undone execution for each kill between two attempts", () => {
    const lines = [line(0), line(100), line(200)];
    const verdict = judgeLedger(lines, [committed(lines[2]!)], [kill(50), kill(150)]);
    expect(verdict).toEqual({ complaints: [], uncommitted: 2, thrown: 0 });
  });

  test("excuses a request that was read when its sender was dead already, for a while and in one life", () => {
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

  test("is refused where the committed execution is missing, doubled or unknown", () => {
    const one = line(0);
    expect(judgeLedger([], [committed(one)], []).complaints.join()).toMatch(/in the ledger 0 times/);
    expect(judgeLedger([one, one], [committed(one)], []).complaints.join()).toMatch(/in the ledger 2 times/);
    expect(judgeLedger([one], [], []).complaints.join()).toMatch(/no result tells of it/);
  });

  test("counts what throws on purpose exactly", () => {
    const lines = [line(0, { throws: true }), line(10, { throws: true }), line(20)];
    expect(judgeLedger(lines, [committed(lines[2]!, 2)], []).complaints).toEqual([]);
    expect(judgeLedger(lines, [committed(lines[2]!, 1)], []).complaints.join()).toMatch(/threw 2 times instead of 1/);
    expect(judgeLedger(lines, [committed(lines[0]!, 2)], []).complaints.join()).toMatch(/an execution that threw/);
  });

  test("is refused where one attempt executes a step twice", () => {
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

  test("is refused when it is too short, and when it is longer than absences and margin excuse", () => {
    const tooLongMs = 1_000 + SLEEP_MARGIN_MS + 1;
    expect(judge(999)).toMatch(/slept 999 ms/);
    expect(judge(1_000)).toBe("");
    expect(judge(tooLongMs)).toMatch(/too long/);
    expect(judge(tooLongMs, { fromMs: 100, toMs: 1_000 })).toMatch(/too long/);
    expect(judge(tooLongMs, { fromMs: 100, toMs: 1_001 })).toBe("");
  });

  test("is excused once by absences that overlap", () => {
    const absences = [
      { fromMs: 30, toMs: 60 },
      { fromMs: -10, toMs: 10 },
      { fromMs: 40, toMs: 50 },
      { fromMs: 55, toMs: Infinity },
    ];
    expect(absentMs(absences, 0, 100)).toBe(80);
  });
});

describe("an outcome", () => {
  const recorded = (step: string) => ({ step, nonce: `of ${step}`, atMs: 0 });
  const complaintsOf = async (op: Op, ...done: readonly Done[]): Promise<string> => {
    const account = newAccount();
    const sent: Outcome = { invocationId: "sent", done: [{ kind: "run", recorded: [recorded("complete")] }] };
    await takeAccount(account, { ops: [op] }, { invocationId: "inv", done }, async () => sent);
    return account.complaints.join();
  };
  const run: Op = { kind: "run", step: "a" };
  const sleep: Op = { kind: "sleep", before: "a", after: "b", ms: 1 };
  const awakeable: Op = { kind: "awakeable", publish: "a", delayMs: 0 };

  test.each<[string, Op, Done | undefined, RegExp]>([
    ["another step", run, { kind: "run", recorded: [recorded("b")] }, /recorded b instead of a/],
    ["another kind", run, { kind: "parallel", recorded: [recorded("a")] }, /answered/],
    ["nothing", run, undefined, /did 0 operations/],
    [
      "another random value",
      sleep,
      { kind: "sleep", before: recorded("a"), after: recorded("b"), uuids: ["one", "two"] },
      /drew one before a sleep and two/,
    ],
    [
      "a value that nobody sent",
      awakeable,
      { kind: "awakeable", recorded: recorded("a"), completer: "sent", nonce: "else" },
      /brought else, which was never sent/,
    ],
    [
      "an id of another",
      { kind: "send", plan: { ops: [run] }, delayMs: 0 },
      { kind: "send", invocationId: "x" },
      /instead/,
    ],
  ])("is refused with %s", async (_, op, done, why) => {
    expect(await complaintsOf(op, ...(done === undefined ? [] : [done]))).toMatch(why);
  });

  test("that fits its plan is accepted", async () => {
    const done: Done = { kind: "awakeable", recorded: recorded("a"), completer: "sent", nonce: "of complete" };
    expect(await complaintsOf(awakeable, done)).toBe("");
  });
});
