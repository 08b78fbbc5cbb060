/** The ceilings in docs/operating/evidence.md are those of the current engine, stack and quotas; `npm run docs` writes them. */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { resourcesOf, synthesised } from "../infra/synthesised.ts";
import { countCall, fullestShare } from "./ceiling-counts.ts";
import { beside, ceilings, listing, SHARDS, SHARDS_MAX, type CeilingFacts } from "./ceilings.ts";
import { QUOTA_SOURCES, round, withCeilings } from "./ceilings-section.ts";
import { QUOTAS } from "./quotas.ts";
import { LOOKS_PER_S, sleepersOf } from "./sweeper-capacity.ts";
import { withSweeper } from "./sweeper-section.ts";

const PAGE = new URL("../../docs/operating/evidence.md", import.meta.url);

/** The aim of the default stack. */
const ACCEPTED_PER_S = 1_000;
const SLEEPERS = 10_000_000;

describe("the ceilings on docs/operating/evidence.md", () => {
  const page = readFileSync(PAGE, "utf8");
  let facts: CeilingFacts;
  beforeAll(async () => {
    const sources = resourcesOf(synthesised(), "AWS::Lambda::EventSourceMapping").map(
      ([, { Properties }]) => Properties,
    );
    const [slow] = sources.filter(({ EventSourceArn }) => JSON.stringify(EventSourceArn).includes("SlowQueue"));
    const [main] = sources.filter((source) => source !== slow);
    const workersOf = ({ ScalingConfig }: Readonly<Record<string, unknown>>): number =>
      (ScalingConfig as { readonly MaximumConcurrency: number }).MaximumConcurrency;
    facts = {
      call: await countCall("call with 1 run"),
      parked: await countCall("send that sleeps"),
      exclusive: await countCall("exclusive call, uncontended"),
      fullestShare: { 1: fullestShare(1), [SHARDS]: fullestShare(SHARDS), [SHARDS_MAX]: fullestShare(SHARDS_MAX) },
      workersMax: workersOf(main!),
      slowWorkersMax: workersOf(slow!),
      batch: main!["BatchSize"] as number,
    };
  });

  it("are those of the current counts and quotas", async () => {
    await expect(withSweeper(withCeilings(page, facts))).toMatchFileSnapshot("../../docs/operating/evidence.md");
  });

  it("equal the values that follow from the counts and times in the comments of this test", () => {
    const of = (what: string): number => ceilings(facts).find((each) => each.what === what)!.callsPerS;
    // Three writes of the table and one of the index, two reads, one message.
    expect(of("writes of a new table")).toBeCloseTo(4_000 / 3, 6);
    expect(of("reads of a new table")).toBeCloseTo(12_000 / 2, 6);
    // 120 ms of the ingress, 100 ms of the handler and a tenth of 20 ms of a worker.
    expect(of("Lambda, environments at once")).toBeCloseTo(1_000 / 0.222, 6);
    expect(of("workers, all calls being sends")).toBeCloseTo((100 * 10) / 0.12, 6);
    expect(of("API Gateway")).toBe(10_000);
    expect(of("head of the registry")).toBeCloseTo((3_000 - 150) / 0.12, 6);
  });

  it("of the listing are at most 1,000 calls a second for each shard, and grow by more than half with twice the shards", () => {
    const [eight, sixteen] = [listing(facts, SHARDS), listing(facts, SHARDS_MAX)];
    expect(eight.callsPerS).toBeLessThanOrEqual(1_000 * SHARDS);
    expect(sixteen.callsPerS).toBeLessThanOrEqual(1_000 * SHARDS_MAX);
    expect(sixteen.callsPerS).toBeGreaterThan(1.5 * eight.callsPerS);
  });

  it("count two writes of the lock for each exclusive call of one key", () => {
    expect(beside(facts).find(({ what }) => what === "exclusive calls of one key")!.callsPerS).toBe(500);
  });

  it("carry ten million sleepers and a thousand acceptances a second with the default stack", () => {
    expect(ACCEPTED_PER_S / LOOKS_PER_S).toBeLessThan(facts.workersMax / 10);
    expect(sleepersOf(SHARDS)).toBeGreaterThan(SLEEPERS);
  });

  it("are rounded down", () => {
    expect([1_333.3, 500, 262.5, 24_166, 8_333].map(round)).toEqual(["1,300", "500", "260", "24,000", "8,300"]);
  });

  it("name the source of every quota", () => {
    expect(QUOTA_SOURCES.every((source) => source.length > 0)).toBe(true);
    expect(Object.values(QUOTAS).every(({ value }) => value > 0)).toBe(true);
  });
});
