/** Places: of the invocations of a pool, no more run at a time than its rule says, and none waits while a place is free. */
import { describe, expect, test } from "vitest";
import { applyRules, removeRules } from "../../../shared/engine/register/rules.ts";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { type Actor, callOn, sendOn, type Stage, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { stages } from "../../harness/engine/stages.ts";
import { limit, Running, scoped, takesMs } from "./limited-stage.ts";

const open = stages();

async function stageOf(ms: number) {
  const running = new Running();
  const stage: Stage = await open({ work: takesMs(ms, running, () => stage) });
  return { stage, running };
}

async function sendMany(actor: Actor, count: number, more: Parameters<typeof sendOn>[3] = {}) {
  const ids = [];
  for (let at = 0; at < count; at++) ids.push((await sendOn(actor, "work", `${at}`, more)).invocationId);
  return ids;
}

describe.each([
  ["one process that owns its store", true],
  ["two processes on a shared store", false],
])("with a limit of two, in %s,", (_, soleOwner) => {
  async function actors(stage: Stage): Promise<Actor> {
    const first = stage.actor({ soleOwner });
    first.startWorker();
    if (!soleOwner) stage.actor().startWorker();
    return first;
  }

  test("two of seven run at a time, in the order in which they came, and all end", async () => {
    const { stage, running } = await stageOf(100);
    const actor = await actors(stage);
    await limit(actor, "service:S", { concurrency: 2 });
    await stage.pulse.within(0, sendMany(actor, 7));
    await stage.pulse.pass(3_000);
    expect(running).toMatchObject({ now: 0, most: 2 });
    expect(running.began).toHaveLength(7);
  });

  test("a call waits for its place and gets its result", async () => {
    const { stage, running } = await stageOf(100);
    const actor = await actors(stage);
    await limit(actor, "global:all", { concurrency: 2 });
    const calls = ["a", "b", "c", "d"].map((input) => callOn(actor, "work", input));
    const ended = await stage.pulse.within(3_000, Promise.all(calls));
    expect(ended.map(textOf)).toEqual(["a", "b", "c", "d"]);
    expect(running.most).toBe(2);
  });

  test("each scope has its own two under '*'", async () => {
    const { stage, running } = await stageOf(1_000);
    const actor = await actors(stage);
    await limit(actor, "*", { concurrency: 2 });
    await stage.pulse.within(0, sendMany(actor, 3, scoped("work", "acme")));
    await stage.pulse.within(0, sendMany(actor, 3, scoped("work", "bolt")));
    await stage.pulse.pass(500);
    expect(running.now).toBe(4);
    await stage.pulse.pass(9_000);
    expect(running.began).toHaveLength(6);
  });

  test("a raised limit lets those go on that wait, and a lowered one lets none begin until enough have ended", async () => {
    const { stage, running } = await stageOf(1_000);
    const actor = await actors(stage);
    await limit(actor, "service:S", { concurrency: 1 });
    await stage.pulse.within(0, sendMany(actor, 12));
    await stage.pulse.pass(500);
    expect(running.now).toBe(1);
    await limit(actor, "service:S", { concurrency: 4 });
    await stage.pulse.pass(1_200);
    expect(running.now).toBe(4);
    running.most = 0;
    await limit(actor, "service:S", { concurrency: 2 });
    await stage.pulse.pass(1_200);
    expect(running.now).toBe(2);
    await stage.pulse.pass(20_000);
    expect(running).toMatchObject({ now: 0 });
    expect(running.began).toHaveLength(12);
  });

  test("after the rule is removed, all go on", async () => {
    const { stage, running } = await stageOf(1_000);
    const actor = await actors(stage);
    await limit(actor, "service:S", { concurrency: 1 });
    await stage.pulse.within(0, sendMany(actor, 6));
    await stage.pulse.pass(500);
    await removeRules(actor.engine, [{ pattern: "service:S" }]);
    await stage.pulse.pass(1_600);
    expect(running.began).toHaveLength(6);
  });

  test("the place of a killed invocation goes to the next, and a cancelled one that waits never runs", async () => {
    const { stage, running } = await stageOf(1_000);
    const actor = await actors(stage);
    await limit(actor, "service:S", { concurrency: 1 });
    const ids = await stage.pulse.within(0, sendMany(actor, 4));
    await stage.pulse.pass(300);
    expect(running.began).toHaveLength(1);
    const first = ids[Number(running.began[0])]!;
    const waiting = ids.filter((id) => id !== first);
    await stage.pulse.within(500, cancel(actor.engine, waiting[0]!));
    await stage.pulse.within(0, kill(actor.engine, first));
    await stage.pulse.pass(200);
    expect(running.began).toHaveLength(2);
    await stage.pulse.pass(10_000);
    expect(running.began).toHaveLength(3);
  });
});

test("a suspended invocation has no place, and takes one when it goes on", async () => {
  const running = new Running();
  const stage: Stage = await open({
    work: takesMs(100, running, () => stage),
    sleeps: async (ctx) => (await ctx.get(ctx.sleep(stage.pulse.nowMs() + 5_000)), "slept"),
  });
  const actor = stage.actor();
  actor.startWorker();
  await limit(actor, "service:S", { concurrency: 1 });
  const sleeper = callOn(actor, "sleeps");
  await stage.pulse.pass(500);
  await sendOn(actor, "work", "a");
  await stage.pulse.pass(1_000);
  expect(running.began).toEqual(["a"]);
  expect(textOf(await stage.pulse.within(10_000, sleeper))).toBe("slept");
});

test.each([
  ["in one answer", false],
  ["on an open exchange", true],
])("a caller that asks %s and its call do not wait for each other under a limit of one", async (_, opensExchanges) => {
  const stage = await open(
    { parent: async (ctx) => await ctx.get(ctx.call("child", "x")), child: () => "done" },
    { opensExchanges },
  );
  for (const soleOwner of [false, true]) {
    const actor = stage.actor({ soleOwner });
    actor.startWorker();
    await limit(actor, "service:S", { concurrency: 1 });
    expect(textOf(await stage.pulse.within(5_000, callOn(actor, "parent")))).toBe("done");
    await actor.stopWorker();
  }
});

test("keys of a rule take turns, and within a key priority goes first", async () => {
  const { stage, running } = await stageOf(100);
  const actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  await limit(actor, "acme", { concurrency: 1 });
  const send = async (input: string, key: string, priority?: number) =>
    await sendOn(actor, "work", input, {
      ...scoped("work", "acme", key),
      ...(priority !== undefined && { options: { priority } }),
    });
  for (const [input, key, priority] of [
    ["a1", "a"],
    ["a2", "a"],
    ["a3", "a"],
    ["a4", "a", 9],
    ["b1", "b"],
    ["b2", "b"],
  ] as const) {
    await stage.pulse.within(0, send(input, key, priority));
    await stage.pulse.pass(1);
  }
  await stage.pulse.pass(5_000);
  expect(running.began).toEqual(["a1", "b1", "a4", "b2", "a2", "a3"]);
});

test("a process that takes over has the place of its invocation, and the next waits until that has ended", async () => {
  const { stage, running } = await stageOf(2_000);
  const [first, second] = [stage.actor(), stage.actor()];
  first.startWorker();
  await limit(first, "service:S", { concurrency: 1 });
  await stage.pulse.within(0, sendOn(first, "work", "a"));
  await stage.pulse.pass(500);
  first.die();
  running.leave();
  second.startWorker();
  await stage.pulse.within(0, sendOn(second, "work", "b"));
  await stage.pulse.pass(60_000);
  expect(running.began).toEqual(["a", "a", "b"]);
});

test("a place that a process left with an ended invocation is found by the next that comes", async () => {
  const { stage, running } = await stageOf(100);
  const [first, second] = [stage.actor(), stage.actor()];
  first.startWorker();
  await limit(first, "service:S", { concurrency: 1 });
  first.process.before = (call) => {
    const isGiveBack =
      call.method === "update" && JSON.stringify(call.args).includes('"line"') && running.began.length === 1;
    if (isGiveBack && running.now === 0) first.die();
    return undefined;
  };
  await stage.pulse.within(0, sendOn(first, "work", "a"));
  await stage.pulse.pass(500);
  second.startWorker();
  await stage.pulse.within(0, sendOn(second, "work", "b"));
  await stage.pulse.pass(30_000);
  expect(running.began).toEqual(["a", "b"]);
});

test("without a rule, a call writes and reads what it did", async () => {
  const { stage } = await stageOf(10);
  const actor = stage.actor();
  const touched: string[] = [];
  actor.process.before = (call) => {
    if (JSON.stringify(call.args).includes("pool#")) touched.push(call.method);
    return undefined;
  };
  await stage.pulse.within(1_000, callOn(actor, "work"));
  expect(touched).toEqual([]);
  await applyRules(actor.engine, [{ pattern: "service:Other", limits: { concurrency: 1 } }]);
  await stage.pulse.within(1_000, callOn(actor, "work"));
  expect(touched).toEqual([]);
});

test("what runs already when a rule is made counts from then on", async () => {
  const { stage, running } = await stageOf(1_000);
  const actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  await stage.pulse.within(0, sendMany(actor, 3));
  await stage.pulse.pass(100);
  expect(running.now).toBe(3);
  await stage.pulse.within(0, limit(actor, "service:S", { concurrency: 2 }));
  await stage.pulse.within(0, sendMany(actor, 2));
  await stage.pulse.pass(700);
  expect(running.now).toBe(3);
  await stage.pulse.pass(500);
  expect(running.now).toBe(2);
});

test("a raised limit starts those that wait at once", async () => {
  const { stage, running } = await stageOf(60_000);
  const actor = stage.actor();
  actor.startWorker();
  await limit(actor, "service:S", { concurrency: 1 });
  await stage.pulse.within(0, sendMany(actor, 40));
  await stage.pulse.pass(500);
  await stage.pulse.within(0, limit(actor, "service:S", { concurrency: 30 }));
  await stage.pulse.pass(500);
  expect(running.now).toBe(30);
  await stage.pulse.within(0, removeRules(actor.engine, [{ pattern: "service:S" }]));
  await stage.pulse.pass(500);
  expect(running.now).toBe(40);
});

test("one that runs beyond a lowered limit keeps no other waiting once enough have ended", async () => {
  const gates = new Map<string, () => void>();
  const began: string[] = [];
  const stage: Stage = await open({
    work: async (ctx) => {
      const { input } = ctx.journal;
      began.push(input);
      await new Promise<void>((resolve) => gates.set(input, resolve));
      return input;
    },
  });
  const actor = stage.actor();
  actor.startWorker();
  await stage.pulse.within(0, sendMany(actor, 4));
  await stage.pulse.pass(300);
  // The four take the places 0 to 3 of a pool of two.
  await stage.pulse.within(0, limit(actor, "service:S", { concurrency: 2 }));
  // None waits, so each of the two is given back without a look at the others.
  const first = began.slice(0, 2);
  for (const input of first) {
    gates.get(input)!();
    await stage.pulse.pass(300);
  }
  await stage.pulse.within(0, sendOn(actor, "work", "late"));
  await stage.pulse.pass(500);
  expect(began).not.toContain("late");
  gates.get(began[2]!)!();
  await stage.pulse.pass(500);
  expect(began).toContain("late");
});

test("of those that a handler sends in one moment, the first goes first", async () => {
  const inputs = Array.from({ length: 12 }, (_, at) => `${at}`);
  const running = new Running();
  const stage: Stage = await open({
    work: takesMs(10, running, () => stage),
    load: (ctx) => {
      for (const input of inputs) ctx.send("work", input);
      return "sent";
    },
  });
  const actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  await limit(actor, "handler:S/work", { concurrency: 1 });
  await stage.pulse.within(0, sendOn(actor, "work", "holder"));
  await stage.pulse.within(0, sendOn(actor, "load", ""));
  await stage.pulse.pass(3_000);
  expect(running.began).toEqual(["holder", ...inputs]);
});

test("a rule counts one that was let in under the former rules while the rule was made", async () => {
  const { stage, running } = await stageOf(1_000);
  const actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  await stage.pulse.within(0, limit(actor, "global:all", { concurrency: 10 }));
  const asking = new Gate();
  let held = false;
  actor.process.before = (call) => {
    if (held || call.method !== "update" || !JSON.stringify(call.args).includes("pool#global:all")) return undefined;
    held = true;
    return asking.passed;
  };
  await sendOn(actor, "work", "first");
  await stage.pulse.settle();
  expect(held).toBe(true);
  await stage.pulse.within(0, limit(actor, "service:S", { concurrency: 1 }));
  await stage.pulse.within(0, sendOn(actor, "work", "second"));
  asking.open();
  await stage.pulse.pass(500);
  expect(running.most).toBe(1);
  await stage.pulse.pass(5_000);
  expect(running.began.toSorted()).toEqual(["first", "second"]);
});
