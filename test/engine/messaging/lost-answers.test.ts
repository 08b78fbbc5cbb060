/**
 * If the answer to a conditional write is lost, the client sends the write again, and the item that the first try wrote refuses
 * the second. The outcome does not change.
 */
import { expect, test } from "vitest";
import { output } from "../../../shared/engine/ingress/attach.ts";
import { completeAwakeable } from "../../../shared/engine/effects/perform.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { runWorker } from "../../../shared/engine/consume/worker.ts";
import { editState, stateOf } from "../../../shared/engine/operate/edit-state.ts";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { lockAt, objectPartition } from "../../../shared/engine/store/object-partition.ts";
import { purge, purgeJournal } from "../../../shared/engine/operate/purge.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { drainDeadLetters } from "../../../shared/engine/sweep/dead-letters.ts";
import {
  type Actor,
  callOn,
  sendOn,
  type Stage,
  type StageSettings,
  textOf,
} from "../../harness/engine/engine-fixture.ts";
import { LostAnswerTable } from "../../harness/engine/lost-answer-table.ts";
import { addCount, callKeyed, keyed, objectOf, sendKeyed, workflowOf } from "../../harness/engine/object-stage.ts";
import { AttemptFails, type Handler } from "../../harness/engine/script-context.ts";
import { completePromise, getPromise, ScriptState } from "../../harness/engine/script-state.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const HOUR_MS = 3_600_000;
const settings: StageSettings = {
  services: [objectOf(["add", "store"]), workflowOf(["approve"])],
  idempotencyRetentionMs: HOUR_MS,
};
const bytes = (text: string) => new TextEncoder().encode(text);

interface Play {
  readonly stage: Stage;
  readonly actor: Actor;
  /** Starts a worker. */
  work(): void;
}

interface Scenario {
  readonly handlers: (stage: () => Stage) => Record<string, Handler>;
  /** Returns the results that are visible from outside at the end. No sweeper runs, so a lost wake stays visible. */
  readonly play: (play: Play) => Promise<unknown>;
}

const endOf = async ({ stage, actor }: Play, id: InvocationId) => {
  const end = await stage.pulse.within(2_000, output(actor.engine, id));
  return end.kind === "ended" ? textOf(end) : end.kind;
};
const partition = async ({ stores }: Stage, pk: string) => (await stores.table.query(pk)).items.map(({ sk }) => sk);

const lockOf = async ({ engine }: Actor) => await lockAt(engine, objectPartition(engine, { service: "O", key: "k" }));

let attempts = 0;
let awakeableId = "";
let childId = "" as InvocationId;
const large = "x".repeat(400_000);

const SCENARIOS: Record<string, Scenario> = {
  "a call that fails once and calls a child": {
    handlers: () => ({
      parent: async (ctx) => {
        if (++attempts === 1) throw new AttemptFails("once");
        return `${await ctx.get(ctx.run("step", () => "1"))} ${await ctx.get(ctx.call("child"))}`;
      },
      child: () => "2",
    }),
    play: async (on) => {
      const { stage, actor } = on;
      attempts = 0;
      return [textOf(await stage.pulse.within(20_000, callOn(actor, "parent"))), stage.deployment.attempts.length];
    },
  },
  "a send that sleeps for long, and waits for an awakeable and a call": {
    handlers: () => ({
      sleeps: async (ctx) => {
        const [awakeable, over] = [ctx.awakeable(), ctx.sleep(Number(ctx.input))];
        awakeableId = awakeable.id;
        const said = await ctx.get(awakeable.result);
        await ctx.get(over);
        return `${said} ${await ctx.get(ctx.call("late"))}`;
      },
      late: async (ctx) => (await ctx.get(ctx.run("step", () => "")), "late"),
    }),
    play: async (on) => {
      const { stage, actor, work } = on;
      work();
      const { invocationId } = await sendOn(actor, "sleeps", String(stage.pulse.nowMs() + HOUR_MS));
      await stage.pulse.pass(1_000);
      const go = { kind: "success", value: bytes("go") } as const;
      await stage.pulse.within(1_000, completeAwakeable(actor.engine, awakeableId, go));
      await stage.pulse.pass(HOUR_MS + 30_000);
      return [await endOf(on, invocationId), stage.deployment.attempts.length];
    },
  },
  "calls of one key, one behind the other": {
    handlers: () => ({ add: async (ctx) => (await ctx.get(ctx.run("wait", () => "")), addCount(ctx)) }),
    play: async (on) => {
      const { stage, actor, work } = on;
      for (let count = 0; count < 3; count++) await sendKeyed(actor, keyed("O", "k", "add", "1"));
      work();
      await stage.pulse.pass(20_000);
      const { holder, state } = await lockOf(actor);
      return [holder, new TextDecoder().decode(state.inline.get("count"))];
    },
  },
  "a workflow whose promise another call completes, and which is purged after its end": {
    handlers: () => ({
      run: async (ctx) => {
        new ScriptState(ctx).set("beside", "x".repeat(2_000));
        return `approved ${await ctx.get(getPromise(ctx, "approval"))}`;
      },
      approve: async (ctx) => await ctx.get(completePromise(ctx, "approval", ctx.input)),
    }),
    play: async (on) => {
      const { stage, actor, work } = on;
      work();
      const { invocationId } = await sendKeyed(actor, keyed("W", "w", "run"));
      await stage.pulse.pass(1_000);
      await stage.pulse.within(1_000, callKeyed(actor, keyed("W", "w", "approve", "yes")));
      await stage.pulse.pass(20_000);
      const end = await endOf(on, invocationId);
      const purged = await stage.pulse.within(1_000, purge(actor.engine, invocationId));
      return [end, purged, await partition(stage, "obj#W#w"), await endOf(on, invocationId)];
    },
  },
  "an edit of the state of a free key, and then a call": {
    handlers: () => ({ add: addCount }),
    play: async (on) => {
      const { stage, actor, work } = on;
      work();
      const target = { service: "O", key: "k" };
      const isFirst = async (values: ReadonlyMap<string, unknown>) => values.size === 0;
      const edit = editState(actor.engine, target, "object", new Map([["count", bytes("5")]]), isFirst);
      const edited = await stage.pulse.within(1_000, edit);
      return [edited, textOf(await stage.pulse.within(1_000, callKeyed(actor, keyed("O", "k", "add", "2"))))];
    },
  },
  "an edit of the state of a workflow": {
    handlers: () => ({ run: async (ctx) => await ctx.get(ctx.awakeable().result) }),
    play: async (on) => {
      const { stage, actor, work } = on;
      work();
      const target = { service: "W", key: "w" };
      await sendKeyed(actor, keyed("W", "w", "run"));
      await stage.pulse.pass(1_000);
      const isFirst = async (values: ReadonlyMap<string, unknown>) => values.size === 0;
      const edit = editState(actor.engine, target, "workflow", new Map([["step", bytes("5")]]), isFirst);
      return [await stage.pulse.within(1_000, edit), [...(await stateOf(actor.engine, target))!.keys()]];
    },
  },
  "a large value that is written over and removed": {
    handlers: () => ({
      store: (ctx) => {
        const state = new ScriptState(ctx);
        if (ctx.input === "") state.clear("large");
        else state.set("large", ctx.input.repeat(400_000));
        return "stored";
      },
    }),
    play: async (on) => {
      const { stage, actor, work } = on;
      work();
      for (const input of ["x", "y", ""])
        await stage.pulse.within(5_000, callKeyed(actor, keyed("O", "k", "store", input)));
      return (await partition(stage, "obj#O#k")).filter((sk) => sk.startsWith("blob#"));
    },
  },
  "a tree that is killed, and a start that is cancelled": {
    handlers: () => ({
      parent: async (ctx) => await ctx.get(ctx.call("child")),
      child: async (ctx) => {
        childId = ctx.id as InvocationId;
        return await ctx.get(ctx.awakeable().result);
      },
    }),
    play: async (on) => {
      const { stage, actor, work } = on;
      work();
      const { invocationId } = await sendOn(actor, "parent");
      const startAtMs = stage.pulse.nowMs() + HOUR_MS;
      const later = await sendOn(actor, "child", "", { startAtMs });
      await stage.pulse.pass(1_000);
      const killed = await stage.pulse.within(5_000, kill(actor.engine, invocationId));
      const cancelled = await stage.pulse.within(5_000, cancel(actor.engine, later.invocationId));
      await stage.pulse.pass(20_000);
      const [parent, child] = [await endOf(on, invocationId), await endOf(on, childId)];
      return [killed, cancelled, parent, child, await inspect(actor.engine, later.invocationId)];
    },
  },
  "a key that is used anew when its result has expired, and a journal that is dropped": {
    handlers: () => ({ greet: (ctx) => `${++attempts}${ctx.input}` }),
    play: async (on) => {
      const { stage, actor } = on;
      attempts = 0;
      const texts: string[] = [];
      for (let count = 0; count < 3; count++) {
        const called = callOn(actor, "greet", large, { idempotencyKey: "one" });
        texts.push(textOf(await stage.pulse.within(5_000, called)).slice(0, 1));
        if (count > 0) await stage.pulse.pass(2 * HOUR_MS);
      }
      const { invocationId } = await sendOn(actor, "greet", large, { idempotencyKey: "one" });
      const dropped = await stage.pulse.within(5_000, purgeJournal(actor.engine, invocationId));
      const blobs = async () =>
        (await partition(stage, `inv#${invocationId}`)).filter((sk) => sk.startsWith("blob#")).length;
      const kept = await blobs();
      const purged = await stage.pulse.within(5_000, purge(actor.engine, invocationId));
      return [texts, dropped, kept, purged, await blobs()];
    },
  },
  "a dead letter that is drained": {
    handlers: () => ({ greet: () => "done" }),
    play: async (on) => {
      const { stage, actor } = on;
      const { invocationId } = await sendOn(actor, "greet");
      const letters = stage.stores.queue;
      const drained = await stage.pulse.within(
        30_000,
        drainDeadLetters(actor.engine, letters, stage.pulse.nowMs() + 9_000),
      );
      return [drained, await endOf(on, invocationId)];
    },
  },
};
/** @param lostAt the number of the conditional write that loses its answer, counted from 1; 0 for none */
async function played({ handlers, play }: Scenario, lostAt: number) {
  const stage: Stage = await open(
    handlers(() => stage),
    settings,
  );
  const actor = stage.actor();
  const table = new LostAnswerTable(actor.engine.table, lostAt);
  const engine = { ...actor.engine, table };
  const stopping = new AbortController();
  const work = (): void => void runWorker(engine, stopping.signal, { concurrencyMax: 9 });
  const seen = await play({ stage, actor: { ...actor, engine }, work });
  stopping.abort();
  actor.die();
  return { seen, table };
}

test.each(Object.entries(SCENARIOS))(
  "%s: whichever conditional write loses its answer, the outcome is the same",
  async (_, scenario) => {
    const { seen, table } = await played(scenario, 0);
    expect(table.writes).toBeGreaterThan(1);
    for (let lostAt = 1; lostAt <= table.writes; lostAt++) {
      const disturbed = await played(scenario, lostAt);
      expect(disturbed.table.lost).toBeDefined();
      expect(disturbed.seen, `${lostAt}: ${disturbed.table.lost}`).toEqual(seen);
    }
  },
  300_000,
);

test("an acceptance takes effect once if its first put meets a former life that is deleted then, and the answer to its last is lost", async () => {
  const stage = await open({ greet: () => "done" });
  const actor = stage.actor();
  const { table } = actor.engine;
  let puts = 0;
  const put: typeof table.put = async (item, condition) => {
    if (item.sk !== "seg#000000") return await table.put(item, condition);
    if (++puts === 1) return { written: false, existing: { ...item, n: "former" } };
    await table.put(item, condition);
    return await table.put(item, condition);
  };
  const engine = {
    ...actor.engine,
    table: new Proxy(table, { get: (of, name) => (name === "put" ? put : Reflect.get(of, name)) }),
  };
  const called = callOn({ ...actor, engine }, "greet", "", { idempotencyKey: "one" });
  expect(textOf(await stage.pulse.within(1_000, called))).toBe("done");
  // The second put is to replace the former acceptance, and finds nothing there.
  expect(puts).toBe(3);
});
