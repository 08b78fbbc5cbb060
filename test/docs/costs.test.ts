/** docs/costs.md is the page of the current engine, stack and prices; `npm run docs` writes it. */
import { beforeAll, describe, expect, it } from "vitest";
import { synthesised } from "../infra/synthesised.ts";
import { countLook, countMonth, countShape, countSweep } from "./cost-counts.ts";
import { COST_SHAPES } from "./cost-shapes.ts";
import { costsJson } from "./costs-json.ts";
import { type CostFacts, costsPage } from "./costs-page.ts";
import { PRICES, REGION } from "./prices.ts";
import { billOf, idleMonth, totalOf } from "./costs.ts";
import { countTick } from "./schedule-counts.ts";
import { countStack } from "./stack-counts.ts";

describe("docs/costs.md", () => {
  let facts: CostFacts;
  beforeAll(async () => {
    const shapes = [];
    for (const shape of COST_SHAPES) shapes.push({ name: shape.name, counts: await countShape(shape) });
    const sweep = await countSweep();
    const [look, month] = [await countLook(sweep), await countMonth(sweep)];
    facts = { shapes, sweep, look, month, tick: await countTick(), stack: countStack(synthesised()) };
  });

  it("is the page of the current counts and prices", async () => {
    await expect(costsPage(facts)).toMatchFileSnapshot("../../docs/costs.md");
  });

  it("has a JSON file beside it with the current costs, for programs", async () => {
    await expect(costsJson(facts)).toMatchFileSnapshot("../../docs/costs.json");
  });

  it("states the cost of a plain call as the sum of its parts", () => {
    const [plain] = facts.shapes;
    const bill = billOf(plain!.counts, 1, facts.stack.memoryMb);
    // Three write units and two read units; one message, which takes four requests of a fair queue; one API request.
    expect(bill).toMatchObject({ table: 3 * 0.625 + 2 * 0.125, schedules: 0, api: 1 });
    expect(bill.queue).toBeCloseTo(4 * (0.4 + 0.1), 6);
    expect(bill.functions).toBeCloseTo(2 * (0.2 + 0.02 * 0.5 * 13.3334), 6);
    expect(totalOf(bill)).toBeCloseTo(bill.table + bill.queue + bill.api + bill.functions + bill.logs, 6);
  });

  it("counts one schedule of EventBridge Scheduler for a sleep of an hour", () => {
    const far = facts.shapes.find(({ name }) => name === "send that sleeps an hour")!;
    const near = facts.shapes.find(({ name }) => name === "send that sleeps")!;
    expect(far.counts).toMatchObject({ schedules: 1, sends: near.counts.sends + 1 });
  });

  it("counts a month of the sweeper's looks at a waiting invocation", () => {
    expect(facts.look).toMatchObject({ tableWrites: 0, indexWrites: 0, messages: 0 });
    // The first look is after ten minutes. Each interval is a quarter longer, up to a day; then there is a look each
    // day.
    expect(facts.month.looks).toBeGreaterThan(40);
    // `facts.look` is a look at a completed invocation, which writes nothing. A look at the waiting invocation of the month
    // writes one item, which sets the moment of the next look.
    expect(facts.month).toMatchObject({ messages: 0, sends: 0, schedules: 0 });
    expect(facts.month.tableWrites).toBeLessThan(1.5 * facts.month.looks);
  });

  it("itemises a quiet month, and every item has a price above zero", () => {
    const items = idleMonth(facts.sweep, { ...facts.stack, keys: 1 });
    expect(items.filter(([, usd]) => !(usd > 0))).toEqual([]);
  });

  it("names the source of every price, and one Region for all", () => {
    for (const { usd, per, source } of Object.values(PRICES)) {
      expect(usd > 0 && per > 0 && source.length > 0).toBe(true);
    }
    expect(REGION).toMatch(/^[a-z]{2}-[a-z]+-\d$/);
  });
});
