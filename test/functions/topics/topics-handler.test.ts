/** Tests the topics function over an engine: records are accepted once, and a batch that cannot be accepted comes again. */
import { beforeEach, expect, test } from "vitest";
import { topicsHandler, type CalledFunction } from "../../../functions/topics/topics-handler.ts";
import { BatchNotAccepted, type KafkaEvent } from "../../../shared/wiring/deliver-records.ts";
import { readSettings } from "../../../shared/config/settings.ts";
import type { Subscription } from "../../../shared/core/registry/subscription.ts";
import { createKafkaCluster, subscribe, unsubscribe } from "../../../shared/engine/register/subscribe.ts";
import { pauseSubscription, resetSubscription } from "../../../shared/engine/topics/subscription-orders.ts";
import type { Actor, Stage } from "../../harness/engine/engine-fixture.ts";
import { objectOf } from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";
import { eventRecord, kafkaEvent } from "./recorded-event.ts";

const open = stages();
const { settings } = readSettings({ environment: {}, flags: {} });

let calls: string[];
let stage: Stage;
let actor: Actor;
let subscription: Subscription;

beforeEach(async () => {
  calls = [];
  const note = (ctx: { readonly input: string }): string => String(calls.push(ctx.input));
  stage = await open({ add: note, greet: note }, { services: [objectOf(["add"], [])], journalRetentionMs: 0 });
  actor = stage.actor();
  const { engine } = actor;
  await createKafkaCluster(engine, { name: "main", properties: { "bootstrap.servers": "b:1" } });
  const asked = { source: "kafka://main/orders", sink: `service://${objectOf([], []).name}/add`, options: {} };
  subscription = await stage.pulse.within(0, subscribe(engine, asked));
});

const arn = (alias: string): string => `arn:aws:lambda:eu-west-1:111122223333:function:topics:${alias}`;

async function deliver(event: KafkaEvent, alias = `${subscription.id}-0`): Promise<number> {
  const context: CalledFunction = { invokedFunctionArn: arn(alias), getRemainingTimeInMillis: () => 60_000 };
  const handler = topicsHandler({ engine: actor.engine, settings });
  return (await stage.pulse.within(1_000, handler(event, context))).accepted;
}

const EVENT = kafkaEvent(eventRecord(0, 0, "a", "a0"), eventRecord(0, 1, "a", "a1"), eventRecord(1, 0, "b", "b0"));

test("each record invokes the handler once, even from a repeated batch, and records of one key keep their order", async () => {
  expect(await deliver(EVENT)).toBe(3);
  expect(await deliver(EVENT)).toBe(0);
  actor.startWorker();
  await stage.pulse.pass(10_000);
  expect(calls.toSorted()).toEqual(["a0", "a1", "b0"]);
  expect(calls.indexOf("a0")).toBeLessThan(calls.indexOf("a1"));
});

test("a batch for a paused subscription fails, so Lambda keeps it", async () => {
  await pauseSubscription(actor.engine, subscription.id);
  await expect(deliver(EVENT)).rejects.toThrow(BatchNotAccepted);
});

test("after a reset, a batch of the previous event source mapping fails, and does not move the new position", async () => {
  await resetSubscription(actor.engine, subscription.id, { kind: "earliest" });
  await expect(deliver(EVENT)).rejects.toThrow(/was reset/);
  expect(await deliver(EVENT, `${subscription.id}-1`)).toBe(3);
});

test("records of a removed subscription are dropped, and a call without an alias is refused", async () => {
  await unsubscribe(actor.engine, subscription.id);
  expect(await deliver(EVENT)).toBe(0);
  await expect(deliver(EVENT, "$LATEST")).rejects.toThrow(/names no subscription/);
});
