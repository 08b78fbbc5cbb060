/**
 * Event source mappings follow the subscriptions: each is created, paused, replaced after a reset, and deleted;
 * problems are stored with the subscription.
 */
import { LambdaClient } from "@aws-sdk/client-lambda";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EventSourceTopics } from "../../../shared/adapters/event-sources/event-source-topics.ts";
import { LambdaMappings } from "../../../shared/adapters/event-sources/mappings.ts";
import type { SubscriptionId } from "../../../shared/core/model/ids.ts";
import type { SubscriptionState } from "../../../shared/core/topics/subscription-state.ts";
import type { Clock } from "../../../shared/engine/ports/clock.ts";
import type { ConsumedSubscription, RecordSink } from "../../../shared/engine/ports/topics.ts";
import { lambdaWithMappings, type LambdaWithMappings } from "./lambda-with-mappings.ts";

const ID = "sub_1abc" as SubscriptionId;
const FIRST = `${ID}-0`;

let lambda: LambdaWithMappings;
let topics: EventSourceTopics;
let client: LambdaClient;
let failures: string[];
let waits: number[];

beforeEach(async () => {
  failures = [];
  waits = [];
  lambda = await lambdaWithMappings("topics");
  client = new LambdaClient({
    region: "eu-west-1",
    endpoint: lambda.uri,
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  const clock = {
    sleep: async (ms: number) => waits.push(ms) > 0,
    nowMs: () => waits.reduce((sum, ms) => sum + ms, 0),
  } as unknown as Clock;
  topics = new EventSourceTopics(new LambdaMappings(client, "topics", clock), clock);
});

afterEach(async () => {
  client.destroy();
  await lambda.stop();
});

const sink = {
  failed: async (id: SubscriptionId, message: string) => void failures.push(`${id}: ${message}`),
} as unknown as RecordSink;

function consumption(
  state: SubscriptionState = {},
  properties: Record<string, string> = {},
  options = {},
): ConsumedSubscription {
  return {
    subscription: { id: ID, source: "kafka://main/orders", sink: "service://S/greet", options },
    cluster: { name: "main", properties: { "bootstrap.servers": "b1:9092,b2", ...properties }, createdAtMs: 0 },
    state,
  };
}

const follow = (...wanted: readonly ConsumedSubscription[]) => topics.follow(wanted, sink);
const only = () => lambda.mappings()[FIRST]![0]!;

test("a subscription gets an alias and a mapping, and a repeated round changes nothing", async () => {
  await follow(consumption({}, {}, { "auto.offset.reset": "earliest" }));
  expect(only()).toMatchObject({
    Topics: ["orders"],
    StartingPosition: "TRIM_HORIZON",
    SelfManagedEventSource: { Endpoints: { KAFKA_BOOTSTRAP_SERVERS: ["b1:9092", "b2:9092"] } },
    SelfManagedKafkaEventSourceConfig: { ConsumerGroupId: ID },
  });
  const { length } = lambda.changes;
  for (let round = 0; round < 3; round++) {
    await follow(consumption({}, {}, { "auto.offset.reset": "earliest" }));
    lambda.settle();
  }
  expect(lambda.changes).toHaveLength(length);
  expect(failures).toEqual([]);
});

test("requests are 100 ms apart, because all clients of an account share 15 requests a second", async () => {
  await follow(consumption());
  expect(waits).toEqual([100, 100, 100, 100]);
});

test("a pause disables the mapping once Lambda accepts the change, and a resumption enables it", async () => {
  await follow(consumption());
  const pause = { reason: "order", atMs: 1 } as const;
  await follow(consumption({ pause }));
  expect(only().State).toBe("Creating");
  lambda.settle();
  await follow(consumption({ pause }));
  lambda.settle();
  expect(only().State).toBe("Disabled");
  await follow(consumption());
  lambda.settle();
  expect(only().State).toBe("Enabled");
});

test("after a reset, a new mapping with another group and alias reads the topic, and the former mapping ends", async () => {
  await follow(consumption());
  lambda.settle();
  const reset = { number: 2, to: { kind: "time", atMs: 1_000 }, atMs: 5 } as const;
  await follow(consumption({ reset }));
  lambda.settle();
  await follow(consumption({ reset }));
  expect(Object.keys(lambda.mappings())).toEqual([`${ID}-2`]);
  expect(lambda.mappings()[`${ID}-2`]![0]).toMatchObject({
    StartingPosition: "AT_TIMESTAMP",
    StartingPositionTimestamp: 1,
    SelfManagedKafkaEventSourceConfig: { ConsumerGroupId: `${ID}-2` },
  });
});

test("a removed subscription ends its mapping first and then its alias, and aliases of others stay", async () => {
  await follow(consumption());
  lambda.settle();
  (lambda.aliases as Set<string>).add("live");
  await follow();
  expect([...lambda.aliases]).toEqual([FIRST, "live"]);
  lambda.settle();
  await follow();
  expect([...lambda.aliases]).toEqual(["live"]);
});

test("another cluster makes another mapping, and other credentials change the existing one", async () => {
  await follow(consumption());
  lambda.settle();
  const first = only().UUID;
  const secret = { "security.protocol": "sasl_ssl", "sasl.mechanism": "SCRAM-SHA-512", "aws.secret-arn": "arn:secret" };
  await follow(consumption({}, secret));
  lambda.settle();
  expect([only().UUID, only().SourceAccessConfigurations]).toEqual([
    first,
    [{ Type: "SASL_SCRAM_512_AUTH", URI: "arn:secret" }],
  ]);
  for (let round = 0; round < 2; round++) {
    await follow(consumption({}, { ...secret, "bootstrap.servers": "c:9092" }));
    lambda.settle();
  }
  expect(only().UUID).not.toBe(first);
});

test("a problem that Lambda reports for a topic is stored with its subscription, and a healthy topic stores none", async () => {
  await follow(consumption());
  lambda.settle();
  lambda.report(FIRST, "PROBLEM: Connection error. Your VPC must be able to connect to Lambda.");
  await follow(consumption());
  expect(failures).toEqual([`${ID}: Connection error. Your VPC must be able to connect to Lambda.`]);
  lambda.report(FIRST, "OK");
  await follow(consumption());
  expect(failures).toHaveLength(1);
});

test("if Lambda refuses to delete an alias, its subscription gets the problem, and the round serves the others", async () => {
  await follow(consumption());
  lambda.settle();
  (lambda.aliases as Set<string>).add("sub_1old-0");
  lambda.refuse("DELETE", "sub_1old-0");
  await follow(consumption({}, {}, { "group.id": "other" }));
  lambda.settle();
  await follow(consumption({}, {}, { "group.id": "other" }));
  expect(failures).toEqual(["sub_1old: it is refused", "sub_1old: it is refused"]);
  expect(only().SelfManagedKafkaEventSourceConfig).toEqual({ ConsumerGroupId: "other" });
});

test("a subscription that no mapping can serve fails alone", async () => {
  const other = consumption({}, { "sasl.password": "secret" });
  await follow({ ...other, subscription: { ...other.subscription, id: "sub_1bad" as SubscriptionId } }, consumption());
  expect(failures).toEqual([
    "sub_1bad: On AWS sasl.password has no effect: store the credentials in Secrets Manager, and name the secret in aws.secret-arn",
  ]);
  expect(lambda.mappings()[FIRST]).toHaveLength(1);
});

test("while a mapping of another function reads the topic with the same group, each round reports the conflict", async () => {
  const mine = consumption({}, {}, { "group.id": "shared" });
  lambda.addForeign("orders", "shared");
  await follow(mine);
  expect(failures).toEqual([
    `${ID}: Lambda makes no event source mapping for the topic 'orders' with the group 'shared', because another ` +
      "mapping conflicts with it (it exists): end that mapping, or give this subscription another group.id",
  ]);
  await follow(mine);
  expect(failures).toHaveLength(2);
  lambda.removeForeign();
  await follow(mine);
  expect(failures).toHaveLength(2);
  expect(lambda.mappings()[FIRST]).toHaveLength(1);
});

test("a mapping that another process makes meanwhile is no failure", async () => {
  lambda.forestallNext();
  await follow(consumption());
  expect(failures).toEqual([]);
  expect(lambda.mappings()[FIRST]).toHaveLength(1);
});
