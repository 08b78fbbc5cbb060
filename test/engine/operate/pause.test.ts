/** Orders to pause and to resume invocations that run, back off, are suspended or are paused. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { cancel, pause } from "../../../shared/engine/operate/orders.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { completeAwakeable } from "../../../shared/engine/effects/perform.ts";
import { resume } from "../../../shared/engine/operate/resume.ts";
import {
  type Actor,
  callOn,
  LEASE_MS,
  type Stage,
  type StageSettings,
  sendOn,
  textOf,
} from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const FAR_MS = 3_600_000;
const KEEP = { kind: "keep" } as const;

const naps: Handler = async (ctx) => {
  await ctx.get(ctx.sleep(Number(ctx.input)));
  return "slept";
};

async function play(handlers: Record<string, Handler>, settings: StageSettings = {}) {
  const stage = await open(handlers, settings);
  const actor = stage.actor();
  actor.startWorker();
  return { stage, actor, far: String(stage.pulse.nowMs() + FAR_MS) };
}

const idIn = (stage: Stage) => stage.deployment.attempts[0]!.start.debugId as InvocationId;
const statusOf = async ({ engine }: Actor, id: InvocationId) => (await inspect(engine, id))?.status;

/** A handler of two steps, the first of which waits at a gate. */
function gated() {
  const gate = new Gate();
  const ran: string[] = [];
  const works: Handler = async (ctx) => {
    await ctx.get(ctx.run("one", async () => (await gate.passed, `${ran.push("one")}`)));
    await ctx.get(ctx.run("two", () => `${ran.push("two")}`));
    return ran.join();
  };
  return { gate, ran, works };
}

test.each([
  ["from the process of its driver", true],
  ["from another process", false],
])("a running attempt whose invocation is paused %s goes on to its end, and no attempt follows", async (_, isOwn) => {
  const { gate, ran, works } = gated();
  const { stage, actor } = await play({ works });
  const operator = isOwn ? actor : stage.actor();
  const result = callOn(actor, "works");
  await stage.pulse.settle();
  expect(await pause(operator.engine, idIn(stage))).toBe("noted");
  await stage.pulse.pass(2 * LEASE_MS);
  expect(stage.deployment.attempts[0]!.aborted).toBe(false);
  gate.open();
  await stage.pulse.pass(FAR_MS);
  expect(ran).toEqual(["one"]);
  expect(await statusOf(actor, idIn(stage))).toBe("paused");
  expect(await pause(operator.engine, idIn(stage))).toBe("done");
  expect(await resume(operator.engine, idIn(stage), KEEP)).toBe("done");
  expect(textOf(await stage.pulse.within(3_000, result))).toBe("one,two");
});

test("if a running attempt completes the invocation, an order to pause has no effect", async () => {
  const gate = new Gate();
  const { stage, actor } = await play({ works: async () => (await gate.passed, "done") });
  const result = callOn(actor, "works");
  await stage.pulse.settle();
  expect(await pause(actor.engine, idIn(stage))).toBe("noted");
  gate.open();
  expect(textOf(await stage.pulse.within(0, result))).toBe("done");
  expect(await pause(actor.engine, idIn(stage))).toBe("completed");
  expect(await resume(actor.engine, idIn(stage), KEEP)).toBe("completed");
});

test.each([
  ["in its driver", 900],
  ["parked", 500_000],
])(
  "an invocation that backs off %s is paused at once, and after a resume it may make all its attempts again",
  async (_, ms) => {
    const retry = { initialIntervalMs: ms, maxIntervalMs: ms, maxAttempts: 2 };
    const { stage, actor } = await play(
      {
        stumbles: () => {
          throw new Error("boom");
        },
      },
      { retry },
    );
    await sendOn(actor, "stumbles");
    await stage.pulse.settle();
    const id = idIn(stage);
    expect(await statusOf(actor, id)).toBe("backing-off");
    expect(await pause(actor.engine, id)).toBe("noted");
    await stage.pulse.settle();
    expect(await inspect(actor.engine, id)).toMatchObject({ status: "paused", lastFailure: { message: "boom" } });
    await stage.pulse.pass(FAR_MS);
    expect(stage.deployment.attempts).toHaveLength(1);
    expect(await resume(actor.engine, id, KEEP)).toBe("done");
    await stage.pulse.pass(FAR_MS);
    expect(stage.deployment.attempts).toHaveLength(3);
    expect(await statusOf(actor, id)).toBe("paused");
  },
);

test.each([
  ["in its driver", 900],
  ["parked", 500_000],
])("an invocation that backs off %s is attempted at once when it is resumed", async (_, ms) => {
  const { stage, actor } = await play(
    {
      stumbles: () => {
        if (stage.deployment.attempts.length === 1) throw new Error("boom");
        return "well";
      },
    },
    { retry: { initialIntervalMs: ms, maxIntervalMs: ms } },
  );
  const result = callOn(actor, "stumbles");
  await stage.pulse.settle();
  expect(await resume(actor.engine, idIn(stage), KEEP)).toBe("done");
  expect(textOf(await stage.pulse.within(ms / 2, result))).toBe("well");
});

test("resuming a suspended invocation makes one attempt, and then it is suspended again", async () => {
  const { stage, actor, far } = await play({ naps });
  const { invocationId } = await sendOn(actor, "naps", far);
  await stage.pulse.settle();
  expect(await resume(actor.engine, invocationId, KEEP)).toBe("done");
  await stage.pulse.pass(60_000);
  expect(stage.deployment.attempts).toHaveLength(2);
  expect(await statusOf(actor, invocationId)).toBe("suspended");
});

test("resuming a running invocation changes nothing, but revokes an order to pause that is not obeyed yet", async () => {
  const { gate, ran, works } = gated();
  const { stage, actor } = await play({ works });
  const result = callOn(actor, "works");
  await stage.pulse.settle();
  expect(await resume(actor.engine, idIn(stage), KEEP)).toBe("done");
  expect(await pause(actor.engine, idIn(stage))).toBe("noted");
  expect(await resume(actor.engine, idIn(stage), KEEP)).toBe("done");
  gate.open();
  expect(textOf(await stage.pulse.within(1_000, result))).toBe("one,two");
  expect(ran).toEqual(["one", "two"]);
});

test("a repeated order to pause does not pause an invocation that was resumed since", async () => {
  const { gate, works } = gated();
  const { stage, actor } = await play({ works });
  const result = callOn(actor, "works");
  await stage.pulse.settle();
  expect(await pause(actor.engine, idIn(stage))).toBe("noted");
  expect(await pause(actor.engine, idIn(stage))).toBe("noted");
  gate.open();
  await stage.pulse.pass(60_000);
  expect(await statusOf(actor, idIn(stage))).toBe("paused");
  await resume(actor.engine, idIn(stage), KEEP);
  expect(textOf(await stage.pulse.within(3_000, result))).toBe("one,two");
});

test("arrivals of a paused invocation wait, but a cancel that arrives during the pause ends the pause", async () => {
  const gate = new Gate();
  let awakeable = "";
  const { stage, actor, far } = await play({
    works: async (ctx) => {
      const { id, result } = ctx.awakeable();
      awakeable = id;
      await ctx.get(ctx.run("one", async () => (await gate.passed, "")));
      await ctx.get(result);
      return await naps(ctx);
    },
  });
  const result = callOn(actor, "works", far);
  await stage.pulse.settle();
  await pause(actor.engine, idIn(stage));
  gate.open();
  await stage.pulse.settle();
  await stage.pulse.during(completeAwakeable(actor.engine, awakeable, { kind: "success", value: new Uint8Array(0) }));
  await stage.pulse.pass(60_000);
  expect(stage.deployment.attempts).toHaveLength(1);
  expect(await statusOf(actor, idIn(stage))).toBe("paused");
  expect(await cancel(actor.engine, idIn(stage))).toBe("noted");
  expect(textOf(await stage.pulse.within(3_000, result))).toBe("409 Cancelled");
});

test("a cancel that came before the order to pause takes effect when the invocation is resumed", async () => {
  const { gate, works } = gated();
  const { stage, actor } = await play({ works });
  const result = callOn(actor, "works");
  await stage.pulse.settle();
  await cancel(actor.engine, idIn(stage));
  await stage.pulse.pass(1);
  await pause(actor.engine, idIn(stage));
  gate.open();
  await stage.pulse.pass(60_000);
  expect(await statusOf(actor, idIn(stage))).toBe("paused");
  await resume(actor.engine, idIn(stage), KEEP);
  expect(textOf(await stage.pulse.within(3_000, result))).toBe("409 Cancelled");
});

test("an order to pause is obeyed after a restart, and the pause survives another restart", async () => {
  const { works } = gated();
  const { stage, actor } = await play({ works });
  void callOn(actor, "works").catch(() => undefined);
  await stage.pulse.settle();
  const id = idIn(stage);
  expect(await pause(actor.engine, id)).toBe("noted");
  await stage.reboot();
  const second = stage.actor();
  second.startWorker();
  await stage.pulse.pass(4 * LEASE_MS);
  expect(await statusOf(second, id)).toBe("paused");
  expect(stage.deployment.attempts).toHaveLength(1);
  await stage.reboot();
  const third = stage.actor();
  third.startWorker();
  await stage.pulse.pass(FAR_MS);
  expect(await statusOf(third, id)).toBe("paused");
});
