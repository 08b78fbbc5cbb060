/**
 * Each record of a topic becomes one invocation, and records of one key run in order, also after crashes. A bad record pauses its
 * subscription or is skipped.
 */
import { beforeEach, describe, expect, test } from "vitest";
import type { Subscription } from "../../../shared/core/registry/subscription.ts";
import type { TopicRecord } from "../../../shared/core/topics/topic-record.ts";
import { stateOf } from "../../../shared/engine/operate/edit-state.ts";
import { readKafka } from "../../../shared/engine/register/kafka-items.ts";
import { createKafkaCluster, subscribe } from "../../../shared/engine/register/subscribe.ts";
import { acceptRecords } from "../../../shared/engine/topics/accept-records.ts";
import { readPositions } from "../../../shared/engine/topics/position-items.ts";
import {
  pauseSubscription,
  resetSubscription,
  resumeSubscription,
} from "../../../shared/engine/topics/subscription-orders.ts";
import type { Actor, Stage } from "../../harness/engine/engine-fixture.ts";
import { crashAfter, crashBefore } from "../../harness/engine/crash.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { addCount, objectOf, workflowOf } from "../../harness/engine/object-stage.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";
import { rowsOf } from "../../harness/engine/statements.ts";

const open = stages();
const DAY_MS = 86_400_000;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

let calls: string[];
let stage: Stage;
let actor: Actor;

beforeEach(async () => {
  calls = [];
  const note = (ctx: { readonly input: string }): string => {
    calls.push(ctx.input);
    return "";
  };
  stage = await open(
    { greet: note, add: note, get: note, run: note },
    {
      services: [objectOf(["add"], ["get"]), workflowOf()],
      recordSizeMaxBytes: 100,
      acceptanceWaitMs: 4,
      journalRetentionMs: 0,
    },
  );
  actor = stage.actor({ soleOwner: true });
  // Records are driven at once in the slots of the worker.
  actor.startWorker();
  await createKafkaCluster(actor.engine, { name: "main", properties: { "bootstrap.servers": "b:1" } });
});

const subscribed = async (sink: string, options: Record<string, string> = {}): Promise<Subscription> =>
  await stage.pulse.within(
    0,
    subscribe(actor.engine, { source: "kafka://main/orders", sink: `service://${sink}`, options }),
  );

const record = (offset: number, key: string, value = `${key}:${offset}`): TopicRecord => ({
  offset,
  key: bytes(key),
  value: bytes(value),
  timestampMs: stage.pulse.nowMs(),
  headers: [],
});

const accept = async (subscription: Subscription, records: readonly TopicRecord[], by = actor, resetNumber = 0) =>
  await stage.pulse.within(0, acceptRecords(by.engine, { subscription, partition: 0, resetNumber, records }));

async function worked(): Promise<readonly string[]> {
  await stage.pulse.pass(60_000);
  return calls;
}

test("each record invokes the handler once, also if its batch comes again", async () => {
  const subscription = await subscribed("S/greet");
  const records = [record(0, "a"), record(1, "b"), record(4, "c")];
  expect(await accept(subscription, records)).toEqual({
    kind: "accepted",
    nextOffset: 5,
    accepted: 3,
    duplicates: 0,
    skipped: 0,
  });
  const last = record(5, "d");
  expect(await accept(subscription, [...records, last])).toMatchObject({ accepted: 1, duplicates: 3 });
  expect(new Set(await worked())).toEqual(new Set(["a:0", "b:1", "c:4", "d:5"]));
  expect(calls).toHaveLength(4);
  await stage.pulse.pass(3 * DAY_MS);
  expect(await accept(subscription, records)).toMatchObject({ accepted: 0, duplicates: 3 });
  expect(await accept(subscription, [last])).toMatchObject({ accepted: 0, duplicates: 1 });
});

/** @returns the messages that the process has sent */
const messages = (): number =>
  actor.process.calls.filter(({ port, method }) => `${port} ${method}` === "queue send").length;

test("a waiting record goes through the queue after half a second in which no slot is taken or given back", async () => {
  const subscription = await subscribed("S/greet");
  const { activeInvocations } = actor.engine;
  const { slots } = activeInvocations;
  let moves = 0;
  activeInvocations.slots = { take: () => undefined, lastMoveOf: () => moves };
  const waiting = acceptRecords(actor.engine, {
    subscription,
    partition: 0,
    resetNumber: 0,
    records: [record(0, "a"), record(1, "b")],
  });
  for (moves = 1; moves < 5; moves++) await stage.pulse.pass(400);
  expect([calls, messages()]).toEqual([[], 0]);
  activeInvocations.slots = slots!;
  expect(await stage.pulse.within(100, waiting)).toMatchObject({ accepted: 2 });
  expect([calls.length, messages()]).toEqual([2, 0]);
  activeInvocations.slots = { take: () => undefined, lastMoveOf: () => moves };
  const late = acceptRecords(actor.engine, { subscription, partition: 0, resetNumber: 0, records: [record(2, "c")] });
  expect(await stage.pulse.within(600, late)).toMatchObject({ accepted: 1 });
  expect(messages()).toBe(1);
  expect(await worked()).toHaveLength(3);
});

test("records of one key run in the order of their offsets", async () => {
  const subscription = await subscribed("O/add");
  const records = Array.from({ length: 40 }, (_, offset) => record(offset, `k${offset % 3}`));
  expect(await accept(subscription, records)).toMatchObject({ accepted: 40 });
  await worked();
  for (const key of ["k0", "k1", "k2"]) {
    const mine = calls.filter((call) => call.startsWith(`${key}:`)).map((call) => Number(call.slice(3)));
    expect(mine).toEqual(mine.toSorted((a, b) => a - b));
  }
  expect(calls).toHaveLength(40);
});

test("a subscription may have a shared handler or the run of a workflow as its sink; a second record with the key of a workflow is a duplicate", async () => {
  const shared = await subscribed("O/get");
  const runs = await subscribed("W/run");
  await accept(shared, [record(0, "k")]);
  expect(await accept(runs, [record(0, "w"), record(1, "w")])).toMatchObject({
    accepted: 1,
    duplicates: 1,
    nextOffset: 2,
  });
  expect(new Set(await worked())).toEqual(new Set(["k:0", "w:0"]));
  expect(stage.deployment.attempts.map(({ start }) => start.key).toSorted()).toEqual(["k", "w"]);
});

describe("a process that dies", () => {
  const WRITES = 24;
  test.each(Array.from({ length: WRITES }, (_, at) => at))(
    "around write %i of a batch for a service leaves no record out and invokes none twice",
    async (at) => {
      const subscription = await subscribed("S/greet");
      const records = Array.from({ length: 6 }, (_, offset) => record(offset, "a"));
      let seen = 0;
      const isIt = ({ port, method }: { port: string; method: string }): boolean =>
        (port === "table" || port === "queue") && method !== "get" && method !== "query" && seen++ === at >> 1;
      (at % 2 === 0 ? crashBefore : crashAfter)(actor, isIt);
      const first = acceptRecords(actor.engine, { subscription, partition: 0, resetNumber: 0, records }).catch(
        () => undefined,
      );
      await Promise.race([first, stage.pulse.pass(100)]);
      await stage.reboot();
      const next = stage.actor({ soleOwner: true });
      next.startWorker();
      expect(await accept(subscription, [...records, record(6, "a")], next)).toMatchObject({ nextOffset: 7 });
      await stage.pulse.pass(120_000);
      const rows = await rowsOf(next, "SELECT count(*) AS n FROM sys_invocation WHERE completion_result = 'success'");
      expect(rows).toEqual([{ n: 7 }]);
      expect(new Set(calls)).toEqual(new Set(["a:0", "a:1", "a:2", "a:3", "a:4", "a:5", "a:6"]));
    },
  );

  test.each(Array.from({ length: WRITES }, (_, at) => at))(
    "around write %i of a batch leaves no record out and invokes none twice",
    async (at) => {
      const subscription = await subscribed("O/add");
      const records = Array.from({ length: 6 }, (_, offset) => record(offset, `k${offset % 2}`));
      let seen = 0;
      const isIt = ({ port, method }: { port: string; method: string }): boolean =>
        (port === "table" || port === "queue") && method !== "get" && method !== "query" && seen++ === at >> 1;
      (at % 2 === 0 ? crashBefore : crashAfter)(actor, isIt);
      const first = acceptRecords(actor.engine, { subscription, partition: 0, resetNumber: 0, records }).catch(
        () => undefined,
      );
      await Promise.race([first, stage.pulse.pass(1)]);
      await stage.reboot();
      const next = stage.actor({ soleOwner: true });
      next.startWorker();
      expect(await accept(subscription, records, next)).toMatchObject({ nextOffset: 6 });
      await stage.pulse.pass(120_000);
      for (const key of ["k0", "k1"]) {
        const mine = calls.filter((call) => call.startsWith(`${key}:`));
        expect(mine).toEqual(mine.toSorted());
      }
      // An attempt that died with its process is repeated before the attempts of later records with the same key.
      expect(new Set(calls)).toEqual(new Set(["k0:0", "k0:2", "k0:4", "k1:1", "k1:3", "k1:5"]));
      const rows = await rowsOf(next, "SELECT count(*) AS n FROM sys_invocation WHERE completion_result = 'success'");
      expect(rows).toEqual([{ n: 6 }]);
    },
  );
});

test("if two readers of a partition accept the same batch at the same time, each record is added to the state once", async () => {
  const gate = new Gate();
  const counting: Handler = async (ctx) => {
    await gate.passed;
    return addCount(ctx);
  };
  stage = await open({ add: counting }, { services: [objectOf(["add"])], acceptanceWaitMs: 4 });
  actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  await createKafkaCluster(actor.engine, { name: "main", properties: { "bootstrap.servers": "b:1" } });
  const subscription = await subscribed("O/add");
  const records = Array.from({ length: 4 }, (_, offset) => record(offset, "k", String(10 ** offset)));
  const batch = { subscription, partition: 0, resetNumber: 0, records };
  const former = acceptRecords(actor.engine, batch).catch(() => undefined);
  await stage.pulse.settle();
  const latter = acceptRecords(actor.engine, batch);
  await stage.pulse.pass(200);
  gate.open();
  await stage.pulse.within(60_000, Promise.all([former, latter]));
  await stage.pulse.pass(60_000);
  const state = await stateOf(actor.engine, { service: "O", key: "k" });
  expect(new TextDecoder().decode(state?.get("count"))).toBe("1111");
});

describe("a bad record", () => {
  const LARGE = "x".repeat(101);

  test("pauses the subscription; the records before the bad one are accepted", async () => {
    const subscription = await subscribed("S/greet");
    const records = [record(0, "a"), record(1, "b", LARGE), record(2, "c")];
    expect(await accept(subscription, records)).toMatchObject({ kind: "paused", nextOffset: 1, accepted: 1 });
    const { pause } = (await readKafka(actor.engine)).stateOf(subscription.id);
    expect(pause).toMatchObject({ reason: "bad-record", partition: 0, offset: 1, badRecord: "value-too-large" });
    expect(await accept(subscription, [record(2, "c")])).toMatchObject({ kind: "paused", accepted: 0, nextOffset: 2 });
    await resumeSubscription(actor.engine, subscription.id);
    expect(await accept(subscription, records)).toMatchObject({ kind: "paused", nextOffset: 1, duplicates: 1 });
    expect(await worked()).toEqual(["a:0"]);
  });

  test("is passed over and counted if the subscription skips bad records", async () => {
    const subscription = await subscribed("O/add", { "stepwell.bad-records": "skip" });
    const broken = { ...record(1, ""), key: new Uint8Array([0xff]) };
    expect(await accept(subscription, [record(0, "a"), broken, record(2, "b")])).toMatchObject({
      kind: "accepted",
      nextOffset: 3,
      accepted: 2,
      skipped: 1,
    });
    expect((await readPositions(actor.engine, subscription.id)).get(0)).toMatchObject({ skipped: 1, nextOffset: 3 });
    expect(actor.log.lines.filter(({ event }) => event === "record.skipped")).toHaveLength(1);
  });
});

test("a paused subscription accepts nothing", async () => {
  const subscription = await subscribed("S/greet");
  await pauseSubscription(actor.engine, subscription.id, "me");
  expect(await accept(subscription, [record(0, "a")])).toMatchObject({
    kind: "paused",
    accepted: 0,
    nextOffset: 0,
    pause: { reason: "order", by: "me" },
  });
});

test("after a reset, records that are read again invoke the handler again", async () => {
  const subscription = await subscribed("S/greet");
  await accept(subscription, [record(0, "a"), record(1, "b")]);
  await resetSubscription(actor.engine, subscription.id, { kind: "earliest" });
  const again = async () => await accept(subscription, [record(0, "a"), record(1, "b")], actor, 1);
  expect(await again()).toMatchObject({ accepted: 2, duplicates: 0 });
  expect(await again()).toMatchObject({ accepted: 0, duplicates: 2 });
});

test("the records of a topic that was created again are new, though their offsets are not", async () => {
  const subscription = await subscribed("S/greet");
  await accept(subscription, [record(0, "a"), record(1, "b")]);
  await stage.pulse.pass(1_000);
  expect(await accept(subscription, [record(0, "c")])).toMatchObject({ accepted: 1 });
  expect(await accept(subscription, [record(0, "c"), record(1, "d")])).toMatchObject({ accepted: 1 });
});
