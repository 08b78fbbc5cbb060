/** The price of a run follows from the counted costs and from the work of the checks. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CHECKS, workOf } from "../../../infra/try/checks.ts";
import { EXIT_CODES } from "../../../infra/try/exit-codes.ts";
import { priceOf } from "../../../infra/try/price.ts";

interface Costs {
  readonly million: Readonly<Record<string, number>>;
  readonly quietHour: number;
  readonly workingMetricsHour: number;
}

const costs = JSON.parse(readFileSync(new URL("../../../docs/costs.json", import.meta.url), "utf8")) as Costs;
const price = priceOf(CHECKS.map(workOf));

test("a run without checks costs as much as an hour of the stack and of its metrics", () => {
  expect(priceOf([]).runUsd).toBeCloseTo(costs.quietHour + costs.workingMetricsHour, 5);
});

test("a check adds the price of its calls, and of its requests that change nothing", () => {
  const bare = priceOf([]).runUsd;
  const sleeping = priceOf([{ shapes: [["send that sleeps", 1000]], questions: 0 }]).runUsd - bare;
  expect(sleeping).toBeGreaterThan(costs.million["send that sleeps"]! / 1000);
  // The price also includes the calls of the Lambda function that contains the handlers.
  expect(sleeping).toBeLessThan((2 * costs.million["send that sleeps"]!) / 1000);
  expect(priceOf([{ shapes: [], questions: 1000 }]).runUsd).toBeGreaterThan(bare);
});

test("the total is above that of the stack alone, below a cent, and stated", () => {
  expect(price.runUsd).toBeGreaterThan(priceOf([]).runUsd);
  expect(price.runUsd).toBeLessThan(0.01);
  expect(price.lines.join(" ")).toContain(`below one cent: ${price.runUsd.toFixed(4)} dollars`);
});

test("a day of a kept stack costs more than 24 quiet hours, and thirty days cost less than two dollars", () => {
  expect(price.dayUsd).toBeGreaterThan(24 * costs.quietHour);
  expect(price.dayUsd * 30).toBeLessThan(2);
});

test("a price above one cent is stated in cents", () => {
  const dear = priceOf([{ shapes: [["send that sleeps", 5000]], questions: 0 }]);
  expect(dear.lines[0]).toMatch(new RegExp(`^some ${Math.ceil(dear.runUsd * 100)} cents`));
});

test("every check declares its share of the bill", () => {
  for (const check of CHECKS) {
    const { shapes, questions } = workOf(check);
    expect(shapes.length + questions, check.name).toBeGreaterThan(0);
  }
});

test("docs/operating/aws.md states the same price, and every exit code", () => {
  const page = readFileSync(new URL("../../../docs/operating/aws.md", import.meta.url), "utf8");
  const section = page.split("\n## Try it\n")[1]!.split("\n## ")[0]!;
  expect(section).toContain("below one cent for an hour of it");
  expect(section).toContain("some six cents a day");
  expect(Math.round(price.dayUsd * 100)).toBe(6);
  const told = section.split("**For programs:**")[1]!.split("\n")[0]!;
  expect([...told.matchAll(/\b(\d+) [a-z]/g)].map(([, code]) => Number(code))).toEqual(
    EXIT_CODES.map(({ code }) => code),
  );
});
