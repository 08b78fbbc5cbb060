/** A scope is part of every identity: keys, states, promises, runs and idempotency keys of two scopes do not meet. */
import { describe, expect, test } from "vitest";
import { INVOCATION_ID_BYTES, type InvocationId, invocationIdFromBytes } from "../../../shared/core/model/ids.ts";
import { type LimitKey, parseScope, type Scope } from "../../../shared/core/model/scope.ts";
import { DAY_MS } from "../../../shared/core/model/time-units.ts";
import { idempotentId, workflowId } from "../../../shared/engine/accept/invocation-ids.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { editState, stateOf } from "../../../shared/engine/operate/edit-state.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { purge } from "../../../shared/engine/operate/purge.ts";
import { restart } from "../../../shared/engine/operate/restart.ts";
import type { Submission } from "../../../shared/engine/ports/submission.ts";
import { callOn, LEASE_MS, textOf } from "../../harness/engine/engine-fixture.ts";
import {
  addCount,
  callKeyed,
  getCount,
  keyed,
  objectOf,
  sendKeyed,
  workflowOf,
} from "../../harness/engine/object-stage.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { completePromise, getPromise, ScriptState } from "../../harness/engine/script-state.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const scopes = [undefined, "t1", "t2"].map((text) => (text === undefined ? undefined : parseScope(text)));
const services = [objectOf(["add", "hold"], ["get"]), workflowOf(["approve", "status"])];
const handlers: Record<string, Handler> = {
  add: addCount,
  get: getCount,
  plain: (ctx) => ctx.input,
  hold: async (ctx) => await ctx.get(ctx.signal("go")),
  run: async (ctx) => {
    new ScriptState(ctx).set("step", ctx.input);
    return `${ctx.input} ${await ctx.get(getPromise(ctx, "approval"))}`;
  },
  approve: async (ctx) => `approved${await ctx.get(completePromise(ctx, "approval", ctx.input))}`,
  status: (ctx) => new ScriptState(ctx).get("step") ?? "unknown",
};

function within(scope: Scope | undefined, submission: Submission, limitKey?: string): Submission {
  const target = { ...submission.target, ...(scope !== undefined && { scope }) };
  return { ...submission, target, ...(limitKey !== undefined && { limitKey: limitKey as LimitKey }) };
}

const submissionOf = (handler: string, input = "", more: Partial<Submission> = {}): Submission => ({
  target: { service: "S", handler },
  input: new TextEncoder().encode(input),
  headers: [],
  ...more,
});

describe.each([
  ["whose owner is alone", true],
  ["that processes share", false],
])("in a store %s", (_, soleOwner) => {
  test("the state of a key differs from scope to scope", async () => {
    const stage = await open(handlers, { services });
    const actor = stage.actor({ soleOwner });
    const counts: string[] = [];
    for (const input of ["1", "10"])
      for (const [at, scope] of scopes.entries())
        counts.push(
          textOf(
            await stage.pulse.within(
              0,
              callKeyed(actor, within(scope, keyed("O", "k", "add", String(Number(input) * (at + 1))))),
            ),
          ),
        );
    expect(counts).toEqual(["1", "2", "3", "11", "22", "33"]);
    const other = stage.actor();
    for (const [at, scope] of scopes.entries()) {
      const submission = within(scope, keyed("O", "k", "get"));
      expect(textOf(await stage.pulse.within(0, callKeyed(soleOwner ? actor : other, submission)))).toBe(
        String(11 * (at + 1)),
      );
    }
  });

  test("the holder of a key in one scope holds it in no other", async () => {
    const stage = await open(handlers, { services });
    const actor = stage.actor({ soleOwner });
    actor.startWorker();
    await stage.pulse.within(0, sendKeyed(actor, within(scopes[1], keyed("O", "k", "hold"))));
    await stage.pulse.pass(LEASE_MS);
    const call = (scope: Scope | undefined) =>
      callKeyed(actor, within(scope, keyed("O", "k", "add", "1"))).then(textOf);
    expect(await stage.pulse.within(0, call(scopes[0]))).toBe("1");
    expect(await stage.pulse.within(0, call(scopes[2]))).toBe("1");
    let isDone = false;
    void call(scopes[1]).then(() => (isDone = true));
    await stage.pulse.pass(3 * LEASE_MS);
    expect(isDone).toBe(false);
  });

  test("a workflow runs once in each scope, with a state and promises of its own, and a purge forgets only its own", async () => {
    const stage = await open(handlers, { services, workflowRetentionMs: DAY_MS });
    const actor = stage.actor({ soleOwner });
    actor.startWorker();
    const on = (scope: Scope | undefined, handler: string, input = "") =>
      stage.pulse.within(0, callKeyed(actor, within(scope, keyed("W", "w", handler, input)))).then(textOf);
    for (const [at, scope] of scopes.entries()) {
      const sent = await stage.pulse.within(0, sendKeyed(actor, within(scope, keyed("W", "w", "run", `run ${at}`))));
      expect(sent).toMatchObject({ status: "accepted" });
      const again = await stage.pulse.within(0, sendKeyed(actor, within(scope, keyed("W", "w", "run", "again"))));
      expect(again).toEqual({ ...sent, status: "previously-accepted" });
    }
    await stage.pulse.pass(LEASE_MS);
    expect(await on(scopes[1], "approve", "yes")).toBe("approved");
    await stage.pulse.pass(2 * LEASE_MS);
    const idIn = (scope: Scope | undefined) =>
      workflowId(actor.engine, { service: "W", key: "w", ...(scope && { scope }) });
    const statuses = async () =>
      await Promise.all(
        scopes.map(async (scope) => (await stage.pulse.within(0, inspect(actor.engine, idIn(scope))))?.status),
      );
    expect(await statuses()).toEqual(["suspended", "completed", "suspended"]);
    const ended = await stage.pulse.within(0, attach(actor.engine, idIn(scopes[1])));
    expect(ended.kind === "ended" && textOf(ended)).toBe("run 1 yes");
    expect(await stage.pulse.within(0, purge(actor.engine, idIn(scopes[1])))).toBe("done");
    for (const [at, scope] of scopes.entries())
      expect(await on(scope, "status")).toBe(at === 1 ? "unknown" : `run ${at}`);
  });

  test("an idempotency key leads to one invocation in each scope, whatever its limit key", async () => {
    const stage = await open(handlers, { services });
    const actor = stage.actor({ soleOwner });
    const ids = new Set<InvocationId>();
    for (const [at, scope] of scopes.entries()) {
      const first = within(scope, submissionOf("plain", `in ${at}`, { idempotencyKey: "k" }), scope && "a/b");
      const ended = await stage.pulse.within(0, callKeyed(actor, first));
      expect(textOf(ended)).toBe(`in ${at}`);
      ids.add(ended.invocationId);
      const again = await stage.pulse.within(
        0,
        callKeyed(actor, within(scope, submissionOf("plain", "other", { idempotencyKey: "k" }), scope && "c")),
      );
      expect([textOf(again), again.invocationId]).toEqual([`in ${at}`, ended.invocationId]);
      expect(await stage.pulse.within(0, inspect(actor.engine, ended.invocationId))).toMatchObject(
        scope === undefined ? { target: { service: "S" } } : { target: { scope }, limitKey: "a/b" },
      );
    }
    expect(ids.size).toBe(3);
  });
});

test("ids in scopes follow from the scope, and ids without one do not change", async () => {
  const stage = await open(handlers);
  const { engine } = stage.actor();
  const target = { service: "S", handler: "plain", key: "t1" };
  const ids = [
    ...scopes.map((scope) => idempotentId(engine, { ...target, ...(scope && { scope }) }, "k")),
    ...scopes.map((scope) => workflowId(engine, { ...target, ...(scope && { scope }) })),
  ];
  expect(new Set(ids).size).toBe(6);
  const parts = [
    ["ik", "S", "kt1", "plain", "k"],
    ["wf", "S", "t1"],
  ];
  expect(parts.map((part) => invocationIdFromBytes(engine.ids.derive(part, INVOCATION_ID_BYTES)))).toEqual([
    ids[0],
    ids[3],
  ]);
});

test("a child is in the scope that its command names, and without one in none", async () => {
  const stage = await open(
    {
      ...handlers,
      parent: async (ctx) => {
        const { scope, limitKey, idempotencyKey } = ctx.journal.start;
        ctx.send("add", "5", { service: "O", key: "k", scope: "t2" });
        const scoped = await ctx.get(ctx.call("told", "", { scope: "t2", limitKey: "x/y", idempotencyKey: "i" }));
        const plain = await ctx.get(ctx.call("told"));
        return [`${scope} ${limitKey} ${idempotencyKey}`, scoped, plain].join(", ");
      },
      told: (ctx) => {
        const { scope, limitKey, idempotencyKey } = ctx.journal.start;
        return `${scope} ${limitKey} ${idempotencyKey}`;
      },
    },
    { services },
  );
  const actor = stage.actor();
  actor.startWorker();
  const submission = within(scopes[1], submissionOf("parent"), "a");
  expect(textOf(await stage.pulse.within(0, callKeyed(actor, submission)))).toBe(
    "t1 a undefined, t2 x/y i, undefined undefined undefined",
  );
  await stage.pulse.pass(LEASE_MS);
  const count = (scope: Scope | undefined) => callKeyed(actor, within(scope, keyed("O", "k", "get"))).then(textOf);
  expect(await stage.pulse.within(0, count(scopes[2]))).toBe("5");
  expect(await stage.pulse.within(0, count(scopes[0]))).toBe("nothing");
});

test("a handler attaches to runs and idempotent requests by their scope", async () => {
  const stage = await open(
    {
      ...handlers,
      ask: async (ctx) => {
        const workflow = { workflowName: "W", workflowKey: "w", scope: ctx.input };
        const idempotentRequest = { serviceName: "S", handlerName: "plain", idempotencyKey: "k", scope: ctx.input };
        const run = await ctx.get(ctx.completable("AttachInvocation", { workflow }));
        const output = await ctx.get(ctx.completable("GetInvocationOutput", { workflow }));
        return [run, output, await ctx.get(ctx.completable("AttachInvocation", { idempotentRequest }))].join(", ");
      },
      run: (ctx) => `ran ${ctx.input}`,
    },
    { services },
  );
  const actor = stage.actor();
  actor.startWorker();
  for (const scope of scopes) {
    await stage.pulse.within(0, callKeyed(actor, within(scope, keyed("W", "w", "run", String(scope)))));
    const request = within(scope, submissionOf("plain", `plain ${scope}`, { idempotencyKey: "k" }));
    await stage.pulse.within(0, callKeyed(actor, request));
  }
  expect(textOf(await stage.pulse.within(0, callOn(actor, "ask", "t2")))).toBe("ran t2, ran t2, plain t2");
});

test("an operator reads and edits the state of a key in its scope, and a restart keeps the scope and the limit key", async () => {
  const stage = await open(handlers, { services });
  const actor = stage.actor();
  const owner = { service: "O", key: "k", scope: scopes[1]! };
  const values = new Map([["count", new TextEncoder().encode("7")]]);
  expect(await stage.pulse.within(0, editState(actor.engine, owner, "object", values))).toBe("applied");
  expect(await stage.pulse.within(0, stateOf(actor.engine, owner))).toEqual(values);
  expect(await stage.pulse.within(0, stateOf(actor.engine, { service: "O", key: "k" }))).toEqual(new Map());
  const added = await stage.pulse.within(0, callKeyed(actor, within(scopes[1], keyed("O", "k", "add", "1"), "a")));
  expect(textOf(added)).toBe("8");
  const again = await stage.pulse.within(0, restart(actor.engine, added.invocationId, 0, { kind: "latest" }));
  if (typeof again === "string" || again.kind !== "restarted") throw new Error("the restart was refused");
  await stage.pulse.pass(LEASE_MS);
  expect(await stage.pulse.within(0, inspect(actor.engine, again.invocationId))).toMatchObject({
    target: { service: "O", key: "k", scope: "t1" },
    limitKey: "a",
  });
});
