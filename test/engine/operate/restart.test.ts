/** Restarts of completed invocations: with a prefix of the journal, on a chosen deployment, and restarts that are refused. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { lockAt, objectPartition } from "../../../shared/engine/store/object-partition.ts";
import { sendWake } from "../../../shared/engine/messaging/wake.ts";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { purgeJournal } from "../../../shared/engine/operate/purge.ts";
import { writeDeployment } from "../../../shared/engine/register/registry-items.ts";
import { restart } from "../../../shared/engine/operate/restart.ts";
import type { DeploymentChoice } from "../../../shared/engine/ports/submission.ts";
import { deployment, deploymentId, service } from "../../core/registry/sample-deployment.ts";
import { type Actor, callOn, type Stage, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import {
  addCount,
  callKeyed,
  getCount,
  keyed,
  objectOf,
  sendKeyed,
  workflowOf,
} from "../../harness/engine/object-stage.ts";
import { TerminalError } from "../../harness/engine/script-awaits.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const LATEST: DeploymentChoice = { kind: "latest" };
const KEEP: DeploymentChoice = { kind: "keep" };

async function play(handlers: Record<string, Handler>) {
  const stage = await open(handlers);
  const actor = stage.actor();
  actor.startWorker();
  return { stage, actor };
}

async function anew({ engine }: Actor, id: InvocationId, from = 0, choice = LATEST): Promise<InvocationId> {
  const restarted = await restart(engine, id, from, choice);
  if (typeof restarted === "string" || restarted.kind !== "restarted") throw new Error(JSON.stringify(restarted));
  return restarted.invocationId;
}

async function resultOf(stage: Stage, { engine }: Actor, id: InvocationId): Promise<string> {
  const end = await stage.pulse.within(5_000, attach(engine, id));
  return end.kind === "ended" ? textOf(end) : end.kind;
}

/** A handler with a step, a send, a call and a second step; the second step fails until `heal` is called. */
function counted() {
  const ran: string[] = [];
  let isWell = false;
  const handlers: Record<string, Handler> = {
    works: async (ctx) => {
      const one = await ctx.get(ctx.run("one", () => (ran.push("one"), "1")));
      ctx.send("other", "sent");
      const called = await ctx.get(ctx.call("other", "called"));
      const two = await ctx.get(
        ctx.run("two", () => {
          ran.push("two");
          if (!isWell) throw new TerminalError(500, "not well");
          return "2";
        }),
      );
      return [one, called, two].join();
    },
    other: (ctx) => (ran.push(ctx.input), `<${ctx.input}>`),
  };
  return { ran, handlers, heal: () => void (isWell = true) };
}

test("a completed invocation runs again with its input, as another invocation of the same target", async () => {
  const { ran, handlers, heal } = counted();
  const { stage, actor } = await play(handlers);
  const former = await stage.pulse.within(5_000, callOn(actor, "works", "the input", { idempotencyKey: "one" }));
  expect(textOf(former)).toBe("500 not well");
  heal();
  const id = await anew(actor, former.invocationId);
  expect(id).not.toBe(former.invocationId);
  expect(id.slice(0, 16)).toBe(former.invocationId.slice(0, 16));
  expect(await resultOf(stage, actor, id)).toBe("1,<called>,2");
  expect(stage.deployment.of("works").at(-1)!.input).toBe("the input");
  const view = await inspect(actor.engine, id);
  expect(view).toMatchObject({ restartedFrom: former.invocationId });
  expect(view?.idempotencyKey).toBeUndefined();
  expect(ran.filter((what) => what === "sent")).toHaveLength(2);
});

test("a restart with a prefix of the journal repeats nothing of that prefix", async () => {
  const { ran, handlers, heal } = counted();
  const { stage, actor } = await play(handlers);
  const { invocationId: former } = await sendOn(actor, "works");
  expect(await resultOf(stage, actor, former)).toBe("500 not well");
  const { entries } = (await inspect(actor.engine, former))!;
  const seeds = () => stage.deployment.of("works").map(({ start }) => start.randomSeed);
  const callAt = entries.findIndex(({ type }) => type === "Command: Call");
  heal();
  const id = await anew(actor, former, callAt);
  expect(await resultOf(stage, actor, id)).toBe("1,<called>,2");
  await stage.pulse.pass(60_000);
  expect([...ran].sort()).toEqual(["called", "one", "sent", "two", "two"]);
  expect(new Set(seeds()).size).toBe(1);
  const copied = (await inspect(actor.engine, id))!.entries.map(({ type }) => type);
  // The completion comes later in the journal than the call, and is copied too.
  expect(copied.slice(0, callAt + 1)).toEqual(entries.slice(0, callAt + 1).map(({ type }) => type));
  expect(copied).toContain("Notification: Call");
});

test.each([
  ["beyond the end of the journal", 99],
  ["over a command without its completion", 1],
])("a prefix that reaches %s is refused", async (_, from) => {
  const { stage, actor } = await play({ waits: (ctx) => ctx.get(ctx.sleep(stage.pulse.nowMs() + 3_600_000)) });
  const { invocationId } = await sendOn(actor, "waits");
  await stage.pulse.settle();
  await kill(actor.engine, invocationId);
  expect(await restart(actor.engine, invocationId, from, LATEST)).toBe("not-whole");
  expect(await restart(actor.engine, invocationId, 0, LATEST)).toMatchObject({ kind: "restarted" });
});

test("an invocation without a stored entry is restarted only from its input", async () => {
  const { stage, actor } = await play({
    fails: async () => {
      throw new Error("never gets anywhere");
    },
  });
  const { invocationId } = await sendOn(actor, "fails");
  await stage.pulse.settle();
  await kill(actor.engine, invocationId);
  expect(await restart(actor.engine, invocationId, 1, LATEST)).toBe("input-only");
  expect(await anew(actor, invocationId)).not.toBe(invocationId);
});

test("a restart uses the latest deployment unless it asks for the former one", async () => {
  const { handlers } = counted();
  const { stage, actor } = await play(handlers);
  const { invocationId: former } = await sendOn(actor, "works");
  await resultOf(stage, actor, former);
  const newer = deployment(2, [service("S", ["works", "other"], { revision: 2 } as object)], { maxProtocolVersion: 6 });
  await writeDeployment(stage.stores.meta, "", newer, 1);
  await stage.pulse.pass(2_000);
  const pinOf = async (id: InvocationId) => {
    await resultOf(stage, actor, id);
    return (await inspect(actor.engine, id))?.pinnedDeploymentId;
  };
  expect(await pinOf(await anew(actor, former))).toBe(deploymentId(2));
  expect(await pinOf(await anew(actor, former, 0, KEEP))).toBe(deploymentId(1));
  expect(await pinOf(await anew(actor, former, 1, KEEP))).toBe(deploymentId(1));
  expect(await pinOf(await anew(actor, former, 0, { kind: "id", deploymentId: deploymentId(2) }))).toBe(
    deploymentId(2),
  );
  expect(await restart(actor.engine, former, 1, LATEST)).toMatchObject({ kind: "wrong-version", version: 7, max: 6 });
  const absent = { kind: "id", deploymentId: deploymentId(3) } as const;
  expect(await restart(actor.engine, former, 0, absent)).toMatchObject({ kind: "unknown-deployment" });
});

test("an invocation that is open, scheduled, unknown or without a journal is not restarted", async () => {
  const { stage, actor } = await play({ waits: (ctx) => ctx.get(ctx.awakeable().result) });
  const { invocationId: id } = await sendOn(actor, "waits");
  const { invocationId: later } = await sendOn(actor, "waits", "", { startAtMs: stage.pulse.nowMs() + 60_000 });
  await stage.pulse.settle();
  expect(await restart(actor.engine, id, 0, LATEST)).toBe("open");
  expect(await restart(actor.engine, later, 0, LATEST)).toBe("not-begun");
  await kill(actor.engine, later);
  expect(await restart(actor.engine, later, 0, LATEST)).toBe("unknown");
  await kill(actor.engine, id);
  await purgeJournal(actor.engine, id);
  expect(await restart(actor.engine, id, 0, LATEST)).toBe("no-journal");
});

test.each([
  ["cancelled", cancel],
  ["killed", kill],
])(
  "an invocation that was restarted on its deployment and is %s before its first attempt is forgotten at once",
  async (_, interrupt) => {
    const stage = await open(
      { add: () => "added", waits: (ctx) => ctx.get(ctx.awakeable().result) },
      { services: [objectOf(["add", "waits"])] },
    );
    const actor = stage.actor();
    const { invocationId } = await stage.pulse.within(1_000, callKeyed(actor, keyed("O", "k", "add")));
    actor.startWorker();
    await sendKeyed(actor, keyed("O", "k", "waits"));
    await stage.pulse.settle();
    const restarted = await anew(actor, invocationId, 0, KEEP);
    expect(await interrupt(actor.engine, restarted)).toBe("done");
    expect(await inspect(actor.engine, restarted)).toBeUndefined();
  },
);

test("the run of a workflow is not restarted", async () => {
  const stage = await open({ run: () => "done" }, { services: [workflowOf()] });
  const actor = stage.actor();
  const { invocationId } = await stage.pulse.within(1_000, callKeyed(actor, keyed("W", "w", "run")));
  expect(await restart(actor.engine, invocationId, 0, LATEST)).toBe("workflow");
});

test.each([
  ["its input alone", 0, "12"],
  ["its journal up to the change of the state", 2, "11"],
])("an exclusive call is restarted in a new turn, with %s", async (_, from, count) => {
  const gate = new Gate();
  const handlers: Record<string, Handler> = {
    add: addCount,
    get: getCount,
    slow: async (ctx) => (await gate.passed, addCount(ctx)),
  };
  const stage = await open(handlers, { services: [objectOf(["add", "slow"], ["get"])] });
  const actor = stage.actor();
  actor.startWorker();
  const first = await stage.pulse.within(1_000, callKeyed(actor, keyed("O", "k", "add", "1")));
  const holder = callKeyed(actor, keyed("O", "k", "slow", "10"));
  await stage.pulse.settle();
  const id = await stage.pulse.within(1_000, anew(actor, first.invocationId, from));
  await stage.pulse.settle();
  expect(stage.deployment.of("add")).toHaveLength(1);
  gate.open();
  expect(textOf(await stage.pulse.within(1_000, holder))).toBe("11");
  await resultOf(stage, actor, id);
  expect(stage.deployment.of("add")).toHaveLength(2);
  expect(textOf(await stage.pulse.within(1_000, callKeyed(actor, keyed("O", "k", "get"))))).toBe(count);
});

test("a late wake for the former invocation does not take the lock from the invocation that restarts it with a prefix", async () => {
  const gate = new Gate();
  let runs = 0;
  const stage = await open(
    { add: async (ctx) => (++runs > 1 && (await gate.passed), addCount(ctx)) },
    { services: [objectOf(["add"])] },
  );
  const actor = stage.actor();
  actor.startWorker();
  const former = await stage.pulse.within(1_000, callKeyed(actor, keyed("O", "k", "add", "1")));
  const id = await stage.pulse.within(0, anew(actor, former.invocationId, 1));
  await stage.pulse.settle();
  await sendWake(actor.engine, { id: former.invocationId }, 0);
  await stage.pulse.settle();
  const { holder } = await lockAt(actor.engine, objectPartition(actor.engine, { service: "O", key: "k" }));
  expect(holder?.id).toBe(id);
  gate.open();
  await resultOf(stage, actor, id);
  expect(
    (await lockAt(actor.engine, objectPartition(actor.engine, { service: "O", key: "k" }))).holder,
  ).toBeUndefined();
});
