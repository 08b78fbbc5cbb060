/** Tests children of calls and sends: driven along, parked, in a race, in a long chain, and many at once. */
import { expect, test } from "vitest";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { callOn, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { TerminalError } from "../../harness/engine/script-awaits.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

test("a called child is driven by its caller's driver, without the queue", async () => {
  const stage = await open({
    parent: async (ctx) => `${await ctx.get(ctx.call("child", "you"))}!`,
    child: (ctx) => `Hello ${ctx.input}`,
  });
  const actor = stage.actor();
  expect(textOf(await stage.pulse.within(0, callOn(actor, "parent")))).toBe("Hello you!");
  expect(actor.process.methods("table")).toEqual(["put", "put", "put", "put", "put"]);
  expect(stage.deployment.attempts.map(({ handler }) => handler)).toEqual(["parent", "child", "parent"]);
});

test("a child's terminal failure is thrown at its caller", async () => {
  const stage = await open({
    parent: async (ctx) => await ctx.get(ctx.call("child")).catch((error: unknown) => rethrown(error)),
    child: () => {
      throw new TerminalError(418, "short and stout");
    },
  });
  expect(textOf(await stage.pulse.within(0, callOn(stage.actor(), "parent")))).toBe("caught 418");
});

function rethrown(error: unknown): string {
  if (!(error instanceof TerminalError)) throw error;
  return `caught ${error.code}`;
}

test("a child that parks delivers its result as an arrival", async () => {
  const stage = await open({
    parent: async (ctx) => await ctx.get(ctx.call("child")),
    child: async (ctx) => {
      await ctx.get(ctx.sleep(stage.pulse.nowMs() + 30_000));
      return "rested";
    },
  });
  const actor = stage.actor();
  actor.startWorker();
  const result = callOn(actor, "parent");
  await stage.pulse.pass(1_000);
  const parent = stage.deployment.of("parent")[0]!.start.debugId as never;
  expect(await inspect(actor.engine, parent)).toMatchObject({ status: "suspended" });
  expect(actor.engine.activeInvocations.size).toBe(0);
  expect(textOf(await stage.pulse.within(32_000, result))).toBe("rested");
  expect(stage.deployment.of("parent")).toHaveLength(2);
});

test("of two children the faster one decides a race, and the result of the other changes nothing", async () => {
  const gate = new Gate();
  const stage = await open({
    parent: async (ctx) => await ctx.race(ctx.call("slow"), ctx.call("fast")),
    slow: async () => {
      await gate.passed;
      return "slow";
    },
    fast: () => "fast",
  });
  const actor = stage.actor();
  actor.startWorker();
  const ended = await stage.pulse.within(0, callOn(actor, "parent"));
  expect(textOf(ended)).toBe("fast");
  gate.open();
  await stage.pulse.pass(60_000);
  expect(stage.deployment.of("parent")).toHaveLength(2);
  expect(stage.deployment.of("slow")).toHaveLength(1);
  const slow = stage.deployment.of("slow")[0]!.start.debugId as never;
  expect(await inspect(actor.engine, slow)).toMatchObject({ status: "completed" });
  const again = await attach(actor.engine, ended.invocationId);
  expect(again.kind === "ended" && textOf(again)).toBe("fast");
});

test("a chain of twenty calls returns its result, with two attempts of each caller", async () => {
  const stage = await open({
    deep: async (ctx) => {
      const left = Number(ctx.input);
      return left === 0 ? "bottom" : `${await ctx.get(ctx.call("deep", String(left - 1)))}.`;
    },
  });
  const actor = stage.actor();
  actor.startWorker();
  expect(textOf(await stage.pulse.within(5_000, callOn(actor, "deep", "20")))).toBe(`bottom${".".repeat(20)}`);
  expect(stage.deployment.attempts).toHaveLength(41);
});

test("fifty concurrent calls all return, and each child runs once", async () => {
  const stage = await open({
    parent: async (ctx) => {
      const calls = Array.from({ length: 50 }, (_, i) => ctx.call("child", String(i)));
      return (await ctx.all(...calls)).join();
    },
    child: (ctx) => `<${ctx.input}>`,
  });
  const actor = stage.actor();
  actor.startWorker();
  const expected = Array.from({ length: 50 }, (_, i) => `<${i}>`).join();
  expect(textOf(await stage.pulse.within(5_000, callOn(actor, "parent")))).toBe(expected);
  expect(stage.deployment.of("child")).toHaveLength(50);
});

test("two callers that call a child with the same idempotency key run it once, and both get its result", async () => {
  const gate = new Gate();
  const stage = await open({
    parent: async (ctx) => await ctx.get(ctx.call("child", ctx.input, { idempotencyKey: "shared" })),
    child: async (ctx) => {
      await gate.passed;
      return `for ${ctx.input}`;
    },
  });
  const [a, b] = [stage.actor(), stage.actor()];
  a.startWorker();
  b.startWorker();
  const first = callOn(a, "parent", "a");
  await stage.pulse.pass(100);
  const second = callOn(b, "parent", "b");
  await stage.pulse.pass(1_000);
  gate.open();
  expect(textOf(await stage.pulse.within(15_000, first))).toBe("for a");
  expect(textOf(await stage.pulse.within(15_000, second))).toBe("for a");
  expect(stage.deployment.of("child")).toHaveLength(1);
  const third = await stage.pulse.within(100, callOn(b, "parent", "c"));
  expect(textOf(third)).toBe("for a");
  expect(stage.deployment.of("child")).toHaveLength(1);
});

test("a child that a handler sent runs, although the handler fails later", async () => {
  const stage = await open({
    parent: async (ctx) => {
      await ctx.get(ctx.send("child", "sent"));
      throw new TerminalError(500, "too bad");
    },
    child: (ctx) => ctx.input,
  });
  const actor = stage.actor();
  actor.startWorker();
  await sendOn(actor, "parent");
  await stage.pulse.pass(100);
  expect(stage.deployment.of("child").map(({ input }) => input)).toEqual(["sent"]);
});
