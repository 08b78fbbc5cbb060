/**
 * A wake names the service of its invocation, whichever component sends it, so that a queue can be fair by service. There is
 * one exception: a driver that parks an invocation on an attach by id wakes the awaited invocation without naming a service.
 */
import { describe, expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { encodeAwakeableId } from "../../../shared/core/protocol/awakeable-id.ts";
import { freshId } from "../../../shared/engine/accept/invocation-ids.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { completeAwakeable } from "../../../shared/engine/effects/perform.ts";
import { load } from "../../../shared/engine/store/load.ts";
import { cancel, pause } from "../../../shared/engine/operate/orders.ts";
import { resume } from "../../../shared/engine/operate/resume.ts";
import type { Wake } from "../../../shared/engine/ports/queue.ts";
import type { Timer } from "../../../shared/engine/ports/timers.ts";
import { sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { service } from "../../core/registry/sample-deployment.ts";
import { type Actor, LEASE_MS, type Stage, callOn, sendOn, submission } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { addCount, keyed, objectOf, sendKeyed, workflowOf } from "../../harness/engine/object-stage.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { completePromise, getPromise } from "../../harness/engine/script-state.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const HOUR_MS = 3_600_000;
const STUCK = { service: "Leaf", handler: "stuck" };
const SUCCESS = { kind: "success", value: new Uint8Array() } as const;

const services = [
  service("Leaf", ["leaf", "nap", "stuck"]),
  objectOf(["add", "slow"]),
  workflowOf(["approve", "wait"]),
];

/**
 * Opens a stage with an actor that takes requests and messages. Its handlers belong to the service `S`; `leaf`, `nap` and `stuck`
 * belong to the service `Leaf` as well.
 */
async function play(handlers: Record<string, Handler> = {}) {
  const gate = new Gate();
  const stage = await open(
    {
      leaf: () => "green",
      nap: async (ctx) => (await ctx.get(ctx.sleep(stage.pulse.nowMs() + Number(ctx.input))), "awake"),
      waits: async (ctx) => await ctx.get(ctx.awakeable().result),
      stuck: async () => (await gate.passed, "free"),
      ...handlers,
    },
    { services },
  );
  const actor = stage.actor();
  actor.startWorker();
  return { stage, actor, gate };
}

/** @returns the wakes that the actors sent or set, as `handler of service`; if a wake names another service, the line says so */
async function told(stage: Stage, ...actors: readonly Actor[]): Promise<readonly string[]> {
  const onlooker = stage.actor();
  const asked = actors.flatMap(({ process }) => process.calls);
  const wakes = asked.filter(({ method }) => method === "send" || method === "at").map(({ args }) => args[0]);
  const lines = (wakes as (Wake | Timer)[]).map(async ({ invocationId, service: said }) => {
    const loaded = await load(onlooker.engine, invocationId);
    const { handler, service: own } = loaded!.invocation.acceptance.target;
    return said === own ? `${handler} of ${own}` : `${handler} of ${own}, said to be of ${said}`;
  });
  return [...new Set(await Promise.all(lines))].sort();
}

describe("the service is named by", () => {
  test("the backstop of a call", async () => {
    const { stage, actor } = await play();
    await stage.pulse.within(0, callOn(actor, "leaf"));
    expect(await told(stage, actor)).toEqual(["leaf of S"]);
  });

  test.each([
    ["now", 0],
    ["in a minute", 60_000],
    ["in an hour", HOUR_MS],
  ])("a send to be done %s", async (_when, inMs) => {
    const { stage, actor } = await play();
    const startAtMs = stage.pulse.nowMs() + inMs;
    await stage.pulse.within(0, sendOn(actor, "leaf", "", inMs === 0 ? {} : { startAtMs }));
    await stage.pulse.pass(inMs + 1_000);
    expect(await told(stage, actor)).toEqual(["leaf of S"]);
  });

  test.each([
    ["a minute", 60_000],
    ["an hour", HOUR_MS],
  ])("a sleep of %s", async (_long, ms) => {
    const { stage, actor } = await play();
    await stage.pulse.within(0, sendOn(actor, "nap", String(ms)));
    await stage.pulse.pass(ms + 1_000);
    expect(stage.deployment.of("nap")).toHaveLength(2);
    expect(await told(stage, actor)).toEqual(["nap of S"]);
  });

  test("a caller for its child, and the child for its caller when the child delivers its result", async () => {
    const { stage, actor } = await play({
      parent: async (ctx) => await ctx.get(ctx.call("nap", String(HOUR_MS), { service: "Leaf" })),
    });
    const result = callOn(actor, "parent");
    await stage.pulse.within(HOUR_MS + 1_000, result);
    expect(await told(stage, actor)).toEqual(["nap of Leaf", "parent of S"]);
  });

  test("a handler that sends, now or later", async () => {
    const { stage, actor } = await play({
      parent: (ctx) => {
        ctx.send("leaf", "", { service: "Leaf" });
        ctx.send("nap", "0", { service: "Leaf", atMs: stage.pulse.nowMs() + HOUR_MS });
        return "sent";
      },
    });
    await stage.pulse.within(0, sendOn(actor, "parent"));
    await stage.pulse.pass(HOUR_MS + 1_000);
    expect(await told(stage, actor)).toEqual(["leaf of Leaf", "nap of Leaf", "parent of S"]);
  });

  test("an invocation that waits for a key, and the holder that gives it the key", async () => {
    const { stage, actor, gate } = await play({ add: addCount, slow: async () => (await gate.passed, "slow") });
    for (const handler of ["slow", "add", "add"])
      await stage.pulse.within(0, sendKeyed(actor, keyed("O", "k", handler, "1")));
    gate.open();
    await stage.pulse.pass(1_000);
    expect(stage.deployment.of("add")).toHaveLength(2);
    expect(await told(stage, actor)).toEqual(["add of O", "slow of O"]);
  });

  test("the completion of a promise, for its waiters", async () => {
    const { stage, actor } = await play({
      run: async (ctx) => await ctx.get(getPromise(ctx, "approval")),
      wait: async (ctx) => await ctx.get(getPromise(ctx, "approval")),
      approve: async (ctx) => await ctx.get(completePromise(ctx, "approval", "yes")),
    });
    for (const handler of ["run", "wait", "approve"]) {
      await stage.pulse.within(0, sendKeyed(actor, keyed("W", "w", handler)));
      await stage.pulse.pass(100);
    }
    expect(stage.deployment.of("run")).toHaveLength(2);
    expect(await told(stage, actor)).toEqual(["approve of W", "run of W", "wait of W"]);
  });

  test("an attach and its answer, but not by the wake that the driver sends when it parks", async () => {
    const { stage, actor, gate } = await play({
      parent: async (ctx) => await ctx.get(ctx.attach(ctx.input)),
    });
    const { invocationId } = await stage.pulse.within(0, sendKeyed(actor, submission("stuck", "", { target: STUCK })));
    await stage.pulse.within(0, sendOn(actor, "parent", invocationId));
    await stage.pulse.pass(1_000);
    gate.open();
    await stage.pulse.pass(LEASE_MS);
    expect(stage.deployment.of("parent")).toHaveLength(2);
    // The wake that a driver sends when it parks on an attach by id names no service, because the driver has only the id. The
    // worker that takes the message loads the invocation, and so its service.
    const unsaid = "stuck of Leaf, said to be of undefined";
    expect(await told(stage, actor)).toEqual(["parent of S", "stuck of Leaf", unsaid]);
  });

  test("a signal, a cancel or a kill by id, for which the sender reads the invocation", async () => {
    const { stage, actor } = await play();
    const outside = stage.actor();
    const ids: InvocationId[] = [];
    for (let n = 0; n < 3; n++) ids.push((await stage.pulse.within(0, sendOn(actor, "waits"))).invocationId);
    await stage.pulse.pass(100);
    await completeAwakeable(outside.engine, awakeableOf(stage, 0), SUCCESS);
    await cancel(outside.engine, ids[1]!);
    await kill(outside.engine, ids[2]!);
    await stage.pulse.pass(LEASE_MS);
    expect(outside.process.methods("queue").length).toBeGreaterThanOrEqual(3);
    expect(await told(stage, actor, outside)).toEqual(["waits of S"]);
  });

  test("an operator that pauses and resumes", async () => {
    const { stage, actor, gate } = await play();
    const outside = stage.actor();
    const { invocationId } = await stage.pulse.within(0, sendOn(actor, "stuck"));
    await stage.pulse.pass(100);
    expect(await pause(outside.engine, invocationId)).toBe("noted");
    expect(await resume(outside.engine, invocationId, { kind: "keep" })).toBe("done");
    gate.open();
    await stage.pulse.pass(LEASE_MS);
    expect(outside.process.methods("queue")).toEqual(["send", "send"]);
    expect(await told(stage, actor, outside)).toEqual(["stuck of S"]);
  });

  test("the sweeper", async () => {
    const { stage, actor } = await play();
    await stage.pulse.within(0, sendOn(actor, "nap", String(HOUR_MS)));
    await stage.pulse.pass(1_000);
    await stage.wipeHints();
    const sweeper = stage.actor();
    await stage.pulse.pass(HOUR_MS);
    expect(await stage.pulse.within(0, sweepOnce(sweeper.engine))).toMatchObject({ woken: 1 });
    expect(await told(stage, sweeper)).toEqual(["nap of S"]);
  });
});

test("a message without a service is put back with the service of its invocation", async () => {
  const { stage, actor, gate } = await play();
  const { invocationId } = await stage.pulse.within(0, sendOn(actor, "stuck"));
  await stage.pulse.pass(100);
  const before = actor.process.calls.length;
  const bare: Wake = { invocationId, sentAtMs: stage.pulse.nowMs(), delayMs: 0 };
  await stage.stores.queue.send(bare);
  await stage.pulse.pass(100);
  const sent = actor.process.calls.slice(before).filter(({ method }) => method === "send");
  expect(sent.map(({ args }) => args[0])).toMatchObject([{ invocationId, service: "S" }]);
  gate.open();
  await stage.pulse.pass(LEASE_MS);
});

test("a message keeps its service when a worker sends it again because its invocation does not exist yet", async () => {
  const { stage, actor } = await play();
  const nobody = freshId(actor.engine);
  await stage.stores.queue.send({ invocationId: nobody, sentAtMs: stage.pulse.nowMs(), delayMs: 0, service: "Leaf" });
  await stage.pulse.pass(100);
  const sent = actor.process.calls.filter(({ method }) => method === "send");
  expect(sent.map(({ args }) => args[0])).toMatchObject([{ invocationId: nobody, service: "Leaf" }]);
});

function awakeableOf(stage: Stage, attempt: number): string {
  return encodeAwakeableId(stage.deployment.attempts[attempt]!.start.id, 17);
}
