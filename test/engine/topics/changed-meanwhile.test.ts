/**
 * A subscription, its topic or its process changes while a batch is under acceptance: the batch belongs to the reset for which it was
 * read, and to the topic from which it was read (I7).
 */
import { beforeEach, describe, expect, test } from "vitest";
import type { Subscription } from "../../../shared/core/registry/subscription.ts";
import type { TopicRecord } from "../../../shared/core/topics/topic-record.ts";
import { type Item, StoreError } from "../../../shared/engine/ports/table.ts";
import { createKafkaCluster, subscribe } from "../../../shared/engine/register/subscribe.ts";
import { acceptRecords } from "../../../shared/engine/topics/accept-records.ts";
import { recordSink, removeSubscription } from "../../../shared/engine/topics/follow-subscriptions.ts";
import { readPosition, readPositions } from "../../../shared/engine/topics/position-items.ts";
import { resetSubscription } from "../../../shared/engine/topics/subscription-orders.ts";
import type { Actor, Stage } from "../../harness/engine/engine-fixture.ts";
import type { PortCall } from "../../harness/engine/engine-process.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { objectOf } from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";
import { writesHold } from "../../harness/engine/hold-writes.ts";

const open = stages();
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const record = (offset: number, value: string, timestampMs = 1): TopicRecord => ({
  offset,
  timestampMs,
  key: bytes("k"),
  value: bytes(value),
  headers: [],
});

let calls: string[];
let slow: Gate;
let stage: Stage;
let actor: Actor;
let subscription: Subscription;

beforeEach(async () => {
  calls = [];
  slow = new Gate();
  const note = async (ctx: { readonly input: string }): Promise<string> => {
    calls.push(ctx.input);
    if (ctx.input === "slow") await slow.passed;
    return "";
  };
  stage = await open({ greet: note, add: note }, { services: [objectOf(["add"])], acceptanceWaitMs: 4 });
  actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  await createKafkaCluster(actor.engine, { name: "main", properties: { "bootstrap.servers": "b:1" } });
  subscription = await subscribed("S/greet");
});

const subscribed = async (sink: string): Promise<Subscription> =>
  await stage.pulse.within(
    0,
    subscribe(actor.engine, { source: "kafka://main/orders", sink: `service://${sink}`, options: {} }),
  );

interface By {
  readonly resetNumber?: number;
  readonly topicId?: string;
  readonly to?: Subscription;
  readonly process?: Actor;
}

const accept = ({ resetNumber = 0, topicId, to = subscription, process = actor }: By, ...records: TopicRecord[]) =>
  stage.pulse.within(
    10_000,
    acceptRecords(process.engine, {
      subscription: to,
      partition: 0,
      resetNumber,
      ...(topicId !== undefined && { topicId }),
      records,
    }),
  );

const place = (resetNumber: number, topicId?: string) => ({
  subscription,
  partition: 0,
  resetNumber,
  ...(topicId !== undefined && { topicId }),
});

/** Lets the first such call of the process wait. */
function holdUp(isIt: (call: PortCall) => boolean): { readonly reached: Promise<void>; readonly gate: Gate } {
  const [gate, reached] = [new Gate(), new Gate()];
  actor.process.before = (call) => {
    if (!isIt(call)) return undefined;
    actor.process.before = undefined;
    reached.open();
    return gate.passed;
  };
  return { reached: reached.passed, gate };
}

const writesPosition = ({ port, method, args: [item] }: PortCall): boolean =>
  port === "table" && method === "put" && (item as { readonly sk: string }).sk.startsWith("at#");
const writesMoved = (call: PortCall): boolean =>
  writesPosition(call) && Number((call.args[0] as { readonly nextOffset: number }).nextOffset) > 0;

describe("a reset", () => {
  test("is applied by the next reader, though a batch that was fetched before it comes after it", async () => {
    await accept({}, record(0, "a"), record(1, "b"));
    await resetSubscription(actor.engine, subscription.id, { kind: "earliest" });
    expect(await accept({}, record(2, "c"))).toMatchObject({ kind: "outdated", accepted: 0 });
    expect(await recordSink(actor.engine).beginningOf(place(1))).toEqual({ resetTo: { kind: "earliest" } });
    expect(await recordSink(actor.engine).beginningOf(place(0))).toBeUndefined();
  });

  test("lets the records of its event source mapping invoke their handlers again, though an old event ended late", async () => {
    await accept({}, record(0, "a"), record(1, "b"));
    await resetSubscription(actor.engine, subscription.id, { kind: "earliest" });
    await accept({}, record(2, "c"));
    const again = [record(0, "a"), record(1, "b"), record(2, "c")];
    expect(await accept({ resetNumber: 1 }, ...again)).toMatchObject({ accepted: 3, duplicates: 0 });
    await stage.pulse.pass(1_000);
    expect(calls.toSorted()).toEqual(["a", "a", "b", "b", "c"]);
  });

  test("has moved the position: a batch whose process read the subscription a moment before is outdated", async () => {
    await accept({}, record(0, "a"), record(1, "b"));
    const held = holdUp(
      ({ port, method, args: [key] }) =>
        port === "table" && method === "get" && (key as { readonly sk: string }).sk.startsWith("at#"),
    );
    const late = accept({}, record(2, "c"));
    await held.reached;
    await stage.pulse.pass(10);
    await resetSubscription(actor.engine, subscription.id, { kind: "earliest" });
    await recordSink(actor.engine).moved(place(1), 0);
    held.gate.open();
    expect(await late).toMatchObject({ kind: "outdated", accepted: 0 });
    expect((await readPosition(actor.engine, subscription.id, 0))?.position).toMatchObject({
      resetNumber: 1,
      nextOffset: 0,
    });
  });

  test("moves the position, though a batch under acceptance moves it first", async () => {
    await accept({}, record(0, "a"));
    await resetSubscription(actor.engine, subscription.id, { kind: "earliest" });
    const stored = await readPosition(actor.engine, subscription.id, 0);
    const held = holdUp(writesPosition);
    const moving = stage.pulse.within(1_000, recordSink(actor.engine).moved(place(1), 0));
    await held.reached;
    await stage.stores.table.put({
      pk: `topic#${subscription.id}`,
      sk: "at#0000000000",
      ...stored!.position,
      landmarks: "",
      nextOffset: 7,
      version: stored!.version + 1,
    });
    held.gate.open();
    await moving;
    expect((await readPosition(actor.engine, subscription.id, 0))?.position).toMatchObject({
      resetNumber: 1,
      nextOffset: 0,
    });
  });
});

describe("a removal", () => {
  test("leaves no position, though a batch was under acceptance", async () => {
    const held = holdUp(writesMoved);
    const late = accept({}, record(0, "a"));
    await held.reached;
    expect(await stage.pulse.within(1_000, removeSubscription(actor.engine, subscription.id))).toBe(true);
    held.gate.open();
    await late;
    expect(await readPositions(actor.engine, subscription.id)).toEqual(new Map());
    expect(await accept({}, record(1, "b"))).toMatchObject({ kind: "outdated" });
  });

  test("leaves no position, though the put of a batch is sent twice and refused by its own first sending", async () => {
    const [gate, reached] = [new Gate(), new Gate()];
    actor.process.before = (call) => {
      if (!writesPosition(call)) return undefined;
      actor.process.before = undefined;
      reached.open();
      return gate.passed.then(async () => void (await stage.stores.table.put(call.args[0] as Item)));
    };
    const late = accept({}, record(0, "a"));
    await reached.passed;
    expect(await stage.pulse.within(1_000, removeSubscription(actor.engine, subscription.id))).toBe(true);
    gate.open();
    await late;
    expect(await readPositions(actor.engine, subscription.id)).toEqual(new Map());
  });

  test("that fails half-way is completed when it is repeated", async () => {
    await accept({}, record(0, "a"));
    actor.process.before = ({ method }) => {
      if (method !== "delete") return undefined;
      actor.process.before = undefined;
      return Promise.reject(new StoreError("throttled"));
    };
    await expect(removeSubscription(actor.engine, subscription.id)).rejects.toThrow(StoreError);
    expect(await removeSubscription(actor.engine, subscription.id)).toBe(false);
    expect(await readPositions(actor.engine, subscription.id)).toEqual(new Map());
  });
});

describe("a topic that was created again", () => {
  const OLD_MS = 1;

  test("is recognised without its id, though the timestamps of its records lie before the position", async () => {
    await accept({}, record(0, "a", OLD_MS + 5), record(1, "b", OLD_MS + 6), record(2, "c", OLD_MS + 6));
    expect(await accept({}, record(0, "d", OLD_MS), record(1, "e", OLD_MS))).toMatchObject({ accepted: 2 });
    expect(await accept({}, record(0, "d", OLD_MS), record(1, "e", OLD_MS))).toMatchObject({ duplicates: 2 });
    expect(await accept({}, record(2, "f", OLD_MS))).toMatchObject({ accepted: 1 });
  });

  test("begins where the options say, though a late batch of the old topic has committed an offset", async () => {
    await accept({ topicId: "t1" }, record(0, "a"), record(1, "b"));
    expect(await recordSink(actor.engine).beginningOf(place(0, "t2"))).toEqual({ isNewTopic: true });
    await recordSink(actor.engine).moved(place(0, "t2"), 0);
    expect(await recordSink(actor.engine).beginningOf(place(0, "t2"))).toEqual({ nextOffset: 0 });
  });
});

test("a repeated batch moves no position back, though the clock of its producer runs ahead", async () => {
  const aheadMs = stage.pulse.nowMs() + 60_000;
  const first = [record(0, "a", aheadMs), record(1, "b", aheadMs)];
  await accept({ topicId: "t1" }, ...first, record(2, "c", aheadMs), record(3, "d", aheadMs));
  expect(await accept({ topicId: "t1" }, ...first)).toMatchObject({ accepted: 0, duplicates: 2 });
  expect((await readPositions(actor.engine, subscription.id)).get(0)).toMatchObject({ nextOffset: 4 });
});

describe("the next record of a key waits for the place of the one before it (I6)", () => {
  test("though the write of the lock fails", async () => {
    const keyed = await subscribed("O/add");
    actor.process.before = ({ method, args: [key] }) => {
      if (method !== "update" || (key as { readonly sk: string }).sk !== "lock") return undefined;
      actor.process.before = undefined;
      return Promise.reject(new StoreError("throttled"));
    };
    await expect(accept({ to: keyed }, record(0, "slow"), record(1, "next"))).rejects.toThrow(StoreError);
    slow.open();
    await accept({ to: keyed }, record(0, "slow"), record(1, "next"));
    await stage.pulse.pass(60_000);
    expect([...new Set(calls)]).toEqual(["slow", "next"]);
    expect(calls.at(-1)).toBe("next");
  });

  test("though a process has renewed its lease, and died before it took the lock", async () => {
    const keyed = await subscribed("O/add");
    const held = holdUp(({ method, args: [key] }) => method === "get" && (key as { sk?: string }).sk === "lock");
    const renewed = new Gate();
    actor.process.after = (call) => {
      if (writesHold(call)) renewed.open();
    };
    acceptRecords(actor.engine, {
      subscription: keyed,
      partition: 0,
      resetNumber: 0,
      records: [record(0, "first")],
    }).catch(() => undefined);
    await held.reached;
    await stage.pulse.pass(9_000);
    await renewed.passed;
    await stage.reboot();
    const next = stage.actor({ soleOwner: true });
    next.startWorker();
    await accept({ to: keyed, process: next }, record(0, "first"), record(1, "second"));
    await stage.pulse.pass(120_000);
    expect(calls).toEqual(["first", "second"]);
  });
});
