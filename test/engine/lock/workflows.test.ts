/** Workflows: one run for an id, promises, state, retention, and crashes at every write. */
import { describe, expect, test } from "vitest";
import type { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import { DAY_MS } from "../../../shared/core/model/time-units.ts";
import { attach, output } from "../../../shared/engine/ingress/attach.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { purge } from "../../../shared/engine/operate/purge.ts";
import { lockKey } from "../../../shared/engine/store/object-keys.ts";
import { objectPartition } from "../../../shared/engine/store/object-partition.ts";
import { workflowId } from "../../../shared/engine/accept/invocation-ids.ts";
import { type Actor, callOn, LEASE_MS, textOf } from "../../harness/engine/engine-fixture.ts";
import { callKeyed, keyed, sendKeyed, workflowOf } from "../../harness/engine/object-stage.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { completePromise, getPromise, peekPromise, ScriptState } from "../../harness/engine/script-state.ts";
import { stages } from "../../harness/engine/stages.ts";
import { crashBefore } from "../../harness/engine/crash.ts";
import { nth, readOfPromiseWaiters } from "../../harness/engine/named-calls.ts";

const open = stages();
const RETENTION_MS = 3_600_000;
const services = [workflowOf(["approve", "peek", "status", "wait"])];
const settings = { services, workflowRetentionMs: RETENTION_MS };

const run: Handler = async (ctx) => {
  const state = new ScriptState(ctx);
  state.set("step", "waiting");
  const approved = await ctx.get(getPromise(ctx, "approval"));
  state.set("step", "approved");
  return `${ctx.input} ${approved}`;
};
const handlers: Record<string, Handler> = {
  run,
  approve: async (ctx) => `approved${await ctx.get(completePromise(ctx, "approval", ctx.input))}`,
  peek: async (ctx) => `peeked ${await ctx.get(peekPromise(ctx, "approval"))}`,
  wait: async (ctx) => `waited ${await ctx.get(getPromise(ctx, "approval"))}`,
  status: (ctx) => new ScriptState(ctx).get("step") ?? "unknown",
};

const on = (actor: Actor, handler: string, input = "") =>
  callKeyed(actor, keyed("W", "w1", handler, input)).then(textOf);

describe("a workflow", () => {
  test("runs once for an id: a second call gets 409, and a second send gets the status `previously-accepted`", async () => {
    const stage = await open({ ...handlers, run: (ctx) => `ran ${ctx.input}` }, settings);
    const actor = stage.actor();
    expect(await stage.pulse.within(0, on(actor, "run", "a"))).toBe("ran a");
    expect(await stage.pulse.within(0, on(actor, "run", "b"))).toBe("409 the workflow method was already invoked");
    const again = await stage.pulse.within(0, sendKeyed(actor, keyed("W", "w1", "run", "c")));
    expect(again).toMatchObject({ status: "previously-accepted" });
    const id = workflowId(actor.engine, { service: "W", key: "w1" });
    expect(again.invocationId).toBe(id);
    const attached = await stage.pulse.within(0, attach(actor.engine, id));
    expect(attached.kind === "ended" && textOf(attached)).toBe("ran a");
    expect(stage.deployment.of("run")).toHaveLength(1);
  });

  test("finds the promise that was completed after the retention of the run before, however late it runs", async () => {
    const stage = await open(
      { ...handlers, run: async (ctx) => `ran ${await ctx.get(peekPromise(ctx, "approval"))}` },
      settings,
    );
    const actor = stage.actor();
    const table = stage.stores.table as EmbeddedTable;
    const expire = () => table.sweepExpired(Math.floor(stage.pulse.nowMs() / 1000), 1_000);
    await stage.pulse.within(0, on(actor, "run", "a"));
    await stage.pulse.pass(2 * RETENTION_MS);
    expect(await stage.pulse.within(0, on(actor, "approve", "late"))).toBe("approved");
    // The lock of the run before would have expired by then.
    await stage.pulse.pass(3 * DAY_MS);
    await stage.pulse.during(expire());
    expect(await stage.pulse.within(0, on(actor, "run", "b"))).toBe("ran late");
  });

  test("does not meet a promise of a forgotten run if a table deletes the lock of that run before the promise", async () => {
    const stage = await open({ ...handlers }, settings);
    const actor = stage.actor();
    actor.startWorker();
    const runs = async (input: string, approval: string): Promise<string> => {
      const running = on(actor, "run", input);
      await stage.pulse.pass(LEASE_MS);
      await stage.pulse.within(LEASE_MS, on(actor, "approve", approval));
      return await stage.pulse.within(LEASE_MS, running);
    };
    expect(await runs("a", "old")).toBe("a old");
    await stage.pulse.pass(RETENTION_MS + 2 * DAY_MS);
    await stage.stores.table.delete(lockKey(objectPartition(actor.engine, { service: "W", key: "w1" })));
    expect(await runs("b", "new")).toBe("b new");
  });

  test("keeps its key although a run before was purged, however long it runs", async () => {
    const stage = await open({ ...handlers }, settings);
    const actor = stage.actor();
    actor.startWorker();
    const table = stage.stores.table as EmbeddedTable;
    const { invocationId } = await stage.pulse.within(0, sendKeyed(actor, keyed("W", "w1", "run", "a")));
    await stage.pulse.within(LEASE_MS, on(actor, "approve", "1"));
    await stage.pulse.pass(LEASE_MS);
    await stage.pulse.within(0, purge(actor.engine, invocationId));
    await stage.pulse.within(0, sendKeyed(actor, keyed("W", "w1", "run", "b")));
    await stage.pulse.pass(LEASE_MS);
    const lock = (await table.query(objectPartition(actor.engine, { service: "W", key: "w1" }))).items.find(
      ({ sk }) => sk === "lock",
    );
    expect(lock).toMatchObject({ held: 1 });
    expect(lock?.["expiresAtS"]).toBeUndefined();
  });

  test("answers 409 to a handler that calls its run a second time", async () => {
    const stage = await open(
      {
        ...handlers,
        run: () => "ran",
        parent: async (ctx) => {
          const first = await ctx.get(ctx.call("run", "", { service: "W", key: "w1" }));
          try {
            return await ctx.get(ctx.call("run", "", { service: "W", key: "w1" }));
          } catch (error) {
            if (!(error instanceof Error) || !error.message.includes("already")) throw error;
            return `${first}, then ${error.message}`;
          }
        },
      },
      settings,
    );
    const actor = stage.actor();
    expect(textOf(await stage.pulse.within(0, callOn(actor, "parent")))).toBe(
      "ran, then the workflow method was already invoked",
    );
  });

  test("waits for a promise that a shared handler completes, and shows its state on the way and afterwards", async () => {
    const stage = await open(handlers, settings);
    const actor = stage.actor();
    actor.startWorker();
    expect(await stage.pulse.within(0, on(actor, "status"))).toBe("unknown");
    const result = on(actor, "run", "it was");
    await stage.pulse.settle();
    expect(await stage.pulse.within(0, on(actor, "status"))).toBe("waiting");
    expect(await stage.pulse.within(0, on(actor, "peek"))).toBe("peeked ");
    const waiting = on(actor, "wait");
    await stage.pulse.settle();
    expect(await stage.pulse.within(0, on(actor, "approve", "yes"))).toBe("approved");
    expect(await stage.pulse.within(1_000, result)).toBe("it was yes");
    expect(await stage.pulse.within(1_000, waiting)).toBe("waited yes");
    expect(await stage.pulse.within(0, on(actor, "status"))).toBe("approved");
    expect(await stage.pulse.within(0, on(actor, "approve", "no"))).toBe("409 promise was already completed");
    expect(await stage.pulse.within(0, on(actor, "peek"))).toBe("peeked yes");
  });

  test("finds a promise that was completed before it ran", async () => {
    const stage = await open(handlers, settings);
    const actor = stage.actor();
    await stage.pulse.within(0, on(actor, "approve", "early"));
    expect(await stage.pulse.within(0, on(actor, "run", "it was"))).toBe("it was early");
  });

  test("keeps the first of two completions of one promise, even when the first is redone", async () => {
    const stage = await open(handlers, settings);
    const [driver, other] = [stage.actor(), stage.actor()];
    crashBefore(driver, readOfPromiseWaiters);
    void on(driver, "approve", "first");
    await stage.pulse.pass(100);
    expect(await stage.pulse.within(0, on(other, "approve", "second"))).toBe("409 promise was already completed");
    other.startWorker();
    const result = on(other, "run", "it was");
    await stage.pulse.pass(2 * LEASE_MS);
    expect(await stage.pulse.within(0, result)).toBe("it was first");
    const id = stage.deployment.of("approve")[0]!.start.debugId;
    const end = await stage.pulse.within(0, output(other.engine, id as never));
    expect(end.kind === "ended" && textOf(end)).toBe("approved");
  });

  test("is forgotten with its state and promises when its retention is over, and its id can be used for another run", async () => {
    const stage = await open(handlers, settings);
    const actor = stage.actor();
    actor.startWorker();
    await stage.pulse.within(0, on(actor, "approve", "yes"));
    await stage.pulse.within(0, on(actor, "run", "one"));
    await stage.pulse.pass(RETENTION_MS + 1_000);
    const id = workflowId(actor.engine, { service: "W", key: "w1" });
    expect(await inspect(actor.engine, id)).toBeUndefined();
    expect(await stage.pulse.within(0, on(actor, "status"))).toBe("unknown");
    expect(await stage.pulse.within(0, on(actor, "peek"))).toBe("peeked ");
    const second = on(actor, "run", "two");
    await stage.pulse.settle();
    expect(await stage.pulse.within(0, on(actor, "status"))).toBe("waiting");
    await stage.pulse.within(0, on(actor, "approve", "again"));
    expect(await stage.pulse.within(1_000, second)).toBe("two again");
  });

  test("ends once with the right state when its driver dies at any write", async () => {
    for (let at = 0; at < 14; at++) {
      const stage = await open(handlers, settings);
      const [driver, other] = [stage.actor(), stage.actor()];
      crashBefore(
        driver,
        nth(at, ({ port, method }) => port === "table" && (method === "put" || method === "update")),
      );
      void on(driver, "run", "it was").catch(() => undefined);
      void on(driver, "approve", "yes").catch(() => undefined);
      await stage.pulse.pass(100);
      other.startWorker();
      await stage.pulse.pass(3 * LEASE_MS);
      void on(other, "approve", "yes").catch(() => undefined);
      void sendKeyed(other, keyed("W", "w1", "run", "it was")).catch(() => undefined);
      await stage.pulse.pass(3 * LEASE_MS);
      const id = workflowId(other.engine, { service: "W", key: "w1" });
      const end = await stage.pulse.within(LEASE_MS, attach(other.engine, id));
      expect(end.kind === "ended" && textOf(end)).toBe("it was yes");
      expect(await stage.pulse.within(0, on(other, "status"))).toBe("approved");
    }
  });
});

test.each(["sends", "calls"])(
  "another run begins when a handler %s the run of a workflow whose former run has expired",
  async (how) => {
    const stage = await open(
      {
        sends: (ctx) => (ctx.send("run", "", { service: "W", key: "w" }), "done"),
        calls: (ctx) => ctx.get(ctx.call("run", "", { service: "W", key: "w" })),
        run: () => "done",
      },
      { services: [workflowOf()], workflowRetentionMs: 60_000 },
    );
    const actor = stage.actor();
    actor.startWorker();
    for (const times of [1, 2]) {
      expect(textOf(await stage.pulse.within(1_000, callOn(actor, how)))).toBe("done");
      await stage.pulse.pass(120_000);
      expect(stage.deployment.of("run")).toHaveLength(times);
    }
  },
);
