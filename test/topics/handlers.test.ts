/**
 * Every type of handler as the sink of a subscription: key, input, headers, trace and origin (the cases of upstream's Kafka
 * suite).
 */
import { expect, test } from "vitest";
import { until } from "../running-processes.ts";
import { ask, subscribe } from "./control-plane.ts";
import { openNotedStage } from "./topics-stage.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const TRACEPARENT = `00-${TRACE}-b7ad6b7169203331-01`;

const { producer, stage, seen, topic } = await openNotedStage("handlers");

test.each([
  ["a service", "Plain/take", "Plain", undefined],
  ["a private handler", "Plain/hidden", "hidden", undefined],
  ["an exclusive handler of an object", "Thing/take", "exclusive", "a"],
  ["a shared handler of an object", "Thing/look", "shared", "a"],
  ["the run of a workflow", "Flow/run", "run", "a"],
  ["a shared handler of a workflow", "Flow/ask", "ask", "a"],
])("%s gets the record, its origin and its trace", async (_what, sink, handler, key) => {
  const id = await subscribe(stage, topic(), sink);
  const headers = { traceparent: TRACEPARENT, secret: "hidden" };
  await producer.send(topic(), [{ key: "a", value: "the value", headers }]);
  await until(() => seen.length > 0);
  const [one] = seen;
  expect(one).toMatchObject({
    handler,
    text: "the value",
    ...(key !== undefined && { key }),
    headers: {
      "kafka.offset": "0",
      "kafka.topic": topic(),
      "kafka.partition": "0",
      "kafka.timestamp": expect.stringMatching(/^\d{13}$/),
      "kafka.key": "YQ==",
      "restate.subscription.id": id,
    },
  });
  expect(one!.headers).not.toHaveProperty("secret");
  // The handler runs before the acceptance is durable, because the acceptance waits for the first segment.
  let rows: readonly object[] = [];
  await until(async () => {
    ({ rows } = await ask<{ readonly rows: readonly object[] }>(stage, "POST", "query", {
      query: `SELECT invoked_by, invoked_by_subscription_id, trace_id FROM sys_invocation WHERE id = '${one!.id}'`,
    }));
    return rows.length > 0;
  });
  expect(rows).toEqual([{ invoked_by: "subscription", invoked_by_subscription_id: id, trace_id: TRACE }]);
});

test("a record without a key and a value invokes the object with the empty key, and the input is empty", async () => {
  await subscribe(stage, topic(), "Thing/take");
  await producer.send(topic(), [{}]);
  await until(() => seen.length > 0);
  expect(seen).toMatchObject([{ handler: "exclusive", key: "", text: "" }]);
  expect(seen[0]!.headers).not.toHaveProperty("kafka.key");
});

test("a second record with the key of a workflow invokes nothing", async () => {
  await subscribe(stage, topic(), "Flow/run");
  await producer.send(topic(), [
    { key: `${topic()}-1`, value: "first" },
    { key: `${topic()}-1`, value: "second" },
    { key: `${topic()}-2`, value: "third" },
  ]);
  await until(() => seen.length > 1);
  expect(new Set(seen.map(({ text }) => text))).toEqual(new Set(["first", "third"]));
});

test("two subscriptions of one topic each get every record", async () => {
  await subscribe(stage, topic(), "Plain/take");
  await subscribe(stage, topic(), "Thing/take");
  await producer.send(topic(), [{ key: "a", value: "1" }]);
  await until(() => seen.length > 1);
  expect(new Set(seen.map(({ handler }) => handler))).toEqual(new Set(["Plain", "exclusive"]));
});

test.each(["gzip", "snappy", "lz4"] as const)(
  "records in batches that are compressed with %s are read",
  async (compression) => {
    await subscribe(stage, topic(), "Plain/take");
    const values = Array.from({ length: 50 }, (_, at) => `${compression} ${at} ${"x".repeat(200)}`);
    await producer.send(
      topic(),
      values.map((value) => ({ value })),
      compression,
    );
    await until(() => seen.length >= values.length);
    expect(new Set(seen.map(({ text }) => text))).toEqual(new Set(values));
  },
);
