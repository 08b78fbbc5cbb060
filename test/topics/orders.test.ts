/** Tests pause, resume, reset, removal and bad records of a subscription, and a cluster or a topic that is missing. */
import { expect, test } from "vitest";
import { until } from "../running-processes.ts";
import { ask, change, subscribe, subscription } from "./control-plane.ts";
import { openNotedStage } from "./topics-stage.ts";

const LARGE = "x".repeat(70_000);

const { producer, stage, seen, topic } = await openNotedStage("orders", { "ingress.request-size-limit": "64KiB" });

const texts = (): readonly string[] => seen.map(({ text }) => text).toSorted();
const send = (...values: readonly string[]) =>
  producer.send(
    topic(),
    values.map((value) => ({ key: "k", value })),
  );
const got = (count: number) => until(() => seen.length >= count);

test("a paused subscription reads nothing, and goes on where it was", async () => {
  const id = await subscribe(stage, topic(), "Plain/take");
  await send("1");
  await got(1);
  expect((await change(stage, id, { paused: true })).status).toBe("paused");
  await send("2");
  expect((await change(stage, id, { paused: false })).status).toBe("consuming");
  await send("3");
  await got(3);
  expect(texts()).toEqual(["1", "2", "3"]);
});

test("a reset to the beginning, to an offset and to a moment lets handlers run again", async () => {
  const id = await subscribe(stage, topic(), "Plain/take");
  await send("1", "2");
  await got(2);
  await change(stage, id, { reset: { to: "earliest" } });
  await got(4);
  expect(texts()).toEqual(["1", "1", "2", "2"]);
  await change(stage, id, { reset: { offsets: { "0": 1 } } });
  await got(5);
  expect(texts()).toEqual(["1", "1", "2", "2", "2"]);
  const time = new Date(Date.now() - 3_600_000).toISOString();
  await change(stage, id, { reset: { time } });
  await got(7);
  expect(texts()).toEqual(["1", "1", "1", "2", "2", "2", "2"]);
  // Handlers run before the position of their batch is stored.
  await until(async () => (await subscription(stage, id)).partitions[0]?.next_offset === 2);
  const movedAt = async (): Promise<string | undefined> => (await subscription(stage, id)).partitions[0]?.moved_at;
  const before = await movedAt();
  await change(stage, id, { reset: { to: "latest" } });
  await until(async () => (await movedAt()) !== before);
  await send("3");
  await got(8);
  expect(texts().at(-1)).toBe("3");
});

test("a removed subscription reads nothing more; a new one begins at the place that its options name", async () => {
  const id = await subscribe(stage, topic(), "Plain/take");
  await send("1");
  await got(1);
  await ask(stage, "DELETE", `subscriptions/${id}`);
  await send("2");
  await subscribe(stage, topic(), "Thing/take");
  await got(3);
  expect(seen.map(({ handler, text }) => `${handler} ${text}`)).toEqual(["Plain 1", "exclusive 1", "exclusive 2"]);
});

test("a group that begins at the end misses no record that comes while nothing reads", async () => {
  await send("before");
  const id = await subscribe(stage, topic(), "Plain/take", { "auto.offset.reset": "latest" });
  await until(async () => (await producer.committed(id, topic(), 1))[0] === 1);
  await change(stage, id, { paused: true });
  await send("meanwhile");
  await change(stage, id, { paused: false });
  await got(1);
  expect(texts()).toEqual(["meanwhile"]);
});

test("a record that is too large pauses its subscription at that record, and an operator skips the record", async () => {
  const id = await subscribe(stage, topic(), "Plain/take");
  await send("1", LARGE, "2");
  await until(async () => (await subscription(stage, id)).status === "paused");
  const { pause, partitions } = await subscription(stage, id);
  expect(pause).toMatchObject({ reason: "bad-record", partition: 0, offset: 1, bad_record: "value-too-large" });
  expect(partitions).toMatchObject([{ partition: 0, next_offset: 1 }]);
  expect(texts()).toEqual(["1"]);
  await change(stage, id, { paused: false, reset: { offsets: { "0": 2 } } });
  await got(2);
  expect(texts()).toEqual(["1", "2"]);
});

test("a subscription that skips bad records counts them, and goes on", async () => {
  const id = await subscribe(stage, topic(), "Thing/take", { "stepwell.bad-records": "skip" });
  await producer.send(topic(), [
    { key: Buffer.from([0xff, 0xfe]), value: "malformed" },
    { key: "k", value: LARGE },
    { key: "k", value: "good" },
  ]);
  await got(1);
  expect(texts()).toEqual(["good"]);
  await until(async () => (await subscription(stage, id)).partitions[0]?.next_offset === 3);
  expect((await subscription(stage, id)).partitions).toMatchObject([{ skipped: 2 }]);
});

test("an unreachable cluster, and properties that are wrong, are shown with the subscription", async () => {
  await ask(stage, "POST", "kafka-clusters", { name: "away", properties: { "bootstrap.servers": "127.0.0.1:1" } });
  const body = { source: "kafka://away/t", sink: "service://Plain/take", options: {} };
  const { id } = await ask<{ id: string }>(stage, "POST", "subscriptions", body);
  const failure = async (): Promise<string> => (await subscription(stage, id)).last_error?.message ?? "";
  await until(async () => /ECONNREFUSED/.test(await failure()));
  expect((await subscription(stage, id)).status).toBe("failing");
  const properties = { "bootstrap.servers": "169.254.169.254:80", "socket.connection.setup.timeout.ms": "500" };
  await ask(stage, "PATCH", "kafka-clusters/away", { properties });
  await until(async () => /metadata service/.test(await failure()));
  await ask(stage, "PATCH", "kafka-clusters/away", {
    properties: { "bootstrap.servers": "b:1", "security.protocol": "x" },
  });
  await until(async () => /security\.protocol/.test(await failure()));
  await ask(stage, "DELETE", `subscriptions/${id}`);
});

test("a subscription to a topic that does not exist fails, and reads the topic once it exists", async () => {
  const id = await subscribe(stage, "not-yet", "Plain/take");
  await until(async () => (await subscription(stage, id)).status === "failing");
  await producer.createTopic("not-yet", 1);
  await producer.send("not-yet", [{ value: "there" }]);
  await until(() => seen.length > 0);
  expect(texts()).toEqual(["there"]);
});

test("a topic that is deleted and created again is read from its new beginning", async () => {
  const id = await subscribe(stage, topic(), "Plain/take");
  await send("old 1", "old 2");
  await got(2);
  await until(async () => (await producer.committed(id, topic(), 1))[0] === 2);
  await producer.deleteTopic(topic());
  await until(async () => (await subscription(stage, id)).status === "failing");
  await producer.createTopic(topic(), 1);
  await send("new 1");
  await until(() => seen.length >= 3);
  expect(texts()).toEqual(["new 1", "old 1", "old 2"]);
});
