/**
 * Two members of one group share a store: the partitions move between them in mid-stream, and each record is accepted once. In
 * the product, no two processes consume over one table: a local process owns its store alone, and on AWS, Lambda is the
 * consumer.
 */
import { expect, test } from "vitest";
import { KafkaTopics } from "../../shared/adapters/kafka/kafka-topics.ts";
import type { ConsumedSubscription } from "../../shared/engine/ports/topics.ts";
import { readKafka } from "../../shared/engine/register/kafka-items.ts";
import { recordSink } from "../../shared/engine/topics/follow-subscriptions.ts";
import { silentLog } from "../recording-log.ts";
import { until } from "../running-processes.ts";
import { startKafka } from "./broker.ts";
import { change, subscribe, subscription } from "./control-plane.ts";
import { accounts, keyedNumbers, totalOf } from "./keyed-numbers.ts";
import { ledger, progress } from "./sinks.ts";
import { openTopicsStage } from "./topics-stage.ts";

const KEYS = 30;
const WAVE = 600;

const { producer, stage } = await openTopicsStage(startKafka, { services: [ledger] });

function member(): KafkaTopics {
  const room = { take: () => Promise.resolve(true), giveBack: () => undefined, close: () => undefined };
  const options = { clock: stage.local.engine.clock, log: silentLog, roomOf: () => room, refusalOf: () => undefined };
  return new KafkaTopics(options);
}

test("while partitions move to another member and back, the handler gets every record exactly once", async () => {
  await producer.createTopic("moving", 6);
  const id = await subscribe(stage, "moving", "Ledger/add", { "heartbeat.interval.ms": "300" });
  const { engine } = stage.local;
  const { subscriptions, clusters } = await readKafka(engine);
  const [stored] = subscriptions;
  const options = { ...stored!.options, "group.instance.id": "other-member" };
  const consumption: ConsumedSubscription = { subscription: { ...stored!, options }, cluster: clusters[0]!, state: {} };
  const other = member();
  let sent = 0;
  const send = async (): Promise<void> => {
    await producer.send("moving", keyedNumbers(WAVE, KEYS, "k", sent));
    sent += WAVE;
  };
  const before = progress.runs;
  await send();
  await until(() => progress.runs > before);
  await other.follow([consumption], recordSink(engine));
  await send();
  await until(async () => (await other.lag(consumption)).length === 3);
  await send();
  const reached = async (): Promise<number> =>
    (await other.lag(consumption)).reduce((all, { nextOffset }) => all + nextOffset, 0);
  const taken = await reached();
  await until(async () => (await reached()) > taken);
  await change(stage, id, { paused: true });
  // The member of the stage has left, and the other one cannot accept while the subscription is paused.
  await send();
  await change(stage, id, { paused: false });
  await other.close();
  await send();

  await until(() => progress.runs >= before + sent);
  await until(async () => totalOf(await accounts(stage, KEYS)).count >= sent);
  expect(totalOf(await accounts(stage, KEYS))).toEqual({ count: sent, sum: (sent * (sent - 1)) / 2, disorder: 0 });
  const { partitions } = await subscription(stage, id);
  expect(partitions.reduce((all, one) => all + one.next_offset, 0)).toBe(sent);
});
