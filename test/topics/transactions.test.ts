/** Transactions over Kafka: records of aborted ones invoke nothing, and records of committed ones do, wherever the markers lie. */
import "../../examples/polyfill.mjs";
import * as client from "@platformatic/kafka";
import { afterAll, expect, test } from "vitest";
import { until } from "../running-processes.ts";
import { startKafka } from "./broker.ts";
import { subscribe, subscription } from "./control-plane.ts";
import { noteTakers, type Seen } from "./sinks.ts";
import { openTopicsStage } from "./topics-stage.ts";

const TOPIC = "transactions";
/** A value of this size makes an answer to a fetch end after a record or two, so markers come with later answers. */
const WIDE = "x".repeat(3_000);
const FETCHES = { "max.partition.fetch.bytes": "4000", "fetch.message.max.bytes": "4000" };

const seen: Seen[] = [];
const { producer, stage, broker } = await openTopicsStage(startKafka, { services: noteTakers(seen) });

const transactional = new client.Producer({
  clientId: "transactional",
  bootstrapBrokers: [broker.address],
  transactionalId: "tests",
  idempotent: true,
  retries: 5,
  retryDelay: 200,
});
afterAll(() => transactional.close());

/** Writes the values one request after the other, so that each has a batch of its own. */
async function transact(end: "commit" | "abort", ...values: readonly string[]): Promise<void> {
  const transaction = await transactional.beginTransaction();
  for (const value of values) {
    const messages = [{ topic: TOPIC, partition: 0, value: Buffer.from(value + WIDE) }];
    await transaction.send({ messages, acks: -1 });
  }
  await transaction[end]();
}

test("several transactions of one producer abort, and their markers come with later fetches", async () => {
  await producer.createTopic(TOPIC, 1);
  await transact("abort", "a1", "a2", "a3");
  await transact("commit", "c1", "c2");
  await transact("abort", "a4", "a5");
  await transact("abort", "a6");
  await transact("commit", "c3");
  await producer.send(TOPIC, [{ value: "plain", partition: 0 }]);
  for (const fetch of [FETCHES, {}]) {
    seen.length = 0;
    const id = await subscribe(stage, TOPIC, "Plain/take", fetch);
    await until(() => seen.length >= 4);
    await until(async () => (await subscription(stage, id)).partitions[0]?.lag === 0);
    expect(seen.map(({ text }) => text.replace(WIDE, "")).toSorted()).toEqual(["c1", "c2", "c3", "plain"]);
  }
});
