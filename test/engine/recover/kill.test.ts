/**
 * Tests of kill: a kill ends an invocation in several statuses, and the calls that the invocation awaits. If the killer dies,
 * the next driver reads the kill order and kills the invocation.
 */
import { expect, test } from "vitest";
import { attach, output } from "../../../shared/engine/ingress/attach.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { freshId } from "../../../shared/engine/accept/invocation-ids.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { sweep } from "../../../shared/engine/sweep/sweep.ts";
import { callOn, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { AttemptFails, type Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";
import { crashBefore } from "../../harness/engine/crash.ts";
import { segment } from "../../harness/engine/named-calls.ts";

const open = stages();
const FAR_MS = 3_600_000;

const naps: Handler = async (ctx) => {
  await ctx.get(ctx.sleep(Number(ctx.input)));
  return "slept";
};
const stumbles: Handler = () => {
  throw new Error("never well");
};
const pauses: Handler = () => {
  throw new AttemptFails("hold it", { behavior: 1 });
};

test.each([
  ["suspended", "naps", naps],
  ["backing-off", "stumbles", stumbles],
  ["paused", "pauses", pauses],
] as const)("a kill ends an invocation that is %s, and it is not attempted again", async (status, name, handler) => {
  const stage = await open({ [name]: handler }, { retry: { initialIntervalMs: 60_000, maxIntervalMs: 60_000 } });
  const actor = stage.actor();
  actor.startWorker();
  const result = callOn(actor, name, String(stage.pulse.nowMs() + FAR_MS));
  await stage.pulse.settle();
  const id = stage.deployment.attempts[0]!.start.debugId as InvocationId;
  expect(await inspect(actor.engine, id)).toMatchObject({ status });
  expect(await kill(actor.engine, id)).toBe("done");
  expect(textOf(await stage.pulse.within(0, result))).toBe("409 killed");
  expect(await kill(actor.engine, id)).toBe("completed");
  expect(await inspect(actor.engine, id)).toMatchObject({ status: "completed", failure: { message: "killed" } });
  await stage.pulse.pass(2 * FAR_MS);
  expect(stage.deployment.attempts).toHaveLength(1);
  // The invocation is in no index that the sweeper walks.
  expect((await sweep(actor.engine, stage.pulse.nowMs())).woken).toBe(0);
});

test("a kill ends an invocation that backs off in its driver", async () => {
  const stage = await open({ stumbles });
  const actor = stage.actor();
  const result = callOn(actor, "stumbles");
  await stage.pulse.settle();
  await kill(actor.engine, stage.deployment.attempts[0]!.start.debugId as InvocationId);
  expect(textOf(await stage.pulse.within(0, result))).toBe("409 killed");
  await stage.pulse.pass(60_000);
  expect(stage.deployment.attempts).toHaveLength(1);
});

test("a killed scheduled invocation never runs, and leaves no record", async () => {
  const stage = await open({ naps });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "naps", "0", { startAtMs: stage.pulse.nowMs() + 5_000 });
  expect(await kill(actor.engine, invocationId)).toBe("done");
  expect(await inspect(actor.engine, invocationId)).toBeUndefined();
  await stage.pulse.pass(60_000);
  expect(stage.deployment.attempts).toHaveLength(0);
});

test.each([
  ["from the process of the driver", true],
  ["from another process", false],
])("a driver in the middle of an attempt is fenced by a kill %s", async (_, isOwn) => {
  const gate = new Gate();
  let closures = 0;
  const stage = await open({
    works: async (ctx) => await ctx.get(ctx.run("work", async () => (await gate.passed, `${++closures}`))),
  });
  const [driver, other] = [stage.actor(), stage.actor()];
  const result = callOn(driver, "works");
  await stage.pulse.settle();
  const id = stage.deployment.attempts[0]!.start.debugId as InvocationId;
  expect(await kill((isOwn ? driver : other).engine, id)).toBe("done");
  if (isOwn) expect(stage.deployment.attempts[0]!.aborted).toBe(true);
  gate.open();
  expect(textOf(await stage.pulse.within(3_000, result))).toBe("409 killed");
  await stage.pulse.pass(60_000);
  expect(stage.deployment.attempts).toHaveLength(1);
  const view = await inspect(other.engine, id);
  expect(view!.entries.map(({ type }) => type)).toEqual(["Command: Input"]);
});

test("a kill also ends the awaited calls, at every depth, but no sent or scheduled invocation", async () => {
  const stage = await open({
    parent: async (ctx) => {
      const nowMs = stage.pulse.nowMs();
      ctx.send("naps", String(nowMs + 30_000));
      ctx.send("naps", String(nowMs + 90_000), { atMs: nowMs + 60_000 });
      return await ctx.get(ctx.call("middle", ctx.input));
    },
    middle: async (ctx) => await ctx.get(ctx.call("naps", ctx.input)),
    naps,
  });
  const actor = stage.actor();
  actor.startWorker();
  const result = callOn(actor, "parent", String(stage.pulse.nowMs() + FAR_MS));
  await stage.pulse.pass(2_000);
  expect(stage.deployment.of("naps")).toHaveLength(2);
  await kill(actor.engine, stage.deployment.of("parent")[0]!.start.debugId as InvocationId);
  expect(textOf(await stage.pulse.within(0, result))).toBe("409 killed");
  await stage.pulse.pass(5_000);
  const ends = async (name: string) => {
    const ids = new Set(stage.deployment.of(name).map(({ start }) => start.debugId as InvocationId));
    const all = await Promise.all([...ids].map((id) => output(actor.engine, id)));
    return all.map((end) => (end.kind === "ended" ? textOf(end) : end.kind)).sort();
  };
  expect(await ends("middle")).toEqual(["409 killed"]);
  expect(await ends("naps")).toEqual(["409 killed", "open"]);
  await stage.pulse.pass(120_000);
  expect(await ends("naps")).toEqual(["409 killed", "slept", "slept"]);
});

test("if the killer dies after it wrote the kill order, the next driver kills the invocation", async () => {
  const stage = await open({ naps });
  const [driver, killer] = [stage.actor(), stage.actor()];
  driver.startWorker();
  const { invocationId } = await sendOn(driver, "naps", String(stage.pulse.nowMs() + FAR_MS));
  await stage.pulse.settle();
  crashBefore(killer, segment);
  void kill(killer.engine, invocationId);
  const end = await stage.pulse.within(3_000, attach(driver.engine, invocationId));
  expect(end.kind === "ended" && textOf(end)).toBe("409 killed");
});

test("a kill of an unknown id does nothing", async () => {
  const { engine } = (await open({ naps })).actor();
  expect(await kill(engine, freshId(engine))).toBe("unknown");
});
