/** Cancels of invocations: before the first attempt, in an attempt, suspended, backing off and paused. */
import { expect, test } from "vitest";
import { attach, output } from "../../../shared/engine/ingress/attach.ts";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { freshId } from "../../../shared/engine/accept/invocation-ids.ts";
import { diesBeforeItEnds } from "../../harness/engine/dies-before-it-ends.ts";
import { callOn, LEASE_MS, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { writesHold } from "../../harness/engine/hold-writes.ts";
import { TerminalError } from "../../harness/engine/script-awaits.ts";
import { AttemptFails, type Handler, type ScriptContext } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const FAR_MS = 3_600_000;

const naps: Handler = async (ctx) => {
  await ctx.get(ctx.sleep(Number(ctx.input)));
  return "slept";
};

async function play(handlers: Record<string, Handler>, settings = {}) {
  const stage = await open(handlers, settings);
  const actor = stage.actor();
  actor.startWorker();
  return { stage, actor, far: String(stage.pulse.nowMs() + FAR_MS) };
}

test("a cancelled scheduled invocation ends at once, never runs, and leaves no record", async () => {
  const { stage, actor } = await play({ naps });
  const { invocationId } = await sendOn(actor, "naps", "0", { startAtMs: stage.pulse.nowMs() + 5_000 });
  expect(await cancel(actor.engine, invocationId)).toBe("done");
  expect(await output(actor.engine, invocationId)).toEqual({ kind: "unknown" });
  expect(await inspect(actor.engine, invocationId)).toBeUndefined();
  expect(await cancel(actor.engine, invocationId)).toBe("unknown");
  await stage.pulse.pass(60_000);
  expect(stage.deployment.attempts).toHaveLength(0);
});

test("the canceller itself ends an invocation before its first attempt, and no worker races for it", async () => {
  const { stage, actor } = await play({ naps });
  const operator = stage.actor();
  const { invocationId } = await sendOn(actor, "naps", "0", { startAtMs: stage.pulse.nowMs() + FAR_MS });
  // If a worker got a message now, it would claim the invocation before the operator does, and write its end a second later.
  const slow = (ms: number) => stage.pulse.sleep(ms).then(() => undefined);
  operator.process.before = ({ method }) => (method === "query" ? slow(100) : undefined);
  actor.process.before = ({ method, args }) =>
    method === "put" && (args[0] as { sk: string }).sk.startsWith("seg#") ? slow(1_000) : undefined;
  expect(await stage.pulse.within(5_000, cancel(operator.engine, invocationId))).toBe("done");
  expect(await inspect(actor.engine, invocationId)).toBeUndefined();
});

test("if the canceller dies, a scheduled invocation still ends soon, and not at its scheduled start", async () => {
  const { stage, actor } = await play({ naps });
  const operator = stage.actor();
  const { invocationId } = await sendOn(actor, "naps", "0", { startAtMs: stage.pulse.nowMs() + FAR_MS });
  operator.process.before = (call) => {
    const isClaim = writesHold(call);
    if (isClaim) operator.die();
    return isClaim ? new Promise(() => undefined) : undefined;
  };
  void cancel(operator.engine, invocationId);
  await stage.pulse.pass(LEASE_MS);
  expect(await inspect(actor.engine, invocationId)).toBeUndefined();
  expect(stage.deployment.attempts).toHaveLength(0);
});

test("a scheduled invocation does not start early when its canceller died after the claim", async () => {
  const { stage, actor } = await play({ naps });
  const operator = stage.actor();
  const { invocationId } = await sendOn(actor, "naps", "0", { startAtMs: stage.pulse.nowMs() + FAR_MS });
  diesBeforeItEnds(operator);
  void cancel(operator.engine, invocationId);
  await stage.pulse.pass(3 * LEASE_MS);
  expect(stage.deployment.attempts).toHaveLength(0);
  expect(await inspect(actor.engine, invocationId)).toBeUndefined();
});

test("an attach to an invocation that is cancelled before its first attempt gets the cancel as its result", async () => {
  const { stage, actor } = await play({ naps });
  const { invocationId } = await sendOn(actor, "naps", "0", { startAtMs: stage.pulse.nowMs() + 5_000 });
  const attached = attach(actor.engine, invocationId);
  await stage.pulse.settle();
  await cancel(actor.engine, invocationId);
  const end = await stage.pulse.within(3_000, attached);
  expect(end.kind === "ended" && textOf(end)).toBe("409 canceled");
});

test("a suspended handler gets the cancel at its await", async () => {
  const { stage, actor, far } = await play({ naps });
  const result = callOn(actor, "naps", far);
  await stage.pulse.settle();
  const id = stage.deployment.attempts[0]!.start.debugId as never;
  expect(await cancel(actor.engine, id)).toBe("noted");
  expect(textOf(await stage.pulse.within(1_000, result))).toBe("409 Cancelled");
  expect(await cancel(actor.engine, id)).toBe("completed");
});

test("a running attempt goes on, and its handler gets the cancel at its next await", async () => {
  const gate = new Gate();
  const ran: string[] = [];
  const { stage, actor, far } = await play({
    works: async (ctx) => {
      await ctx.get(ctx.run("work", async () => (await gate.passed, `${ran.push("worked")}`)));
      return await naps(ctx);
    },
  });
  const result = callOn(actor, "works", far);
  await stage.pulse.settle();
  const id = stage.deployment.attempts[0]!.start.debugId as never;
  expect(await cancel(actor.engine, id)).toBe("noted");
  await stage.pulse.pass(1_000);
  expect(stage.deployment.attempts[0]!.aborted).toBe(false);
  gate.open();
  expect(textOf(await stage.pulse.within(1_000, result))).toBe("409 Cancelled");
  expect(ran).toEqual(["worked"]);
});

test.each([
  ["in its driver", 900],
  ["parked", 500_000],
])("an invocation that backs off %s is attempted at once and gets the cancel", async (_, initialIntervalMs) => {
  let isWell = false;
  const { stage, actor, far } = await play(
    {
      stumbles: async (ctx) => {
        if (!isWell) throw new Error("not yet");
        return await naps(ctx);
      },
    },
    { retry: { initialIntervalMs, maxIntervalMs: 500_000 } },
  );
  const result = callOn(actor, "stumbles", far);
  await stage.pulse.settle();
  const id = stage.deployment.attempts[0]!.start.debugId as never;
  expect(await inspect(actor.engine, id)).toMatchObject({ status: "backing-off" });
  isWell = true;
  const cancelledAtMs = stage.pulse.nowMs();
  await cancel(actor.engine, id);
  expect(textOf(await stage.pulse.within(500_000, result))).toBe("409 Cancelled");
  expect(stage.pulse.nowMs() - cancelledAtMs).toBeLessThan(initialIntervalMs);
  expect(stage.deployment.attempts).toHaveLength(2);
});

test("a paused invocation resumes and gets the cancel", async () => {
  let isWell = false;
  const { stage, actor, far } = await play({
    stumbles: async (ctx) => {
      if (!isWell) throw new AttemptFails("hold it", { behavior: 1 });
      return await naps(ctx);
    },
  });
  const result = callOn(actor, "stumbles", far);
  await stage.pulse.settle();
  const id = stage.deployment.attempts[0]!.start.debugId as never;
  expect(await inspect(actor.engine, id)).toMatchObject({ status: "paused" });
  isWell = true;
  await stage.pulse.pass(FAR_MS / 2);
  expect(stage.deployment.attempts).toHaveLength(1);
  await cancel(actor.engine, id);
  expect(textOf(await stage.pulse.within(3_000, result))).toBe("409 Cancelled");
});

test("a second cancel cancels the compensation, and the first cancel is not delivered twice", async () => {
  const compensates = async (ctx: ScriptContext) => {
    try {
      return await naps(ctx);
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
      await ctx.get(ctx.sleep(Number(ctx.input)));
      return "compensated";
    }
  };
  const { stage, actor, far } = await play({ compensates });
  const result = callOn(actor, "compensates", far);
  await stage.pulse.settle();
  const id = stage.deployment.attempts[0]!.start.debugId as never;
  await cancel(actor.engine, id);
  await stage.pulse.pass(20_000);
  expect(stage.deployment.attempts).toHaveLength(2);
  expect(await inspect(actor.engine, id)).toMatchObject({ status: "suspended" });
  await cancel(actor.engine, id);
  expect(textOf(await stage.pulse.within(1_000, result))).toBe("409 Cancelled");
});

test("a compensation that is not cancelled runs to its end", async () => {
  const { stage, actor } = await play({
    compensates: async (ctx) => {
      try {
        return await naps(ctx);
      } catch (error) {
        if (!(error instanceof TerminalError)) throw error;
        await ctx.get(ctx.sleep(stage.pulse.nowMs() + 7_000));
        return "compensated";
      }
    },
  });
  const result = callOn(actor, "compensates", String(stage.pulse.nowMs() + FAR_MS));
  await stage.pulse.settle();
  await cancel(actor.engine, stage.deployment.attempts[0]!.start.debugId as never);
  expect(textOf(await stage.pulse.within(9_000, result))).toBe("compensated");
  expect(stage.deployment.attempts).toHaveLength(3);
});

test("the SDK passes a cancel on to called children, and sent children survive", async () => {
  const { stage, actor, far } = await play({
    parent: async (ctx) => {
      ctx.send("naps", ctx.input);
      return await ctx.get(ctx.call("naps", ctx.input));
    },
    naps,
  });
  const result = callOn(actor, "parent", far);
  await stage.pulse.pass(1_000);
  expect(stage.deployment.of("naps")).toHaveLength(2);
  await cancel(actor.engine, stage.deployment.of("parent")[0]!.start.debugId as never);
  expect(textOf(await stage.pulse.within(3_000, result))).toBe("409 Cancelled");
  await stage.pulse.pass(1_000);
  const statuses = await Promise.all(
    [...new Set(stage.deployment.of("naps").map(({ start }) => start.debugId))].map((id) =>
      output(actor.engine, id as never),
    ),
  );
  expect(statuses.map(({ kind }) => kind).sort()).toEqual(["ended", "open"]);
});

test("a cancel of an unknown id does nothing", async () => {
  const { actor } = await play({ naps });
  expect(await cancel(actor.engine, freshId(actor.engine))).toBe("unknown");
});
