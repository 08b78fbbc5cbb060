/** A process that owns its store alone reserves a free key, and writes lock, state and first segment together (I6, ADR 16). */
import { describe, expect, test } from "vitest";
import { editState, stateOf } from "../../../shared/engine/operate/edit-state.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { lockAt, objectPartition } from "../../../shared/engine/store/object-partition.ts";
import { crashAfter, crashBefore } from "../../harness/engine/crash.ts";
import { type Actor, LEASE_MS, type Stage, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { nth, tableWrite } from "../../harness/engine/named-calls.ts";
import { addCount, callKeyed, getCount, keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { ScriptState } from "../../harness/engine/script-state.ts";
import { stages } from "../../harness/engine/stages.ts";

const openStage = stages();
const WAIT_MS = 4;
const TARGET = { service: "O", key: "k" };

const open = (handlers: Record<string, Handler>, more: object = {}): Promise<Stage> =>
  openStage(
    { add: addCount, get: getCount, ...handlers },
    { acceptanceWaitMs: WAIT_MS, services: [objectOf(["add", "slow", "big", "steps"], ["get"])], ...more },
  );
const lockOf = ({ engine }: Actor) => lockAt(engine, objectPartition(engine, TARGET));
const add = (actor: Actor, input: string) => callKeyed(actor, keyed("O", "k", "add", input));
const countOf = async (stage: Stage, actor: Actor) =>
  textOf(await stage.pulse.within(1_000, callKeyed(actor, keyed("O", "k", "get"))));
const writesOf = ({ process }: Actor) => process.methods("table").filter((method) => method !== "get");

/** A handler that waits for the gate, and counts how many of its kind run at a time. */
function gated(gate: Gate, seen: { running: number; most: number; order: string[] }): Handler {
  return async (ctx) => {
    seen.running += 1;
    seen.most = Math.max(seen.most, seen.running);
    seen.order.push(ctx.input);
    await gate.passed;
    seen.running -= 1;
    return addCount(ctx);
  };
}

/** A stage whose handler `slow` waits for the gate, with that gate and a process that is the sole owner of the store. */
async function openGated() {
  const gate = new Gate();
  const stage = await open({ slow: gated(gate, { running: 0, most: 0, order: [] }) });
  return { gate, stage, actor: stage.actor({ soleOwner: true }) };
}

describe("a quick call of a free key", () => {
  test("takes one write and no message, and leaves the key free with its state", async () => {
    const stage = await open({});
    const actor = stage.actor({ soleOwner: true });
    expect(textOf(await stage.pulse.within(0, add(actor, "3")))).toBe("3");
    expect(textOf(await stage.pulse.within(0, add(actor, "4")))).toBe("7");
    await stage.pulse.pass(10 * WAIT_MS);
    expect(writesOf(actor)).toEqual(["transact", "transact"]);
    expect(actor.process.methods("queue")).toEqual([]);
    const lock = await lockOf(actor);
    expect([lock.holder, lock.head, lock.tail]).toEqual([undefined, 0, 0]);
    await stage.reboot();
    expect(await countOf(stage, stage.actor({ soleOwner: true }))).toBe("7");
  });

  test("makes its state visible with the write of segment and lock, if its handler continues after that write", async () => {
    const gate = new Gate();
    const stage = await open({
      steps: async (ctx) => {
        new ScriptState(ctx).set("count", "half");
        await ctx.get(ctx.run("one", () => "1"));
        await gate.passed;
        return "end";
      },
    });
    const actor = stage.actor({ soleOwner: true });
    const steps = callKeyed(actor, keyed("O", "k", "steps"));
    await stage.pulse.settle();
    expect(writesOf(actor)).toEqual(["transact"]);
    expect((await lockOf(actor)).holder).toBeDefined();
    expect(await countOf(stage, actor)).toBe("half");
    gate.open();
    expect(textOf(await stage.pulse.within(0, steps))).toBe("end");
    expect((await lockOf(actor)).holder).toBeUndefined();
  });

  test("that writes a value too large for the lock takes the lock with its segment, and frees it in two writes", async () => {
    const large = "x".repeat(2_000);
    const stage = await open({
      big: (ctx) => {
        new ScriptState(ctx).set("count", large);
        return "stored";
      },
    });
    const actor = stage.actor({ soleOwner: true });
    expect(textOf(await stage.pulse.within(0, callKeyed(actor, keyed("O", "k", "big"))))).toBe("stored");
    expect(writesOf(actor)).toEqual(["transact", "put", "update"]);
    expect((await lockOf(actor)).holder).toBeUndefined();
    expect(await countOf(stage, actor)).toBe(large);
  });

  test("whose write fails leaves the key free for the next call, with the state from before the failed call", async () => {
    const stage = await open({});
    const actor = stage.actor({ soleOwner: true });
    await stage.pulse.within(0, add(actor, "1"));
    const { journal } = stage.stores;
    const { writeGroup } = journal;
    journal.writeGroup = () => Promise.reject(new Error("no space"));
    await expect(add(actor, "10")).rejects.toThrow();
    journal.writeGroup = writeGroup;
    await journal.whenUsable();
    expect(textOf(await stage.pulse.within(0, add(actor, "100")))).toBe("101");
  });
});

describe("a slower call of a free key", () => {
  test("takes the lock in the table, and ends with the give-back in one write", async () => {
    const { gate, stage, actor } = await openGated();
    const slow = callKeyed(actor, keyed("O", "k", "slow", "1"));
    await stage.pulse.pass(2 * WAIT_MS);
    expect(writesOf(actor)).toEqual(["put", "update"]);
    expect((await lockOf(actor)).holder).toBeDefined();
    gate.open();
    expect(textOf(await stage.pulse.within(0, slow))).toBe("1");
    expect(writesOf(actor)).toEqual(["put", "update", "transact"]);
    expect((await lockOf(actor)).holder).toBeUndefined();
    expect(await countOf(stage, actor)).toBe("1");
  });

  test("hands the key with its last segment, and without a message, to a driver that waits in memory", async () => {
    const { gate, stage, actor } = await openGated();
    const slow = callKeyed(actor, keyed("O", "k", "slow", "1"));
    await stage.pulse.pass(2 * WAIT_MS);
    const next = add(actor, "10");
    await stage.pulse.pass(20 * WAIT_MS);
    expect(await lockOf(actor)).toMatchObject({ head: 0, tail: 1 });
    const messages = actor.process.methods("queue").filter((method) => method === "send").length;
    gate.open();
    expect(textOf(await stage.pulse.within(0, slow))).toBe("1");
    expect(textOf(await stage.pulse.within(0, next))).toBe("11");
    expect(actor.process.methods("queue").filter((method) => method === "send")).toHaveLength(messages);
    const lock = await lockOf(actor);
    expect([lock.holder, lock.head, lock.tail]).toEqual([undefined, 1, 1]);
  });

  test("hands the key by a message to a driver that has waited for long and is parked", async () => {
    const { gate, stage, actor } = await openGated();
    actor.startWorker();
    const slow = callKeyed(actor, keyed("O", "k", "slow", "1"));
    await stage.pulse.pass(2 * WAIT_MS);
    const next = add(actor, "10");
    await stage.pulse.pass(2_000);
    const waiting = await lockOf(actor);
    expect(waiting).toMatchObject({ head: 0, tail: 1 });
    gate.open();
    expect(textOf(await stage.pulse.within(1_000, slow))).toBe("1");
    expect(textOf(await stage.pulse.within(1_000, next))).toBe("11");
  });
});

describe("many calls of one key", () => {
  test("run one at a time, and each quick one takes one write", async () => {
    const seen = { running: 0, most: 0, order: [] as string[] };
    const gate = new Gate();
    gate.open();
    const stage = await open({ slow: gated(gate, seen) });
    const actor = stage.actor({ soleOwner: true });
    const calls = Array.from({ length: 30 }, (_, at) => callKeyed(actor, keyed("O", "k", "slow", String(at))));
    const answers = (await stage.pulse.within(0, Promise.all(calls))).map(textOf);
    expect(seen.most).toBe(1);
    expect(seen.order.map(Number)).toEqual(Array.from({ length: 30 }, (_, at) => at));
    expect(Number(answers.at(-1))).toBe((29 * 30) / 2);
    expect(writesOf(actor)).toEqual(Array.from({ length: 30 }, () => "transact"));
  });

  test("that come while a slow one runs get the key in the order in which they came", async () => {
    const gate = new Gate();
    const seen = { running: 0, most: 0, order: [] as string[] };
    const stage = await open({ slow: gated(gate, seen) });
    const actor = stage.actor({ soleOwner: true });
    actor.startWorker();
    const inputs = Array.from({ length: 12 }, (_, at) => String(at));
    for (const input of inputs) await stage.pulse.within(5 * WAIT_MS, sendKeyed(actor, keyed("O", "k", "slow", input)));
    gate.open();
    await stage.pulse.pass(10_000);
    expect(seen.order).toEqual(inputs);
    expect(seen.most).toBe(1);
    expect(await countOf(stage, actor)).toBe("66");
  });

  test("an operator's edit waits for a reserved key, and is applied after the state that the call writes", async () => {
    const gate = new Gate();
    const stage = await open({ slow: gated(gate, { running: 0, most: 0, order: [] }) });
    const actor = stage.actor({ soleOwner: true });
    const slow = callKeyed(actor, keyed("O", "k", "slow", "5"));
    await stage.pulse.settle();
    const edited = editState(actor.engine, TARGET, "object", new Map([["count", new TextEncoder().encode("50")]]));
    await stage.pulse.settle();
    expect(writesOf(actor)).toEqual([]);
    gate.open();
    expect(textOf(await stage.pulse.within(0, slow))).toBe("5");
    expect(await stage.pulse.within(0, edited)).toBe("applied");
    const state = await stateOf(actor.engine, TARGET);
    expect(new TextDecoder().decode(state?.get("count"))).toBe("50");
  });

  test("a call that is killed while it waits in memory leaves the key to the others", async () => {
    const gate = new Gate();
    const seen = { running: 0, most: 0, order: [] as string[] };
    const stage = await open({ slow: gated(gate, seen) });
    const actor = stage.actor({ soleOwner: true });
    actor.startWorker();
    void callKeyed(actor, keyed("O", "k", "slow", "1"));
    await stage.pulse.pass(2 * WAIT_MS);
    const victim = await stage.pulse.within(100, sendKeyed(actor, keyed("O", "k", "slow", "2")));
    const last = add(actor, "10");
    await stage.pulse.pass(20 * WAIT_MS);
    await stage.pulse.within(1_000, kill(actor.engine, victim.invocationId));
    gate.open();
    expect(textOf(await stage.pulse.within(5_000, last))).toBe("11");
    expect(seen.order).toEqual(["1"]);
    expect((await lockOf(actor)).holder).toBeUndefined();
  });
});

describe("a crash", () => {
  const points = Array.from({ length: 10 }, (_, at) => at);
  test.each(points.flatMap((at) => [[at, "before"] as const, [at, "after"] as const]))(
    "at write %i (%s it is made) loses no state, counts no call twice and leaves the key free",
    async (at, when) => {
      const gate = new Gate();
      const slow = gated(gate, { running: 0, most: 0, order: [] });
      const stage = await open({ slow });
      const actor = stage.actor({ soleOwner: true });
      (when === "before" ? crashBefore : crashAfter)(actor, nth(at, tableWrite));
      void add(actor, "1").catch(() => undefined);
      void callKeyed(actor, keyed("O", "k", "slow", "10")).catch(() => undefined);
      void add(actor, "100").catch(() => undefined);
      await stage.pulse.pass(50);
      gate.open();
      await stage.pulse.pass(50);
      await stage.reboot();
      const successor = stage.actor({ soleOwner: true });
      successor.startWorker();
      await stage.pulse.pass(3 * LEASE_MS);
      const [sum, held] = await sumOfEnded(stage, successor);
      expect(await countOf(stage, successor)).toBe(sum === 0 ? "nothing" : String(sum));
      expect(held).toEqual([undefined, true]);
      await successor.stopWorker();
    },
  );
});

/** The sum of the inputs of all calls that were accepted, and the lock. */
async function sumOfEnded(stage: Stage, actor: Actor): Promise<readonly [number, readonly unknown[]]> {
  const inputs = new Map(
    [...stage.deployment.of("add"), ...stage.deployment.of("slow")].map(({ start, input }) => [start.debugId, input]),
  );
  let sum = 0;
  for (const [id, input] of inputs) {
    const found = await inspect(actor.engine, id as Parameters<typeof inspect>[1]);
    // A call whose process died before its only write was never accepted.
    if (found === undefined) continue;
    expect(found.status).toBe("completed");
    sum += Number(input);
  }
  const lock = await lockOf(actor);
  return [sum, [lock.holder, lock.head === lock.tail]];
}
