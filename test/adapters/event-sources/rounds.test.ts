/**
 * Tests that several rounds reach all subscriptions if one round has too little time for them, also if different
 * processes make the rounds.
 */
import { LambdaClient } from "@aws-sdk/client-lambda";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EventSourceTopics } from "../../../shared/adapters/event-sources/event-source-topics.ts";
import { LambdaMappings } from "../../../shared/adapters/event-sources/mappings.ts";
import type { SubscriptionId } from "../../../shared/core/model/ids.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { changeKafka, readKafka } from "../../../shared/engine/register/kafka-items.ts";
import { followChange, followOnce } from "../../../shared/engine/topics/follow-subscriptions.ts";
import { stages } from "../../harness/engine/stages.ts";
import { lambdaWithMappings, type LambdaWithMappings } from "./lambda-with-mappings.ts";

const IDS = ["a", "b", "c", "d", "e", "f", "g"].map((name) => `sub_1${name}` as SubscriptionId);
/** Enough for the list of aliases and two new mappings. */
const ROUND_MS = 700;

const open = stages();
let lambda: LambdaWithMappings;
let client: LambdaClient;
let engines: readonly Engine[];
let nowMs: number;

beforeEach(async () => {
  nowMs = 0;
  lambda = await lambdaWithMappings("topics");
  client = new LambdaClient({
    region: "eu-west-1",
    endpoint: lambda.uri,
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  const stage = await open({});
  engines = [stage.actor(), stage.actor()].map(({ engine }) => {
    const clock = { ...engine.clock, nowMs: () => nowMs, sleep: async (ms: number) => (nowMs += ms) > 0 };
    return { ...engine, clock, topics: new EventSourceTopics(new LambdaMappings(client, "topics", clock), clock) };
  });
  const properties = { "bootstrap.servers": "b:1" };
  await change({ kind: "cluster", cluster: { name: "main", properties, createdAtMs: 0 } });
  for (const id of IDS) await change({ kind: "subscription", subscription: subscriptionOf(id) });
});

afterEach(async () => {
  client.destroy();
  await lambda.stop();
});

const change = (what: NonNullable<ReturnType<Parameters<typeof changeKafka>[1]>>) =>
  changeKafka(engines[0]!, () => what);
const subscriptionOf = (id: SubscriptionId) => ({
  id,
  source: "kafka://main/orders",
  sink: "service://S/greet",
  options: {},
});
const followed = (): readonly string[] => Object.keys(lambda.mappings()).map((alias) => alias.split("-")[0]!);
const round = (engine: Engine) => followOnce(engine, nowMs + ROUND_MS);

test("a round continues where the previous one ended, in any process; after the last subscription comes the first", async () => {
  const [first, second] = engines as readonly [Engine, Engine];
  await round(first);
  expect(followed()).toEqual(IDS.slice(0, 2));
  await round(second);
  expect(followed()).toEqual(IDS.slice(0, 4));
  await round(first);
  await round(second);
  expect(followed()).toEqual(IDS);
  // The fourth round created the last mapping, and had time to compare the first three again.
  expect((await readKafka(first)).roundEndedAt).toBe(IDS[2]);
  lambda.settle();
  await followOnce(first);
  expect((await readKafka(first)).roundEndedAt).toBeUndefined();
});

test("a round without time still reaches one subscription, so that several such rounds reach all", async () => {
  for (const _ of IDS) await followOnce(engines[0]!, nowMs);
  expect(followed()).toEqual(IDS);
});

test("a change reaches its own subscription first, and does not move the place where the next round begins", async () => {
  await round(engines[0]!);
  await followChange(engines[1]!, ({ id }) => id === IDS[6]);
  expect(followed()[2]).toBe(IDS[6]);
  expect((await readKafka(engines[0]!)).roundEndedAt).toBe(IDS[1]);
});

test("ending the mappings of removed subscriptions takes half of a round, and the other subscriptions get the rest", async () => {
  for (let at = 0; at < 50; at++) (lambda.aliases as Set<string>).add(`sub_1old${at}-0`);
  await followOnce(engines[0]!, nowMs + 2 * ROUND_MS);
  const left = followed();
  expect(left.filter((id) => id.startsWith("sub_1old"))).toHaveLength(47);
  expect(left).toEqual(expect.arrayContaining(IDS.slice(0, 3)));
});
