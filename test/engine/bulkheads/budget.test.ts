/** The budget of bytes: shares of lanes, accounts beyond a share, and waiting for room. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Budget } from "../../../shared/engine/bulkheads/budget.ts";
import { showPeaks } from "../../../shared/engine/bulkheads/bulkheads.ts";
import { RecordingMeter } from "../../recording-log.ts";
import { SteppedClock } from "../../stepped-clock.ts";

const PATIENCE_MS = 1_000;

function budgetOf(capacity: number) {
  const clock = new SteppedClock();
  return { clock, budget: new Budget({ capacity, patienceMs: PATIENCE_MS, clock }) };
}

test("the accounts of a greedy lane, except its largest, hold at most half of the budget, and the next lane still finds room", () => {
  const { budget } = budgetOf(1_000);
  // The first account that does not fit may exceed the share of its lane; the later ones may not.
  const beyond = budget.open("hog");
  expect(beyond.grow(2_000)).toBe(true);
  const accounts = Array.from({ length: 100 }, () => budget.open("hog"));
  const taken = accounts.filter((account) => account.grow(10) === true);
  expect(taken).toHaveLength(50);
  expect(budget.open("good").grow(500)).toBe(true);
});

test("only one account at a time exceeds the share of its lane, and an account of another lane comes next", async () => {
  const { budget } = budgetOf(100);
  const first = budget.open("hog");
  expect(first.grow(500)).toBe(true);
  const second = budget.open("hog");
  const third = budget.open("good");
  const grownSecond = second.grow(500);
  const grownThird = third.grow(500);
  expect(budget.waiting).toBe(2);
  first.close();
  expect(await grownThird).toBe(true);
  expect(budget.held).toBe(500);
  third.close();
  expect(await grownSecond).toBe(true);
});

test("an account that finds no room within its patience is refused, and keeps its amount", async () => {
  const { budget, clock } = budgetOf(100);
  void budget.open("hog").grow(500);
  const account = budget.open("good");
  expect(account.grow(60)).toBe(true);
  const more = account.grow(60);
  await clock.advance(PATIENCE_MS);
  expect(await more).toBe(false);
  expect(account.held).toBe(60);
  expect(budget.waiting).toBe(0);
});

test("closing an account ends its own wait and makes room for others", async () => {
  const { budget } = budgetOf(100);
  void budget.open("hog").grow(500);
  const [one, other] = [budget.open("a"), budget.open("b")];
  void one.grow(50);
  const [mine, theirs] = [one.grow(40), other.grow(60)];
  one.close();
  expect(await mine).toBe(false);
  expect(await theirs).toBe(true);
});

test("after any operations the budget's total is that of its accounts, and all accounts but the largest fit into the budget", () => {
  const step = fc.record({
    lane: fc.integer({ min: 0, max: 3 }),
    grow: fc.integer({ min: 1, max: 400 }),
    close: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { budget } = budgetOf(1_000);
      const accounts: { account: ReturnType<Budget["open"]>; lane: number }[] = [];
      for (const { lane, grow, close } of steps) {
        if (close && accounts.length > 0) accounts.splice(lane % accounts.length, 1)[0]!.account.close();
        else {
          const account = budget.open(String(lane));
          accounts.push({ account, lane });
          void account.grow(grow);
        }
        const held = accounts.map(({ account }) => account.held);
        expect(budget.held).toBe(held.reduce((sum, one) => sum + one, 0));
        expect(budget.held - Math.max(0, ...held)).toBeLessThanOrEqual(1_000);
      }
      for (const { account } of accounts) account.close();
      expect(budget.held).toBe(0);
      expect(budget.waiting).toBe(0);
    }),
  );
});

test("the peak is the highest amount since it was last asked for", () => {
  const { budget } = budgetOf(100);
  const [first, second] = [budget.open("a"), budget.open("b")];
  void first.grow(40);
  void second.grow(30);
  first.close();
  expect([budget.takePeak(), budget.takePeak()]).toEqual([70, 30]);
  second.close();
  expect([budget.takePeak(), budget.takePeak()]).toEqual([30, 0]);
});

test("the metrics of a function contain the peak of a budget only if at least half of the budget was in use", () => {
  const { budget: replies } = budgetOf(100);
  const { budget: journals } = budgetOf(100);
  const meter = new RecordingMeter();
  const [reply, journal] = [replies.open("a"), journals.open("a")];
  void reply.grow(49);
  void journal.grow(50);
  reply.close();
  journal.close();
  showPeaks(meter, { replies, journals });
  showPeaks(meter, { replies, journals });
  expect(meter.measures).toEqual([
    { kind: "gauge", name: "budget_peak_ratio", value: 0.5, labels: { budget: "journals" } },
  ]);
});
