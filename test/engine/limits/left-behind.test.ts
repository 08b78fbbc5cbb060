/** What processes leave behind that died, stood still or had a wrong clock, and what a change of rules finds: no place and no start is lost. */
import { expect, test } from "vitest";
import { cancel, pause } from "../../../shared/engine/operate/orders.ts";
import { changeBucket, readBucket } from "../../../shared/engine/limits/bucket.ts";
import { readPool } from "../../../shared/engine/limits/pool-state.ts";
import { serveStarts } from "../../../shared/engine/limits/starts.ts";
import { invocationPk } from "../../../shared/engine/store/item-keys.ts";
import { poolPk, turnKeyIn } from "../../../shared/engine/store/pool-items.ts";
import { sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { type Actor, LEASE_MS, sendOn, type Stage } from "../../harness/engine/engine-fixture.ts";
import type { PortCall } from "../../harness/engine/engine-process.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { stages } from "../../harness/engine/stages.ts";
import { limit, Running, scoped, takesMs } from "./limited-stage.ts";

const open = stages();
const HOUR_MS = 3_600_000;

async function stageOf(ms: number | ((input: string) => number)) {
  const running = new Running();
  const stage: Stage = await open({
    work: async (ctx) => {
      const length = typeof ms === "number" ? ms : ms(ctx.journal.input);
      return await takesMs(length, running, () => stage)(ctx);
    },
    sleeps: async (ctx) => (await ctx.get(ctx.sleep(stage.pulse.nowMs() + HOUR_MS)), "slept"),
  });
  return { stage, running };
}

const names = (call: PortCall, text: string): boolean => JSON.stringify(call.args).includes(text);

async function holdersOf(actor: Actor, pool: string): Promise<number> {
  return (await readPool(actor.engine, pool, 1)).taken.size;
}

test("a process that stood still does not give back the place of the driver that has taken over", async () => {
  const { stage, running } = await stageOf(0);
  let tries = 0;
  const waits = async (ms: number): Promise<void> => void (await stage.pulse.sleep(ms));
  stage.deployment.handlers["work"] = async (ctx) => {
    running.began.push(ctx.journal.input);
    if (ctx.journal.input !== "a") return "done";
    if (++tries === 1) {
      await waits(20_000);
      throw new Error("at first");
    }
    await waits(30_000);
    return "done";
  };
  const [first, second] = [stage.actor(), stage.actor()];
  first.startWorker();
  await stage.pulse.within(0, limit(first, "service:S", { concurrency: 1 }));
  await stage.pulse.within(0, sendOn(first, "work", "a"));
  await stage.pulse.pass(100);
  const [stands, renews] = [new Gate(), new Gate()];
  first.process.before = (call) => (names(call, "hold#") ? renews : stands).passed;
  second.startWorker();
  await stage.pulse.pass(LEASE_MS + 3_000);
  await stage.pulse.within(0, sendOn(second, "work", "b"));
  expect(running.began).toEqual(["a", "a"]);
  await stage.pulse.pass(3_000);
  stands.open();
  await stage.pulse.pass(10_000);
  expect(running.began).toEqual(["a", "a"]);
  renews.open();
  await stage.pulse.pass(40_000);
  expect(running.began).toEqual(["a", "a", "b"]);
});

test("a place that was handed over by a process that died before it removed the turn is used", async () => {
  const { stage, running } = await stageOf(1_000);
  const [first, second] = [stage.actor(), stage.actor()];
  first.startWorker();
  await stage.pulse.within(0, limit(first, "service:S", { concurrency: 1 }));
  await stage.pulse.within(0, sendOn(first, "work", "a"));
  await stage.pulse.pass(100);
  await stage.pulse.within(0, sendOn(first, "work", "b"));
  await stage.pulse.pass(300);
  first.process.before = (call) => {
    if (call.method !== "delete" || !names(call, "turn#")) return undefined;
    first.die();
    return Promise.resolve();
  };
  await stage.pulse.pass(1_000);
  second.startWorker();
  await stage.pulse.pass(1_000_000);
  await stage.pulse.within(0, sweepOnce(second.engine));
  await stage.pulse.pass(2_000);
  expect(running.began).toEqual(["a", "b"]);
});

test("a driver that takes over a suspended invocation gives its place back", async () => {
  const { stage, running } = await stageOf(100);
  const [first, second] = [stage.actor(), stage.actor()];
  first.startWorker();
  await stage.pulse.within(0, limit(first, "service:S", { concurrency: 1 }));
  const isGiveBack = (call: PortCall): boolean => call.method === "update" && names(call, '":"-","expires');
  const gate = new Gate();
  first.process.before = (call) => (isGiveBack(call) ? gate.passed : undefined);
  await stage.pulse.within(0, sendOn(first, "sleeps"));
  await stage.pulse.pass(100);
  second.startWorker();
  await stage.pulse.within(0, sendOn(second, "work", "b"));
  await stage.pulse.pass(300);
  first.die();
  await stage.pulse.pass(2 * LEASE_MS);
  expect(running.began).toEqual(["b"]);
});

test("one that is paused while it waits for a wide pool has no place of a narrow one", async () => {
  const { stage } = await stageOf(60_000);
  const actor = stage.actor();
  actor.startWorker();
  await stage.pulse.within(0, limit(actor, "service:S", { concurrency: 1 }));
  await stage.pulse.within(0, limit(actor, "acme", { concurrency: 1 }));
  await stage.pulse.within(0, sendOn(actor, "work", "a"));
  await stage.pulse.pass(100);
  const { invocationId } = await stage.pulse.within(0, sendOn(actor, "work", "b", scoped("work", "acme")));
  await stage.pulse.pass(300);
  expect(await stage.pulse.within(0, holdersOf(actor, "acme"))).toBe(1);
  await stage.pulse.within(0, pause(actor.engine, invocationId));
  await stage.pulse.pass(1_000);
  expect(await stage.pulse.within(0, holdersOf(actor, "acme"))).toBe(0);
});

test("places of an item that a raised limit has made go to those who wait", async () => {
  const { stage, running } = await stageOf((input) => (Number(input) < 16 ? 600_000 : 1_000));
  const actor = stage.actor();
  actor.startWorker();
  await stage.pulse.within(0, limit(actor, "service:S", { concurrency: 16 }));
  for (let at = 0; at < 16; at++) await stage.pulse.within(0, sendOn(actor, "work", `${at}`));
  await stage.pulse.pass(300);
  for (let at = 16; at < 22; at++) await stage.pulse.within(0, sendOn(actor, "work", `${at}`));
  await stage.pulse.pass(500);
  await stage.pulse.within(0, limit(actor, "service:S", { concurrency: 18 }));
  await stage.pulse.pass(6_000);
  expect(running.began).toHaveLength(22);
});

test("a cancel reaches the handler of one that waits, if an attempt may have begun", async () => {
  const { stage, running } = await stageOf((input) => (input === "a" ? 300 : 40_000));
  const [first, second] = [stage.actor(), stage.actor()];
  first.startWorker();
  const { invocationId } = await stage.pulse.within(0, sendOn(first, "work", "a"));
  await stage.pulse.pass(100);
  first.die();
  second.startWorker();
  await stage.pulse.within(0, limit(second, "service:S", { concurrency: 1 }));
  await stage.pulse.within(0, sendOn(second, "work", "b"));
  await stage.pulse.pass(LEASE_MS + 2_000);
  await stage.pulse.within(1_000, cancel(second.engine, invocationId));
  await stage.pulse.pass(60_000);
  expect(running.began).toEqual(["a", "b", "a"]);
});

const SLOW = { count: 1, perMs: HOUR_MS, burst: 1 };

async function sendMany(stage: Stage, actor: Actor, count: number): Promise<void> {
  for (let at = 0; at < count; at++) await stage.pulse.within(0, sendOn(actor, "work", `${at}`));
}

test("a raised rate starts those that wait, without the moment that the slow rate had set", async () => {
  const { stage, running } = await stageOf(10);
  const actor = stage.actor();
  actor.startWorker();
  await stage.pulse.within(0, limit(actor, "service:S", { rate: SLOW }));
  await sendMany(stage, actor, 6);
  await stage.pulse.pass(1_000);
  expect(running.began).toHaveLength(1);
  await stage.pulse.within(0, limit(actor, "service:S", { rate: { count: 10, perMs: 1_000, burst: 1 } }));
  await stage.pulse.pass(5_000);
  expect(running.began).toHaveLength(6);
});

test("a line of a rate goes on after the clock was set back by an hour", async () => {
  const { stage, running } = await stageOf(10);
  const actor = stage.actor();
  actor.startWorker();
  await stage.pulse.within(0, limit(actor, "service:S", { rate: { count: 1, perMs: 1_000, burst: 1 } }));
  await sendMany(stage, actor, 6);
  await stage.pulse.pass(1_300);
  const before = running.began.length;
  expect(before).toBeLessThan(4);
  stage.pulse.set(-HOUR_MS);
  await stage.pulse.pass(30_000);
  expect(running.began).toHaveLength(6);
});

test("a line that a process has taken for empty is found by a look at one who waits there", async () => {
  const { stage, running } = await stageOf(10);
  const actor = stage.actor();
  actor.startWorker();
  await stage.pulse.within(0, limit(actor, "service:S", { rate: SLOW }));
  await sendMany(stage, actor, 2);
  await stage.pulse.pass(20_000);
  const bucket = await stage.pulse.within(0, readBucket(actor.engine, "service:S"));
  await stage.pulse.within(0, changeBucket(actor.engine, "service:S", bucket, { isWaitedFor: false, pumpAtMs: 0 }));
  await stage.pulse.pass(1_000_000);
  await stage.pulse.within(0, sweepOnce(actor.engine));
  await stage.pulse.pass(HOUR_MS);
  expect(running.began).toHaveLength(2);
});

test("the message of a line goes on with the next if the one that carries it is cancelled", async () => {
  const { stage, running } = await stageOf(10);
  const actor = stage.actor();
  actor.startWorker();
  await stage.pulse.within(0, limit(actor, "service:S", { rate: { count: 1, perMs: 60_000, burst: 1 } }));
  await sendMany(stage, actor, 4);
  await stage.pulse.pass(20_000);
  const { carrier } = await stage.pulse.within(0, readBucket(actor.engine, "service:S"));
  await stage.pulse.within(1_000, cancel(actor.engine, carrier as InvocationId));
  await stage.pulse.pass(1_000);
  // What ended before its first attempt expires at once.
  const pk = invocationPk("", carrier as InvocationId);
  const { items } = await stage.stores.table.query(pk);
  for (const { sk } of items) await stage.stores.table.delete({ pk, sk });
  await stage.pulse.pass(125_000);
  expect(running.began).toHaveLength(3);
});

test("a key with more turns than a message serves does not keep the other keys waiting", async () => {
  const { stage } = await stageOf(10);
  const { engine } = stage.actor();
  const rate = { count: 1, perMs: 1_000, burst: 1 };
  const pk = poolPk("", "acme");
  for (let at = 0; at < 1_005; at++) {
    const turnKey = at < 1_003 ? "a" : "b";
    const key = turnKeyIn(pk, { gate: "start", turnKey, order: at }, `inv_1${at}` as InvocationId);
    await engine.table.put({ ...key, n: "n", drawnAtMs: 1, service: "S", expiresAtS: 9_999_999_999 });
  }
  await changeBucket(engine, "acme", await readBucket(engine, "acme"), { isWaitedFor: true, pumpAtMs: 1 });
  for (let round = 0; round < 4; round++) {
    await serveStarts(engine, "acme", rate);
    await stage.pulse.pass(1_100);
  }
  const left = await engine.table.query(pk, { from: "turn#start#b#", below: "turn#start#b$" });
  expect(left.items.length).toBeLessThan(2);
});
