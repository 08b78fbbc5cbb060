/** Objects: the lock, the state, the order of calls, and crashes at every write (I6). */
import { describe, expect, test } from "vitest";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { lockAt, objectPartition } from "../../../shared/engine/store/object-partition.ts";
import { type Actor, callOn, LEASE_MS, textOf } from "../../harness/engine/engine-fixture.ts";
import { crashBefore } from "../../harness/engine/crash.ts";
import { nth, tableWrite, ticket } from "../../harness/engine/named-calls.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { addCount, callKeyed, getCount, keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import { ScriptState } from "../../harness/engine/script-state.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

const add = addCount;
const get = getCount;

const counter = { services: [objectOf(["add", "slow"], ["get"])] };

const lockOf = ({ engine }: Actor, key: string) => lockAt(engine, objectPartition(engine, { service: "O", key }));

describe("one call of an object", () => {
  test("takes the lock with the state and gives both back: two more writes than a call of a service, and no read", async () => {
    const stage = await open({ add }, counter);
    const actor = stage.actor();
    const ended = await stage.pulse.within(0, callKeyed(actor, keyed("O", "k", "add", "3")));
    expect(textOf(ended)).toBe("3");
    expect(actor.process.methods("table")).toEqual(["put", "update", "put", "update"]);
    expect(textOf(await stage.pulse.within(0, callKeyed(actor, keyed("O", "k", "add", "4"))))).toBe("7");
    expect(stage.deployment.attempts.map(({ start }) => [start.key, start.partialState])).toEqual([
      ["k", false],
      ["k", false],
    ]);
  });

  test.each(["", "a/b", "%2F", "clé-ключ-鍵", "a#b", "x".repeat(3_000)])("keys are distinct: %j", async (key) => {
    const stage = await open({ add, get }, counter);
    const actor = stage.actor();
    await stage.pulse.within(0, callKeyed(actor, keyed("O", "other", "add", "100")));
    await stage.pulse.within(0, callKeyed(actor, keyed("O", key, "add", "1")));
    await stage.pulse.within(0, callKeyed(actor, keyed("O", key, "add", "1")));
    expect(textOf(await stage.pulse.within(0, callKeyed(actor, keyed("O", key, "get"))))).toBe("2");
  });

  test("a shared handler sees a change of the state by an open call before the end of the call", async () => {
    const gate = new Gate();
    const stage = await open(
      {
        get,
        slow: async (ctx) => {
          new ScriptState(ctx).set("count", "half");
          await ctx.get(ctx.run("wait", () => "done"));
          if (stage.deployment.of("slow").length > 1) await gate.passed;
          return "end";
        },
      },
      counter,
    );
    const actor = stage.actor();
    const slow = callKeyed(actor, keyed("O", "k", "slow"));
    await stage.pulse.settle();
    expect(textOf(await stage.pulse.within(0, callKeyed(actor, keyed("O", "k", "get"))))).toBe("half");
    gate.open();
    expect(textOf(await stage.pulse.within(0, slow))).toBe("end");
  });
});

describe("many calls of one key", () => {
  test("run one at a time, in the order of their acceptance", async () => {
    const gate = new Gate();
    const running: string[] = [];
    let most = 0;
    const order: string[] = [];
    const stage = await open(
      {
        slow: async (ctx) => {
          running.push(ctx.id);
          most = Math.max(most, running.length);
          order.push(ctx.input);
          await gate.passed;
          running.splice(running.indexOf(ctx.id), 1);
          return add(ctx);
        },
        get,
      },
      counter,
    );
    const actor = stage.actor();
    actor.startWorker();
    const inputs = Array.from({ length: 20 }, (_, at) => String(at));
    for (const input of inputs) await stage.pulse.within(0, sendKeyed(actor, keyed("O", "k", "slow", input)));
    gate.open();
    await stage.pulse.settle();
    expect(order).toEqual(inputs);
    expect(most).toBe(1);
    expect(textOf(await stage.pulse.within(0, callKeyed(actor, keyed("O", "k", "get"))))).toBe("190");
    expect(await lockOf(actor, "k")).toMatchObject({ head: 19, tail: 19 });
    expect((await lockOf(actor, "k")).holder).toBeUndefined();
  });

  test("each waiting call gets the answer of its own turn", async () => {
    const stage = await open({ add, get }, counter);
    const actor = stage.actor();
    actor.startWorker();
    const calls = Array.from({ length: 30 }, () => callKeyed(actor, keyed("O", "k", "add", "1")));
    const answers = (await stage.pulse.within(5_000, Promise.all(calls))).map(textOf);
    expect(answers.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));
  });

  test("the sends of one handler are served in their order, also when they are redone", async () => {
    const order: string[] = [];
    const stage = await open(
      {
        parent: async (ctx) => {
          for (const input of ["1", "2", "3", "4"]) ctx.send("slow", input, { service: "O", key: "k" });
          return await ctx.get(ctx.call("add", "5", { service: "O", key: "k" }));
        },
        slow: (ctx) => {
          order.push(ctx.input);
          return add(ctx);
        },
        add: (ctx) => {
          order.push(ctx.input);
          return add(ctx);
        },
      },
      counter,
    );
    const [driver, other] = [stage.actor(), stage.actor()];
    other.startWorker();
    crashBefore(driver, ticket(2));
    void callOn(driver, "parent");
    await stage.pulse.pass(3 * LEASE_MS);
    expect(order).toEqual(["1", "2", "3", "4", "5"]);
  });

  test("the sends of one handler are served in their order, though the acceptance of the first takes long", async () => {
    const [gate, order] = [new Gate(), [] as string[]];
    const stage = await open(
      {
        parent: (ctx) => {
          for (const input of ["1", "2", "3"]) ctx.send("slow", input, { service: "O", key: "k" });
          return "sent";
        },
        slow: (ctx) => {
          order.push(ctx.input);
          return add(ctx);
        },
      },
      counter,
    );
    const actor = stage.actor();
    actor.startWorker();
    let acceptances = 0;
    // The first acceptance is that of the parent.
    actor.process.before = ({ method, args }) =>
      method === "put" && (args[0] as { sk: string }).sk === "seg#000000" && ++acceptances === 2
        ? gate.passed
        : undefined;
    void callOn(actor, "parent");
    await stage.pulse.pass(50);
    expect(order).toEqual([]);
    gate.open();
    await stage.pulse.pass(50);
    expect(order).toEqual(["1", "2", "3"]);
  });

  test("a holder that is suspended or backs off keeps the key", async () => {
    const stage = await open(
      {
        add,
        slow: async (ctx) => {
          if (stage.deployment.of("slow").length === 1) throw new Error("once");
          await ctx.get(ctx.sleep(stage.pulse.nowMs() + 60_000));
          return add(ctx);
        },
      },
      counter,
    );
    const actor = stage.actor();
    actor.startWorker();
    const slow = await stage.pulse.within(0, sendKeyed(actor, keyed("O", "k", "slow", "1")));
    await stage.pulse.settle();
    const next = callKeyed(actor, keyed("O", "k", "add", "1"));
    await stage.pulse.pass(50_000);
    expect(stage.deployment.of("add")).toHaveLength(0);
    await stage.pulse.pass(20_000);
    expect(textOf(await next)).toBe("2");
    expect(await inspect(actor.engine, slow.invocationId)).toMatchObject({ status: "completed" });
  });
});

describe("a crash", () => {
  const points = Array.from({ length: 9 }, (_, at) => at);
  test.each(points)("after %i writes loses no state, counts no call twice and leaves the key free", async (at) => {
    const stage = await open({ add, get }, counter);
    const [driver, other] = [stage.actor(), stage.actor()];
    crashBefore(driver, nth(at, tableWrite));
    void callKeyed(driver, keyed("O", "k", "add", "1")).catch(() => undefined);
    void callKeyed(driver, keyed("O", "k", "add", "10")).catch(() => undefined);
    await stage.pulse.pass(100);
    other.startWorker();
    await stage.pulse.pass(3 * LEASE_MS);
    // Each call that was attempted had been accepted, and counts once.
    const accepted = new Map(stage.deployment.of("add").map(({ start, input }) => [start.debugId, Number(input)]));
    const sum = [...accepted.values()].reduce((total, input) => total + input, 100);
    const last = await stage.pulse.within(LEASE_MS, callKeyed(other, keyed("O", "k", "add", "100")));
    expect(textOf(last)).toBe(String(sum));
    const lock = await lockOf(other, "k");
    expect([lock.holder, lock.head]).toEqual([undefined, lock.tail]);
  });
});
