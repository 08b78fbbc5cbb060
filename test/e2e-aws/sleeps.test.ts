/**
 * Tests sleeps that end by a delayed message, by a schedule, or by a ladder over a queue that delivers every message twice and
 * out of order.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { aws, ControlPlane, countOne, until } from "./control-plane.ts";
import { schedules } from "./hints.ts";

const plane = new ControlPlane(aws.plain);
const doubled = new ControlPlane(aws.doubled);

beforeAll(async () => {
  await Promise.all([plane.register({ arn: aws.handlerArn }), doubled.register({ arn: aws.handlerArn })]);
});

/** @returns how long the sleep took, in milliseconds */
async function nap(through: ControlPlane, ms: number): Promise<number> {
  const startedMs = Date.now();
  const id = await through.send("fn/nap", ms);
  expect(await through.result(id)).toBe("awake");
  return Date.now() - startedMs;
}

test("a short sleep ends by a delayed message, without a schedule", async () => {
  const id = await plane.send("fn/nap", 3_000);
  await until("it sleeps", async () => ((await plane.status(id)) === "suspended" ? true : undefined));
  expect(await schedules(aws.plain, id)).toEqual([]);
  expect(await plane.result(id)).toBe("awake");
});

test("a longer sleep ends by a schedule that fires once and is gone", async () => {
  const startedMs = Date.now();
  const id = await plane.send("fn/nap", 9_000);
  const standing = async () => {
    const names = await schedules(aws.plain, id);
    return names.length > 0 ? names : undefined;
  };
  expect(await until("a schedule is set", standing)).toHaveLength(1);
  expect(await plane.result(id)).toBe("awake");
  const tookMs = Date.now() - startedMs;
  expect(tookMs).toBeGreaterThanOrEqual(9_000);
  expect(await schedules(aws.plain, id)).toEqual([]);
  countOne("schedule fired");
  console.log(`a sleep of 9.0 s by a schedule took ${(tookMs / 1000).toFixed(1)} s`);
});

describe("when every message comes twice and out of order", () => {
  test("a sleep ends in time by its ladder, without a schedule", async () => {
    const tookMs = await nap(doubled, 10_000);
    expect(tookMs).toBeGreaterThanOrEqual(10_000);
    console.log(`a sleep of 10.0 s by a ladder took ${(tookMs / 1000).toFixed(1)} s`);
    expect(await schedules(aws.doubled)).toEqual([]);
  });

  test("calls, runs, chains and sends have the same results", async () => {
    expect(await doubled.answer("fn/greet", "Ada")).toBe("hello Ada");
    expect(await doubled.answer("fn/fiveRuns", undefined)).toBe("12345");
    expect(await doubled.answer("fn/chain", 3)).toBe(3);
    const ids = await Promise.all(["a", "b", "c"].map((name) => doubled.send("fn/greet", name)));
    expect(await Promise.all(ids.map((id) => doubled.result(id)))).toEqual(["hello a", "hello b", "hello c"]);
  });
});
