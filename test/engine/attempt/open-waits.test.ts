/** Exchanges that stay open and wait: what ends the wait, and how the invocation is parked then (ADR 0008). */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { completeAwakeable } from "../../../shared/engine/effects/perform.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { OpenStreams } from "../../../shared/engine/local/open-streams.ts";
import { cancel, pause } from "../../../shared/engine/operate/orders.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { resume } from "../../../shared/engine/operate/resume.ts";
import { showInvocation } from "../../../shared/engine/query/show-invocation.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import {
  type Actor,
  callOn,
  sendOn,
  type Stage,
  type StageSettings,
  textOf,
} from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const OPEN = { opensExchanges: true };
const MINUTE_MS = 60_000;
const KEEP = { kind: "keep" } as const;

const awakeables: string[] = [];
const waits: Handler = async (ctx) => {
  const { id, result } = ctx.awakeable();
  await ctx.get(ctx.run("publish", () => `${awakeables.push(id)}`));
  return await ctx.get(result);
};

async function waiting(settings: StageSettings = {}, handlerAt: (nowMs: () => number) => Handler = () => waits) {
  awakeables.length = 0;
  const stage: Stage = await open({ waits: handlerAt(() => stage.pulse.nowMs()) }, { ...OPEN, ...settings });
  const actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "waits");
  await stage.pulse.pass(500);
  const attempt = stage.deployment.attempts[0]!;
  return { stage, actor, id: invocationId, attempt };
}

const statusOf = async ({ engine }: Actor, id: InvocationId) => (await inspect(engine, id))?.status;

async function resolved({ pulse }: Stage, { engine }: Actor, id: InvocationId): Promise<string> {
  const value = { kind: "success" as const, value: Buffer.from("hello") };
  await pulse.within(1_000, completeAwakeable(engine, awakeables.at(-1)!, value));
  const ended = await pulse.within(5_000, attach(engine, id));
  return ended.kind === "ended" ? textOf(ended) : ended.kind;
}

test("an exchange that only waits is half-closed after the inactivity timeout, and its invocation is suspended", async () => {
  const { stage, actor, id, attempt } = await waiting();
  await stage.pulse.pass(MINUTE_MS - 1_000);
  expect([attempt.halfClosed, await statusOf(actor, id)]).toEqual([false, "running"]);
  await stage.pulse.pass(1_000);
  expect([attempt.halfClosed, await statusOf(actor, id)]).toEqual([true, "suspended"]);
  expect(actor.engine.activeInvocations.size).toBe(0);
  expect(await resolved(stage, actor, id)).toBe("hello");
  expect(stage.deployment.attempts).toHaveLength(2);
});

test("the view of an invocation shows what its handler awaits on an open exchange", async () => {
  const { actor, id, attempt } = await waiting();
  const view = await showInvocation(actor.engine, id);
  expect([attempt.halfClosed, view!.status]).toEqual([false, "running"]);
  expect(view!.waitsFor).toMatchObject([{ kind: "awakeable", awakeableId: awakeables.at(-1) }]);
});

test("each message of the handler and each message for it begins the inactivity timeout anew", async () => {
  const { stage, actor, id, attempt } = await waiting({}, (nowMs) => async (ctx) => {
    for (let at = 0; at < 5; at++) await ctx.get(ctx.sleep(nowMs() + 40_000));
    return "slept";
  });
  const ended = await stage.pulse.within(4 * MINUTE_MS, attach(actor.engine, id));
  expect(ended.kind === "ended" && textOf(ended)).toBe("slept");
  expect(stage.deployment.attempts).toHaveLength(1);
  expect(attempt.aborted).toBe(false);
});

test("a sleep that outlasts the inactivity timeout is not waited for, and costs one segment and one attempt", async () => {
  const { stage, actor, id, attempt } = await waiting({}, (nowMs) => async (ctx) => {
    await ctx.get(ctx.sleep(nowMs() + 10 * MINUTE_MS));
    return "slept";
  });
  expect([attempt.halfClosed, await statusOf(actor, id)]).toEqual([true, "suspended"]);
  const { items } = await stage.stores.table.query(`inv#${id}`, { from: "seg#", below: "seg$" });
  expect(items).toHaveLength(2);
});

test("a handler that neither answers nor suspends is aborted one abort timeout after the half-close", async () => {
  const gate = new Gate();
  const { stage, actor, id, attempt } = await waiting(
    { abortTimeoutMs: 2 * MINUTE_MS, leaseMs: 10_000 },
    () => async () => {
      await gate.passed;
      return "late";
    },
  );
  await stage.pulse.pass(3 * MINUTE_MS - 1_000);
  expect([attempt.halfClosed, attempt.aborted]).toEqual([true, false]);
  await stage.pulse.pass(1_000);
  expect(attempt.aborted).toBe(true);
  expect((await inspect(actor.engine, id))!.events[0]).toMatchObject({ errorCode: "RT0001" });
});

test("an exchange that waits is half-closed at once if its process stops, and its invocation is suspended", async () => {
  const { stage, actor, id, attempt } = await waiting();
  actor.engine.activeInvocations.stop();
  await stage.pulse.settle();
  expect([attempt.halfClosed, attempt.aborted, await statusOf(actor, id)]).toEqual([true, false, "suspended"]);
  const other = stage.actor({ soleOwner: true });
  other.startWorker();
  expect(await resolved(stage, other, id)).toBe("hello");
});

test("an exchange whose handler does not suspend in time is aborted when its process stops", async () => {
  const gate = new Gate();
  const { stage, actor, id, attempt } = await waiting({}, () => async (ctx) => {
    await ctx.get(ctx.run("first", () => "kept"));
    return await ctx.get(ctx.run("second", async () => (await gate.passed, "late")));
  });
  void actor.stopWorker();
  actor.engine.activeInvocations.stop();
  await stage.pulse.pass(900);
  expect(attempt.aborted).toBe(false);
  await stage.pulse.pass(500);
  expect([attempt.aborted, actor.engine.activeInvocations.size, await statusOf(actor, id)]).toEqual([true, 0, "ready"]);
});

test("a cancel reaches the handler on the open exchange", async () => {
  const { stage, actor, id } = await waiting();
  await stage.pulse.within(1_000, cancel(actor.engine, id));
  const ended = await stage.pulse.within(1_000, attach(actor.engine, id));
  expect(ended.kind === "ended" && textOf(ended)).toBe("409 Cancelled");
  expect(stage.deployment.attempts).toHaveLength(1);
});

test("an order to pause half-closes the exchange, and the resumed invocation goes on", async () => {
  const { stage, actor, id, attempt } = await waiting();
  await stage.pulse.within(1_000, pause(actor.engine, id));
  await stage.pulse.pass(1_000);
  expect([attempt.halfClosed, await statusOf(actor, id)]).toEqual([true, "paused"]);
  await stage.pulse.within(1_000, resume(actor.engine, id, KEEP));
  await stage.pulse.pass(1_000);
  expect(await resolved(stage, actor, id)).toBe("hello");
});

test.each(["the driver's process", "another process"])("a kill by %s aborts the exchange", async (by) => {
  const { stage, actor, id, attempt } = await waiting();
  const killer = by === "another process" ? stage.actor() : actor;
  expect(await stage.pulse.within(1_000, kill(killer.engine, id))).toBe("done");
  await stage.pulse.pass(11_000);
  expect([attempt.aborted, await statusOf(actor, id)]).toEqual([true, "completed"]);
  expect(actor.engine.activeInvocations.size).toBe(0);
});

test("a worker without a free slot takes the slots of exchanges that have been idle for a second", async () => {
  awakeables.length = 0;
  const stage = await open({ waits, quick: () => "quick" }, OPEN);
  const actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  const sent = [];
  for (let n = 0; n < 250; n++) sent.push(await sendOn(actor, "waits"));
  const last = await sendOn(actor, "quick");
  const ended = await stage.pulse.within(10_000, attach(actor.engine, last.invocationId));
  expect(ended.kind === "ended" && textOf(ended)).toBe("quick");
  await stage.pulse.pass(20_000);
  expect(stage.deployment.of("waits").length).toBeGreaterThanOrEqual(250);
  expect(new Set(awakeables).size).toBe(250);
});

test("a request that finds no free stream takes the stream of a waiting exchange on the same deployment", async () => {
  const { stage, actor, id, attempt } = await waiting();
  const { open: unhindered } = stage.deployment;
  stage.deployment.open = (request) => {
    const inner = unhindered.call(stage.deployment, request);
    return Object.assign(inner, { isUnsent: true });
  };
  const gate = new Gate();
  stage.deployment.handlers["waits"] = async () => (await gate.passed, "late");
  void callOn(actor, "waits");
  await stage.pulse.pass(1_500);
  expect([attempt.halfClosed, await statusOf(actor, id)]).toEqual([true, "suspended"]);
  expect(stage.deployment.attempts).toHaveLength(2);
});

test("if more exchanges wait than are allowed, the one that has waited longest is half-closed", () => {
  const streams = new OpenStreams(2);
  const closed: string[] = [];
  const exchange = (name: string) => ({
    startedAtMs: 0,
    deploymentId: "dp_1" as never,
    abortTimeoutMs: 0,
    heardAtMs: 0,
    silent: false,
    holdsSlot: false,
    isUnsent: () => false,
    runs: () => [],
    halfClose: () => void closed.push(name),
    abort: () => {},
  });
  for (const name of ["first", "second", "third"]) streams.beginWait(exchange(name));
  expect(closed).toEqual(["first"]);
});

test("a deployment that answers only whole requests delays one attempt by two seconds, and gets whole requests for a minute", async () => {
  const stage = await open({ two: async (ctx) => await ctx.get(ctx.run("one", () => "done")) }, OPEN);
  const actor = stage.actor({ soleOwner: true });
  stage.deployment.holdsBack = true;
  expect(textOf(await stage.pulse.within(2_500, callOn(actor, "two")))).toBe("done");
  expect(textOf(await stage.pulse.within(0, callOn(actor, "two")))).toBe("done");
  await stage.pulse.pass(MINUTE_MS - 5_000);
  expect(textOf(await stage.pulse.within(0, callOn(actor, "two")))).toBe("done");
  expect(stage.deployment.attempts.map(({ isOpen }) => isOpen)).toEqual([true, false, false, false, false, false]);
});

test("after a single late answer, exchanges stay open again a minute later", async () => {
  const stage = await open({ two: async (ctx) => await ctx.get(ctx.run("one", () => "done")) }, OPEN);
  const actor = stage.actor({ soleOwner: true });
  stage.deployment.holdsBack = true;
  await stage.pulse.within(2_500, callOn(actor, "two"));
  stage.deployment.holdsBack = false;
  await stage.pulse.pass(MINUTE_MS);
  const before = stage.deployment.attempts.length;
  for (const _ of [1, 2]) expect(textOf(await stage.pulse.within(0, callOn(actor, "two")))).toBe("done");
  expect(stage.deployment.attempts.slice(before).map(({ isOpen }) => isOpen)).toEqual([true, true]);
});

test("once a deployment has answered a still open request, the head of its next answer may take ten seconds", async () => {
  const stage = await open({ two: async (ctx) => await ctx.get(ctx.run("one", () => "done")) }, OPEN);
  const actor = stage.actor({ soleOwner: true });
  expect(textOf(await stage.pulse.within(0, callOn(actor, "two")))).toBe("done");
  stage.deployment.holdsBack = true;
  const late = callOn(actor, "two");
  await stage.pulse.pass(9_900);
  expect(stage.deployment.attempts.map(({ isOpen, halfClosed }) => [isOpen, halfClosed])).toEqual([
    [true, true],
    [true, false],
  ]);
  expect(textOf(await stage.pulse.within(500, late))).toBe("done");
});
