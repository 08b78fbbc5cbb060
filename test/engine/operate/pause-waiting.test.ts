/** Orders to pause an invocation that waits: in a sleep, for its scheduled start, or in the queue of a key. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { cancel, pause } from "../../../shared/engine/operate/orders.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { resume } from "../../../shared/engine/operate/resume.ts";
import { showInvocation } from "../../../shared/engine/query/show-invocation.ts";
import { StatusProbe } from "../../../shared/engine/query/status-probe.ts";
import { load } from "../../../shared/engine/store/load.ts";
import { pauseUnread } from "../../../shared/engine/sweep/dead-letters.ts";
import { crashBefore } from "../../harness/engine/crash.ts";
import { type Actor, LEASE_MS, sendOn, type StageSettings, textOf } from "../../harness/engine/engine-fixture.ts";
import { putOf } from "../../harness/engine/named-calls.ts";
import { callKeyed, keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
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
  return { stage, actor };
}

const statusOf = async ({ engine }: Actor, id: InvocationId) => (await inspect(engine, id))?.status;

async function attachOn({ engine }: Actor, id: InvocationId) {
  const attached = await attach(engine, id);
  if (attached.kind !== "ended") throw new Error(`the attach was refused: ${attached.kind}`);
  return attached;
}

test.each([
  ["from the process that parked it", true],
  ["from another process", false],
])("a suspended invocation is paused %s, and the end of its sleep does not resume it", async (_, isOwn) => {
  const { stage, actor } = await play({ naps });
  const operator = isOwn ? actor : stage.actor();
  const { invocationId } = await sendOn(actor, "naps", String(stage.pulse.nowMs() + 30_000));
  await stage.pulse.settle();
  expect(await statusOf(actor, invocationId)).toBe("suspended");
  expect(await pause(operator.engine, invocationId)).toBe("noted");
  await stage.pulse.settle();
  expect(await statusOf(actor, invocationId)).toBe("paused");
  await stage.pulse.pass(FAR_MS);
  expect(await statusOf(actor, invocationId)).toBe("paused");
  expect(stage.deployment.attempts).toHaveLength(1);
  expect(await resume(operator.engine, invocationId, KEEP)).toBe("done");
  expect(textOf(await stage.pulse.within(3_000, attachOn(actor, invocationId)))).toBe("slept");
});

test("a scheduled invocation stays paused after its scheduled start, and begins once it is resumed", async () => {
  const { stage, actor } = await play({ works: () => "done" });
  const { invocationId } = await sendOn(actor, "works", "", { startAtMs: stage.pulse.nowMs() + 10_000 });
  await stage.pulse.settle();
  expect(await statusOf(actor, invocationId)).toBe("scheduled");
  expect(await pause(actor.engine, invocationId)).toBe("noted");
  await stage.pulse.settle();
  expect(await statusOf(actor, invocationId)).toBe("paused");
  await stage.pulse.pass(FAR_MS);
  expect(stage.deployment.attempts).toHaveLength(0);
  await resume(actor.engine, invocationId, KEEP);
  expect(textOf(await stage.pulse.within(3_000, attachOn(actor, invocationId)))).toBe("done");
});

test("a scheduled invocation that is resumed before its start waits for its start", async () => {
  const { stage, actor } = await play({ works: () => "done" });
  const { invocationId } = await sendOn(actor, "works", "", { startAtMs: stage.pulse.nowMs() + 60_000 });
  await pause(actor.engine, invocationId);
  await stage.pulse.pass(1_000);
  expect(await statusOf(actor, invocationId)).toBe("paused");
  await resume(actor.engine, invocationId, KEEP);
  await stage.pulse.pass(1_000);
  expect(await statusOf(actor, invocationId)).toBe("scheduled");
  expect(stage.deployment.attempts).toHaveLength(0);
  await stage.reboot();
  const second = stage.actor();
  second.startWorker();
  await stage.pulse.pass(2_000);
  expect(await statusOf(second, invocationId)).toBe("scheduled");
  expect(textOf(await stage.pulse.within(60_000, attachOn(second, invocationId)))).toBe("done");
});

test("a paused invocation that never began is cancelled without an attempt", async () => {
  const { stage, actor } = await play({ works: () => "done" });
  const { invocationId } = await sendOn(actor, "works", "", { startAtMs: stage.pulse.nowMs() + 60_000 });
  await pause(actor.engine, invocationId);
  await stage.pulse.settle();
  expect(await cancel(actor.engine, invocationId)).toBe("done");
  await stage.pulse.pass(FAR_MS);
  expect(stage.deployment.attempts).toHaveLength(0);
  expect(await inspect(actor.engine, invocationId)).toBeUndefined();
});

/** Holds the key `k` for 10 s with `first`; `second` and `third` wait in its queue. */
async function queued() {
  const order: string[] = [];
  const work: Handler = async (ctx) => {
    order.push(String(ctx.input));
    await stage.pulse.sleep(10_000);
    return String(ctx.input);
  };
  const { stage, actor } = await play({ work }, { services: [objectOf(["work"])] });
  const ids: InvocationId[] = [];
  for (const name of ["first", "second", "third"]) {
    ids.push((await sendKeyed(actor, keyed("O", "k", "work", name))).invocationId);
    await stage.pulse.pass(100);
  }
  const [first, second, third] = ids as [InvocationId, InvocationId, InvocationId];
  expect(await statusOf(actor, second)).toBe("pending");
  return { stage, actor, order, first, second, third };
}

test("a queued invocation is paused, the queue passes over it, and it queues again once it is resumed", async () => {
  const { stage, actor, order, second, third } = await queued();
  expect(await pause(actor.engine, second)).toBe("noted");
  await stage.pulse.pass(1_000);
  expect(await showInvocation(actor.engine, second)).toMatchObject({
    status: "paused",
    pause: { reason: "order" },
    waitsFor: [{ kind: "resume" }],
  });
  await stage.pulse.pass(10_000);
  expect(order).toEqual(["first", "third"]);
  await resume(actor.engine, second, KEEP);
  await stage.pulse.pass(1_000);
  expect(await showInvocation(actor.engine, second)).toMatchObject({ status: "pending", queue: { holderId: third } });
  expect(textOf(await stage.pulse.within(25_000, attachOn(actor, second)))).toBe("second");
  expect(order).toEqual(["first", "third", "second"]);
});

test("a paused invocation that waited for its key does not keep the key from callers", async () => {
  const { stage, actor, second, third } = await queued();
  await pause(actor.engine, second);
  await pause(actor.engine, third);
  await stage.pulse.pass(FAR_MS);
  expect(textOf(await stage.pulse.within(11_000, callKeyed(actor, keyed("O", "k", "work", "fourth"))))).toBe("fourth");
  for (const id of [second, third]) expect(await statusOf(actor, id)).toBe("paused");
});

test("the pause of a queued invocation survives a restart of the process", async () => {
  const { stage, actor, second } = await queued();
  await pause(actor.engine, second);
  await stage.pulse.pass(1_000);
  await stage.reboot();
  const next = stage.actor();
  next.startWorker();
  await stage.pulse.pass(FAR_MS);
  expect(await statusOf(next, second)).toBe("paused");
  await resume(next.engine, second, KEEP);
  expect(textOf(await stage.pulse.within(15_000, attachOn(next, second)))).toBe("second");
});

test("an order to pause that no driver has read is revoked by an order to resume", async () => {
  const stage = await open({ works: () => "done" });
  const actor = stage.actor();
  const { invocationId } = await sendOn(actor, "works", "", { startAtMs: stage.pulse.nowMs() + 5_000 });
  expect(await resume(actor.engine, invocationId, KEEP)).toBe("not-begun");
  expect(await pause(actor.engine, invocationId)).toBe("noted");
  expect(await resume(actor.engine, invocationId, KEEP)).toBe("done");
  actor.startWorker();
  expect(textOf(await stage.pulse.within(7_000, attachOn(actor, invocationId)))).toBe("done");
});

test.each([
  ["resume", "slept"],
  ["cancel", "409 Cancelled"],
] as const)(
  "if no driver has read an order to %s, a later order to pause still pauses the invocation",
  async (order, end) => {
    const { stage, actor } = await play({ naps });
    const { invocationId } = await sendOn(actor, "naps", String(stage.pulse.nowMs() + 30_000));
    await stage.pulse.settle();
    await pause(actor.engine, invocationId);
    await stage.pulse.settle();
    expect(await pause(actor.engine, invocationId)).toBe("done");
    await stage.pulse.within(60_000, actor.stopWorker());
    const next = stage.actor();
    if (order === "resume") await resume(next.engine, invocationId, KEEP);
    else await cancel(next.engine, invocationId);
    expect(await pause(next.engine, invocationId)).toBe("noted");
    expect(await pause(next.engine, invocationId)).toBe("done");
    next.startWorker();
    await stage.pulse.pass(FAR_MS);
    expect(await statusOf(next, invocationId)).toBe("paused");
    expect(stage.deployment.attempts).toHaveLength(1);
    await resume(next.engine, invocationId, KEEP);
    expect(textOf(await stage.pulse.within(3_000, attachOn(next, invocationId)))).toBe(end);
  },
);

test("a cancel reaches the handler if the process died in the first attempt after a resume, before the attempt stored a segment", async () => {
  const { stage, actor } = await play({ naps });
  const startAtMs = stage.pulse.nowMs() + 10_000;
  const { invocationId } = await sendOn(actor, "naps", String(startAtMs + FAR_MS), { startAtMs });
  await pause(actor.engine, invocationId);
  await stage.pulse.pass(1_000);
  await resume(actor.engine, invocationId, KEEP);
  await stage.pulse.pass(1_000);
  const died = crashBefore(actor, putOf(/^seg#.+#000003/));
  await stage.pulse.pass(10_000);
  expect(died.at).toBeDefined();
  const next = stage.actor();
  await stage.pulse.pass(2 * LEASE_MS);
  await pauseUnread(next.engine, invocationId, "it ended two processes");
  await cancel(next.engine, invocationId);
  next.startWorker();
  expect(textOf(await stage.pulse.within(3_000, attachOn(next, invocationId)))).toBe("409 Cancelled");
  expect(stage.deployment.attempts.length).toBeGreaterThan(1);
});

test("a probe shows the first attempt after a resume as running", async () => {
  const { stage, actor } = await play({ works: () => new Promise(() => {}) });
  const { invocationId: id } = await sendOn(actor, "works", "", { startAtMs: stage.pulse.nowMs() + 5_000 });
  await pause(actor.engine, id);
  await stage.pulse.pass(6_000);
  await resume(actor.engine, id, KEEP);
  await stage.pulse.pass(1_000);
  expect(stage.deployment.attempts).toHaveLength(1);
  const { nonce } = (await load(stage.actor().engine, id))!.invocation.acceptance;
  const probed = () => new StatusProbe(stage.actor().engine, 100).at([{ id, nonce }]);
  expect(await probed()).toEqual([{ status: "running" }]);
  actor.die();
  await stage.pulse.pass(LEASE_MS);
  expect(await probed()).toEqual([{ status: "ready" }]);
});
