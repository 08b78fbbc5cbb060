/** The effects of one segment that concern one invocation, key or promise are performed in the order of their commands (I2). */
import { describe, expect, test } from "vitest";
import { workflowId } from "../../../shared/engine/accept/invocation-ids.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import type { Item } from "../../../shared/engine/ports/table.ts";
import { crashBefore } from "../../harness/engine/crash.ts";
import { callOn, LEASE_MS, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { workflowOf } from "../../harness/engine/object-stage.ts";
import { acceptanceOf, arrival, nth } from "../../harness/engine/named-calls.ts";
import { TerminalError } from "../../harness/engine/script-awaits.ts";
import type { Handler, ScriptContext } from "../../harness/engine/script-context.ts";
import { completePromise, peekPromise } from "../../harness/engine/script-state.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const services = [workflowOf(["peek"])];

type Lookup = "AttachInvocation" | "GetInvocationOutput";
const byWorkflow = (ctx: ScriptContext, how: Lookup) =>
  ctx.completable(how, { workflow: { workflowName: "W", workflowKey: "w" } });
const byKey = (ctx: ScriptContext, how: Lookup) =>
  ctx.completable(how, { idempotentRequest: { serviceName: "S", handlerName: "slow", idempotencyKey: "ik" } });

/** A lookup that finds an open invocation waits for its end (attach), or is empty (output); one that finds none fails. */
const looked: Handler = async (ctx) => {
  const [target, how] = ctx.input.split(" ") as ["workflow" | "key", Lookup];
  if (target === "workflow") ctx.send("run", "", { service: "W", key: "w" });
  else ctx.send("slow", "", { idempotencyKey: "ik" });
  const result = target === "workflow" ? byWorkflow(ctx, how) : byKey(ctx, how);
  try {
    return `got '${await ctx.get(result)}'`;
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    return `failed ${error.code}`;
  }
};

describe.each([true, false])("after a send (sole owner: %s)", (soleOwner) => {
  test.each([
    ["workflow AttachInvocation", "got 'slow'"],
    ["workflow GetInvocationOutput", "got ''"],
    ["key AttachInvocation", "got 'slow'"],
    ["key GetInvocationOutput", "got ''"],
  ])("a lookup by %s finds the invocation that the send made", async (input, expected) => {
    const slow: Handler = async () => (await stage.pulse.sleep(5_000), "slow");
    const stage = await open({ looked, slow, run: (ctx) => slow(ctx) }, { services });
    const actor = stage.actor({ soleOwner });
    actor.startWorker();
    const isSent = (item: Item) => item["handler"] === "run" || item["handler"] === "slow";
    actor.process.before = (call) =>
      acceptanceOf()(call) && isSent(call.args[0] as Item) ? stage.pulse.sleep(2_000).then(() => undefined) : undefined;
    expect(textOf(await stage.pulse.within(30_000, callOn(actor, "looked", input)))).toBe(expected);
  });

  test("a cancel reaches the invocation that the send made", async () => {
    const stage = await open(
      {
        sends: (ctx) => {
          ctx.send("run", "", { service: "W", key: "w" });
          ctx.cancel(ctx.input);
          return "done";
        },
        run: async (ctx) => await ctx.get(ctx.signal("never")),
      },
      { services },
    );
    const actor = stage.actor({ soleOwner });
    actor.startWorker();
    const id = workflowId(actor.engine, { service: "W", key: "w" });
    await stage.pulse.within(30_000, callOn(actor, "sends", id));
    await stage.pulse.pass(LEASE_MS);
    // An invocation that is cancelled before its first attempt leaves no record.
    expect([undefined, "completed"]).toContain((await inspect(actor.engine, id))?.status);
  });
});

test("a lookup waits for an acceptance that is under way in the same process", async () => {
  const started = new Gate();
  const stage = await open({
    slow: async () => {
      started.open();
      await stage.pulse.sleep(5_000);
      return "slow";
    },
    looks: async (ctx) => await ctx.get(ctx.attach(ctx.input)),
  });
  const actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  actor.process.before = (call) =>
    acceptanceOf("slow")(call) ? stage.pulse.sleep(2_000).then(() => undefined) : undefined;
  const first = callOn(actor, "slow");
  await stage.pulse.within(1_000, started.passed);
  expect(
    textOf(await stage.pulse.within(30_000, callOn(actor, "looks", stage.deployment.of("slow")[0]!.start.debugId))),
  ).toBe("slow");
  expect(textOf(await first)).toBe("slow");
});

const VALUES = Array.from({ length: 24 }, (_, at) => String(at));

/** The handler sends half of the signals, stores a run, and sends the other half. */
const signals: Handler = async (ctx) => {
  for (const value of VALUES.slice(0, 12)) ctx.sendSignal(ctx.input, "go", value);
  await ctx.get(ctx.run("half", () => "half"));
  for (const value of VALUES.slice(12)) ctx.sendSignal(ctx.input, "go", value);
  return "done";
};
const listens: Handler = async (ctx) => {
  const heard: string[] = [];
  for (const _ of VALUES) heard.push(await ctx.get(ctx.signal("go")));
  return heard.join(" ");
};

test.each([
  ["arrive", undefined],
  ["arrive, though the driver of the sender dies between them,", 5],
])("the named signals of one sender %s in the order of its commands", async (_, diesAt) => {
  const stage = await open({ signals, listens });
  const actor = stage.actor();
  const heard = callOn(actor, "listens");
  await stage.pulse.settle();
  const id = stage.deployment.of("listens")[0]!.start.debugId;
  const sender = stage.actor();
  sender.startWorker();
  if (diesAt !== undefined) {
    // Writes that run at the same time are answered in an order of their own.
    let late = 20;
    sender.process.before = (call) => (arrival(call) ? stage.pulse.sleep(late--).then(() => undefined) : undefined);
    const crash = crashBefore(sender, nth(diesAt, arrival));
    await sendOn(sender, "signals", id);
    await stage.pulse.pass(1_000);
    expect(crash.at).toBeDefined();
    stage.actor().startWorker();
  } else await sendOn(sender, "signals", id);
  actor.startWorker();
  expect(textOf(await stage.pulse.within(10 * LEASE_MS, heard))).toBe(VALUES.join(" "));
});

test("a handler of the own workflow sees the promise that a command before the send completed", async () => {
  const stage = await open(
    {
      run: async (ctx) => {
        const completed = completePromise(ctx, "p", "told");
        const sent = ctx.send("peek", "", { service: "W", key: "w" });
        await ctx.get(completed);
        return await ctx.get(ctx.attach(await ctx.get(sent)));
      },
      peek: async (ctx) => `peeked ${await ctx.get(peekPromise(ctx, "p"))}`,
      parent: async (ctx) => await ctx.get(ctx.call("run", "", { service: "W", key: "w" })),
    },
    { services },
  );
  const actor = stage.actor();
  actor.startWorker();
  actor.process.before = ({ port, method, args }) =>
    port === "table" && method === "put" && (args[0] as Item).sk.startsWith("promise#")
      ? stage.pulse.sleep(2_000).then(() => undefined)
      : undefined;
  expect(textOf(await stage.pulse.within(30_000, callOn(actor, "parent")))).toBe("peeked told");
});
