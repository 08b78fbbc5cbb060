/** Edits of a workflow's state: an editor that dies, an update that fails, two editors, and the writes of the run (I2, I6). */
import { expect, test } from "vitest";
import { editState, stateOf } from "../../../shared/engine/operate/edit-state.ts";
import { StoreError } from "../../../shared/engine/ports/table.ts";
import { readPartition } from "../../../shared/engine/store/read-partition.ts";
import { crashAfter, crashBefore } from "../../harness/engine/crash.ts";
import { textOf, type Actor } from "../../harness/engine/engine-fixture.ts";
import { lockUpdate, nth, putOf, tableWrite } from "../../harness/engine/named-calls.ts";
import { callKeyed, keyed, workflowOf } from "../../harness/engine/object-stage.ts";
import { completePromise, getPromise, ScriptState } from "../../harness/engine/script-state.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const services = [workflowOf(["go", "read"])];
const W = { service: "W", key: "w" };
const NAMES = ["a", "b", "c"];
/** Three values that are too large for the lock, each 400 times one letter. */
const lettered = (letter: string) => new Map(NAMES.map((name) => [name, new TextEncoder().encode(letter.repeat(400))]));
const edit = ({ engine }: Actor, letter: string) => editState(engine, W, "workflow", lettered(letter));

/** The first letters of the values, such as `xxx`; `-` for a value that is absent. */
async function lettersOf({ engine }: Actor): Promise<string> {
  const state = await stateOf(engine, W);
  return NAMES.map((name) => new TextDecoder().decode(state!.get(name)?.subarray(0, 1)) || "-").join("");
}

/** The run writes `xxx`, waits, and then writes `r` under `a` and the number of its names under `count`. */
async function play() {
  const stage = await open(
    {
      run: async (ctx) => {
        const state = new ScriptState(ctx);
        for (const name of NAMES) state.set(name, "x".repeat(400));
        await ctx.get(getPromise(ctx, "go"));
        state.set("a", "r".repeat(400));
        return "ran";
      },
      go: async (ctx) => await ctx.get(completePromise(ctx, "go", "on")),
      read: (ctx) => NAMES.map((name) => new ScriptState(ctx).get(name)?.[0] ?? "-").join(""),
    },
    { services },
  );
  const actor = stage.actor();
  actor.startWorker();
  const run = callKeyed(actor, keyed("W", "w", "run"));
  await stage.pulse.settle();
  const on = (handler: string) => stage.pulse.within(1_000, callKeyed(actor, keyed("W", "w", handler))).then(textOf);
  return { stage, actor, run, on };
}

test.each([
  ["before", crashBefore],
  ["after", crashAfter],
])(
  "if the editor dies %s any of its writes, the edit is made whole or not at all, and no write of the run is lost",
  async (_, crash) => {
    for (let place = 0; ; place++) {
      const { stage, actor, run, on } = await play();
      const editor = stage.actor();
      const died = crash(editor, nth(place, tableWrite));
      void edit(editor, "e");
      await stage.pulse.settle();
      const seen = await on("read");
      expect(["xxx", "eee"], `write ${place}`).toContain(seen);
      await on("go");
      await stage.pulse.within(1_000, run);
      expect(await lettersOf(actor), `write ${place}`).toBe(`r${seen.slice(1)}`);
      if (died.at === undefined) break;
    }
  },
);

test("if the update of the lock fails after the values are written, a later edit shows its own values", async () => {
  const { stage, actor, on } = await play();
  const editor = stage.actor();
  const isFirst = nth(0, lockUpdate);
  let areWritten = false;
  editor.process.before = (call) => {
    areWritten ||= putOf(/^state#/)(call);
    if (!areWritten || !isFirst(call)) return undefined;
    throw new StoreError("throttled");
  };
  await expect(edit(editor, "e")).rejects.toThrow("throttled");
  expect(await stage.pulse.within(1_000, edit(actor, "f"))).toBe("applied");
  expect(await lettersOf(actor)).toBe("fff");
  expect(await on("read")).toBe("fff");
});

test("of two editors at the same time, the last one counts, and the state has the values of one edit", async () => {
  for (let place = 0; place < 8; place++) {
    const { stage, actor } = await play();
    const [one, other] = [stage.actor(), stage.actor()];
    const isSlow = nth(place, tableWrite);
    one.process.before = (call) => (isSlow(call) ? stage.pulse.sleep(1_000).then(() => undefined) : undefined);
    const slow = edit(one, "e");
    await stage.pulse.settle();
    expect(await stage.pulse.within(10_000, edit(other, "f"))).toBe("applied");
    const between = await stage.pulse.within(10_000, lettersOf(actor));
    expect(await stage.pulse.within(10_000, slow)).toBe("applied");
    expect(between).toBe("fff");
    const { items } = await actor.engine.table.query("obj#W#w");
    expect(items.filter(({ sk }) => /^(edit|blob)#/.test(sk))).toEqual([]);
    expect(["eee", "fff"]).toContain(await stage.pulse.within(10_000, lettersOf(actor)));
  }
});

test("a large edit that two processes complete at the same time leaves no values behind", async () => {
  for (let place = 0; place < 8; place++) {
    const { stage, actor } = await play();
    const [editor, reader] = [stage.actor(), stage.actor()];
    const large = new Map(NAMES.map((name) => [name, new Uint8Array(700_000).fill(101)]));
    const isSlow = nth(place, ({ port, method }) => port === "table" && method !== "get");
    editor.process.before = (call) => (isSlow(call) ? stage.pulse.sleep(1_000).then(() => undefined) : undefined);
    const edited = editState(editor.engine, W, "workflow", large);
    await stage.pulse.settle();
    await stage.pulse.within(10_000, lettersOf(reader));
    expect(await stage.pulse.within(10_000, edited)).toBe("applied");
    expect(await stage.pulse.within(10_000, lettersOf(actor))).toBe("eee");
    const items = await readPartition(actor.engine.table, "obj#W#w", { from: "", below: "state" });
    const pieces = items
      .filter(({ sk }) => sk.startsWith("blob#"))
      .map(({ sk }) => sk.split("#").slice(0, 3).join("#"));
    expect(new Set(pieces).size, `write ${place}`).toBe(3);
    expect(items.filter(({ sk }) => sk.startsWith("edit#"))).toEqual([]);
  }
});

test("an edit before the run is the state with which the run begins, though its editor dies", async () => {
  const stage = await open({ run: (ctx) => new ScriptState(ctx).get("a")?.[0] ?? "-" }, { services });
  const [actor, editor] = [stage.actor(), stage.actor()];
  const died = crashBefore(editor, putOf(/^state#/));
  void edit(editor, "e");
  await stage.pulse.settle();
  expect(died.at).toBeDefined();
  expect(textOf(await stage.pulse.within(1_000, callKeyed(actor, keyed("W", "w", "run"))))).toBe("e");
});

test("the values of an edit after the end of the run expire with the rest of the state", async () => {
  const { stage, actor, run, on } = await play();
  await on("go");
  await stage.pulse.within(1_000, run);
  expect(await stage.pulse.within(1_000, edit(actor, "e"))).toBe("applied");
  const { items } = await actor.engine.table.query("obj#W#w", { from: "state#", below: "state$" });
  expect(items.map(({ expiresAtS }) => typeof expiresAtS)).toEqual(["number", "number", "number"]);
});
