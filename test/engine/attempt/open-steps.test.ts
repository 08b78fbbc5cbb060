/** Exchanges that stay open: the steps of a handler become segments, and the handler goes on without a replay (ADR 0008). */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { callOn, sendOn, type Stage, textOf } from "../../harness/engine/engine-fixture.ts";
import { callKeyed, keyed, objectOf, sendKeyed, workflowOf } from "../../harness/engine/object-stage.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const OPEN = { opensExchanges: true };

const idIn = (stage: Stage, handler: string) => stage.deployment.of(handler)[0]!.start.debugId as InvocationId;

const runs: Handler = async (ctx) => {
  const results: string[] = [];
  for (let at = 1; at <= Number(ctx.input); at++) results.push(await ctx.get(ctx.run(`run ${at}`, () => `${at}`)));
  return results.join();
};

async function segmentsOf({ stores }: Stage, id: InvocationId): Promise<number> {
  const { items } = await stores.table.query(`inv#${id}`, { from: "seg#", below: "seg$" });
  return items.length - 1;
}

test("each run on an open exchange adds a segment in the same attempt, and the journal is the same as with replays", async () => {
  const journals: string[][] = [];
  for (const opensExchanges of [true, false]) {
    const stage = await open({ runs }, { opensExchanges });
    const actor = stage.actor({ soleOwner: true });
    expect(textOf(await stage.pulse.within(1_000, callOn(actor, "runs", "5")))).toBe("1,2,3,4,5");
    expect(stage.deployment.attempts).toHaveLength(opensExchanges ? 1 : 6);
    expect(await segmentsOf(stage, idIn(stage, "runs"))).toBe(6);
    journals.push((await inspect(actor.engine, idIn(stage, "runs")))!.entries.map(({ type }) => type));
  }
  expect(journals[0]).toEqual(journals[1]);
});

test("runs that end together share a segment", async () => {
  const stage = await open(
    {
      parallel: async (ctx) => {
        const ten = Array.from({ length: 10 }, (_, at) => ctx.run(`run ${at}`, () => `${at}`));
        return (await ctx.all(...ten)).join("");
      },
    },
    OPEN,
  );
  const actor = stage.actor({ soleOwner: true });
  expect(textOf(await stage.pulse.within(1_000, callOn(actor, "parallel")))).toBe("0123456789");
  expect(stage.deployment.attempts).toHaveLength(1);
  expect(await segmentsOf(stage, idIn(stage, "parallel"))).toBeLessThanOrEqual(3);
});

test("a run is executed once if its driver survives, and its result is durable before the next step begins", async () => {
  const durable: Promise<number>[] = [];
  const stage = await open(
    {
      steps: async (ctx) => {
        await ctx.get(ctx.run("first", () => "one"));
        // The handler does not wait for the read, because virtual time would pass meanwhile.
        durable.push(segmentsOf(stage, idIn(stage, "steps")));
        return await ctx.get(ctx.run("second", () => "two"));
      },
    },
    OPEN,
  );
  expect(textOf(await stage.pulse.within(1_000, callOn(stage.actor({ soleOwner: true }), "steps")))).toBe("two");
  expect(await Promise.all(durable)).toEqual([1]);
});

test.each(["soleOwner", "shared"])(
  "results of all kinds come on the open exchange, in a process of kind %s",
  async (kind) => {
    const stage = await open(
      {
        everything: async (ctx) => {
          const called = await ctx.get(ctx.call("child", "a"));
          await ctx.get(ctx.sleep(stage.pulse.nowMs() + 3_000));
          const { id, result } = ctx.awakeable();
          ctx.send("resolver", id);
          const awoken = await ctx.get(result);
          ctx.send("signaller", ctx.id);
          const signalled = await ctx.get(ctx.signal("go"));
          const nested = await ctx.get(ctx.call("parent", "b"));
          return [called, awoken, signalled, nested].join();
        },
        child: (ctx) => `child ${ctx.input}`,
        parent: async (ctx) => `parent of ${await ctx.get(ctx.call("child", ctx.input))}`,
        resolver: (ctx) => (ctx.resolveAwakeable(ctx.input, "resolved"), ""),
        signaller: (ctx) => (ctx.sendSignal(ctx.input, "go", "gone"), ""),
      },
      OPEN,
    );
    const actor = stage.actor({ soleOwner: kind === "soleOwner" });
    actor.startWorker();
    const result = stage.pulse.within(10_000, callOn(actor, "everything"));
    expect(textOf(await result)).toBe("child a,resolved,gone,parent of child b");
    expect(stage.deployment.of("everything")).toHaveLength(1);
    expect(stage.deployment.of("parent")).toHaveLength(1);
  },
);

test("promises and state of a workflow come on the open exchange", async () => {
  const handlers: Record<string, Handler> = {
    run: async (ctx) => {
      ctx.command("SetState", { key: Buffer.from("step"), value: { content: Buffer.from("waiting") } });
      return await ctx.get(ctx.completable("GetPromise", { key: "approval" }));
    },
    approve: async (ctx) => {
      const state = await ctx.get(ctx.completable("GetLazyState", { key: Buffer.from("step") }));
      const completionValue = { content: Buffer.from("yes") };
      await ctx.get(ctx.completable("CompletePromise", { key: "approval", completionValue }));
      return state;
    },
  };
  const stage = await open(handlers, { ...OPEN, services: [workflowOf(["approve"])], eagerStateMaxBytes: 0 });
  const actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  const { invocationId } = await sendKeyed(actor, keyed("W", "w", "run"));
  await stage.pulse.pass(2_000);
  expect(textOf(await stage.pulse.within(2_000, callKeyed(actor, keyed("W", "w", "approve"))))).toBe("waiting");
  const ended = await stage.pulse.within(2_000, attach(actor.engine, invocationId));
  expect(ended.kind === "ended" && textOf(ended)).toBe("yes");
});

test("an object keeps its key over all segments of an open exchange, and the next call sees the state", async () => {
  const add: Handler = async (ctx) => {
    const before = await ctx.get(ctx.completable("GetLazyState", { key: Buffer.from("sum") }));
    const sum = await ctx.get(ctx.run("add", () => `${Number(before) + 1}`));
    ctx.command("SetState", { key: Buffer.from("sum"), value: { content: Buffer.from(sum) } });
    await ctx.get(ctx.run("after", () => "done"));
    return sum;
  };
  const stage = await open({ add }, { ...OPEN, services: [objectOf(["add"])], eagerStateMaxBytes: 0 });
  const actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  const calls = Array.from({ length: 8 }, () => callKeyed(actor, keyed("O", "k", "add")));
  const sums = (await stage.pulse.within(20_000, Promise.all(calls))).map(textOf);
  expect(sums.map(Number).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test("an exchange stays open unless the handler awaited nothing when it last ran", async () => {
  const stage = await open({ runs, plain: () => "plain" }, OPEN);
  const actor = stage.actor({ soleOwner: true });
  const opened = (handler: string) => stage.deployment.of(handler).map(({ isOpen }) => isOpen);
  await stage.pulse.within(1_000, callOn(actor, "plain"));
  await stage.pulse.within(1_000, callOn(actor, "plain"));
  expect(opened("plain")).toEqual([true, false]);
  await stage.pulse.within(1_000, callOn(actor, "runs", "3"));
  expect(opened("runs")).toEqual([true]);
  await stage.pulse.within(1_000, callOn(actor, "runs", "0"));
  await stage.pulse.within(1_000, callOn(actor, "runs", "0"));
  expect(opened("runs")).toEqual([true, true, false]);
  // The suspension of an attempt shows that the handler waits again.
  await stage.pulse.within(1_000, callOn(actor, "runs", "3"));
  await stage.pulse.within(1_000, callOn(actor, "runs", "3"));
  expect(opened("runs")).toEqual([true, true, false, false, true, true]);
});

test.each([
  ["the setting is off", { opensExchanges: false }],
  ["the inactivity timeout is zero", { ...OPEN, inactivityTimeoutMs: 0 }],
])("no exchange stays open if %s", async (_, settings) => {
  const stage = await open({ runs }, settings);
  expect(textOf(await stage.pulse.within(1_000, callOn(stage.actor({ soleOwner: true }), "runs", "2")))).toBe("1,2");
  expect(stage.deployment.attempts.map(({ isOpen }) => isOpen)).toEqual([false, false, false]);
});

test.each([
  ["announces request-response", { protocolMode: "request-response" as const }],
  [
    "is reached over HTTP/1.1",
    { destination: { kind: "http" as const, uri: "http://one:1/", httpVersion: "http1.1" as const } },
  ],
])("no exchange stays open if the deployment %s", async (_, deployed) => {
  const stage = await open({ runs }, { ...OPEN, deployed });
  expect(textOf(await stage.pulse.within(1_000, callOn(stage.actor({ soleOwner: true }), "runs", "2")))).toBe("1,2");
  expect(stage.deployment.attempts.map(({ isOpen }) => isOpen)).toEqual([false, false, false]);
});

test("a send whose handler has many steps is driven over one exchange by the worker", async () => {
  const stage = await open({ runs }, OPEN);
  const actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "runs", "20");
  const ended = await stage.pulse.within(2_000, attach(actor.engine, invocationId));
  expect(ended.kind === "ended" && textOf(ended).length).toBe(50);
  expect(stage.deployment.attempts).toHaveLength(1);
});
