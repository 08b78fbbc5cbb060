/** Edits of state by an operator: free and held keys, large edits, and dead editors. */
import { expect, test } from "vitest";
import { editState, stateOf } from "../../../shared/engine/operate/edit-state.ts";
import { lockAt, objectPartition } from "../../../shared/engine/store/object-partition.ts";
import { type Actor, textOf } from "../../harness/engine/engine-fixture.ts";
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
import { completePromise, getPromise, ScriptState } from "../../harness/engine/script-state.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const services = [objectOf(["add", "slow"], ["get"]), workflowOf(["approve"])];
const target = { service: "O", key: "k" };
const bytes = (text: string) => new TextEncoder().encode(text);
const values = (count: string, more: Record<string, string> = {}) =>
  new Map(Object.entries({ count, ...more }).map(([key, value]) => [key, bytes(value)]));
const textState = async ({ engine }: Actor, at: { service: string; key: string } = target) =>
  Object.fromEntries([...(await stateOf(engine, at))!].map(([key, value]) => [key, new TextDecoder().decode(value)]));

const stageOf = async () => {
  const gate = new Gate();
  const stage = await open(
    { add: addCount, get: getCount, slow: async (ctx) => (await gate.passed, addCount(ctx)) },
    { services },
  );
  const actor = stage.actor();
  actor.startWorker();
  return { stage, actor, gate };
};

test("an edit of a free key is applied at once, even if the key has no state, and replaces the whole state", async () => {
  const { stage, actor } = await stageOf();
  expect(await stage.pulse.within(0, editState(actor.engine, target, "object", values("5", { other: "x" })))).toBe(
    "applied",
  );
  expect(textOf(await stage.pulse.within(0, callKeyed(actor, keyed("O", "k", "add", "2"))))).toBe("7");
  expect(await stage.pulse.within(0, editState(actor.engine, target, "object", values("1")))).toBe("applied");
  expect(await stage.pulse.within(0, textState(actor))).toEqual({ count: "1" });
  await stage.pulse.within(0, editState(actor.engine, target, "object", new Map()));
  expect(await stage.pulse.within(0, textState(actor))).toEqual({});
});

test("an edit of a held key waits for its turn, and later calls see the edit", async () => {
  const { stage, actor, gate } = await stageOf();
  await stage.pulse.within(0, sendKeyed(actor, keyed("O", "k", "slow", "1")));
  await stage.pulse.settle();
  expect(await stage.pulse.within(0, editState(actor.engine, target, "object", values("100")))).toBe("queued");
  const behind = callKeyed(actor, keyed("O", "k", "add", "1"));
  await stage.pulse.settle();
  expect(await stage.pulse.within(0, textState(actor))).toEqual({});
  gate.open();
  expect(textOf(await stage.pulse.within(1_000, behind))).toBe("101");
});

test("a large edit is stored beside the lock, and leaves the key free", async () => {
  const { stage, actor } = await stageOf();
  const large = values("1", { large: "x".repeat(500_000) });
  expect(await stage.pulse.within(0, editState(actor.engine, target, "object", large))).toBe("applied");
  expect(Object.keys(await stage.pulse.within(0, textState(actor))).sort()).toEqual(["count", "large"]);
  expect((await lockAt(actor.engine, objectPartition(actor.engine, target))).holder).toBeUndefined();
  expect(textOf(await stage.pulse.within(0, callKeyed(actor, keyed("O", "k", "add", "1"))))).toBe("2");
});

test("a large edit that waits in the queue is applied in its turn", async () => {
  const { stage, actor, gate } = await stageOf();
  await stage.pulse.within(0, sendKeyed(actor, keyed("O", "k", "slow", "1")));
  await stage.pulse.settle();
  const large = values("7", { large: "x".repeat(500_000) });
  expect(await stage.pulse.within(0, editState(actor.engine, target, "object", large))).toBe("queued");
  const behind = callKeyed(actor, keyed("O", "k", "add", "1"));
  await stage.pulse.settle();
  gate.open();
  expect(textOf(await stage.pulse.within(1_000, behind))).toBe("8");
  expect((await stage.pulse.within(0, textState(actor)))["large"]).toHaveLength(500_000);
});

test("if an editor dies after any of its writes, the key is free, and the edit is stored whole or not at all", async () => {
  const former = values("1", { large: "x".repeat(2_000), other: "x".repeat(2_000) });
  const edited = values("10", { large: "y".repeat(2_000), other: "y".repeat(2_000) });
  for (let survived = 1; ; survived++) {
    const { stage, actor } = await stageOf();
    await stage.pulse.within(0, editState(actor.engine, target, "object", former));
    const editor = stage.actor();
    let writes = 0;
    const counted = async <T>(written: Promise<T>): Promise<T> => {
      const outcome = await written;
      if (++writes === survived) throw new Error("the editor dies");
      return outcome;
    };
    const { table } = editor.engine;
    const dying: typeof table = {
      get: (key) => table.get(key),
      getMany: (keys) => table.getMany(keys),
      query: (pk, range) => table.query(pk, range),
      queryIndex: (index, pk, range) => table.queryIndex(index, pk, range),
      partitions: (prefix, after) => table.partitions(prefix, after),
      put: (item, condition) => counted(table.put(item, condition)),
      update: (key, update, condition) => counted(table.update(key, update, condition)),
      delete: (key, condition) => counted(table.delete(key, condition)),
      transact: (all) => counted(table.transact(all)),
    };
    const engine = { ...editor.engine, table: dying };
    const end = await stage.pulse.within(
      0,
      editState(engine, target, "object", edited).catch(() => "died"),
    );
    if (end !== "died") break;
    const sum = textOf(await stage.pulse.within(1_000, callKeyed(actor, keyed("O", "k", "add", "1"))));
    const { large, other } = (await stage.pulse.within(0, textState(actor))) as Record<string, string>;
    expect([sum, large?.[0], other?.[0]], `behind write ${survived}`).toEqual(
      sum === "2" ? ["2", "x", "x"] : ["11", "y", "y"],
    );
    expect((await lockAt(actor.engine, objectPartition(actor.engine, target))).holder).toBeUndefined();
  }
});

test("an edit that expects another state is refused, and a waiting edit is dropped if the state changes meanwhile", async () => {
  const { stage, actor, gate } = await stageOf();
  await stage.pulse.within(0, editState(actor.engine, target, "object", values("5")));
  const only = (count: string) => async (now: ReadonlyMap<string, Uint8Array>) =>
    new TextDecoder().decode(now.get("count")) === count;
  const edit = (to: string, from: string) =>
    stage.pulse.within(0, editState(actor.engine, target, "object", values(to), only(from)));
  expect(await edit("7", "6")).toBe("outdated");
  expect(await edit("6", "5")).toBe("applied");
  await stage.pulse.within(0, sendKeyed(actor, keyed("O", "k", "slow", "1")));
  await stage.pulse.settle();
  expect(await edit("1000", "6")).toBe("queued");
  gate.open();
  await stage.pulse.settle();
  expect(await stage.pulse.within(0, textState(actor))).toEqual({ count: "7" });
  expect(actor.log.lines.some(({ event }) => event === "edit.dropped")).toBe(true);
});

test("the state of a workflow is edited while the workflow runs, and later changes by the run change the edited state", async () => {
  const stage = await open(
    {
      run: async (ctx) => {
        const state = new ScriptState(ctx);
        state.set("step", "one");
        await ctx.get(getPromise(ctx, "go"));
        state.set("next", "y".repeat(400));
        return "ran";
      },
      approve: async (ctx) => await ctx.get(completePromise(ctx, "go", "on")),
    },
    { services },
  );
  const actor = stage.actor();
  actor.startWorker();
  const run = callKeyed(actor, keyed("W", "w", "run"));
  await stage.pulse.settle();
  const at = { service: "W", key: "w" };
  const edited = new Map([
    ["step", bytes("edited")],
    ["next", bytes("z".repeat(300))],
  ]);
  expect(await stage.pulse.within(0, editState(actor.engine, at, "workflow", edited))).toBe("applied");
  await stage.pulse.within(0, callKeyed(actor, keyed("W", "w", "approve")));
  await stage.pulse.within(1_000, run);
  expect(await stage.pulse.within(0, textState(actor, at))).toEqual({ step: "edited", next: "y".repeat(400) });
});
