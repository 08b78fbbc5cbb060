/** The state of an object: sizes, and reads on demand. */
import { describe, expect, test } from "vitest";
import { callKeyed, keyed, objectOf } from "../../harness/engine/object-stage.ts";
import { newBulkheads } from "../../../shared/engine/bulkheads/bulkheads.ts";
import { type Actor, type Stage, textOf } from "../../harness/engine/engine-fixture.ts";
import type { Handler, ScriptContext } from "../../harness/engine/script-context.ts";
import { ScriptState } from "../../harness/engine/script-state.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

describe("the state of an object", () => {
  const many = (ctx: ScriptContext): ScriptState => new ScriptState(ctx);
  const handlers: Record<string, Handler> = {
    fill(ctx) {
      const state = many(ctx);
      for (let at = 0; at < 40; at++) state.set(`k${at}`, `${at}`.repeat(100));
      return "filled";
    },
    change(ctx) {
      const state = many(ctx);
      state.set("k1", "short");
      state.clear("k2");
      state.set("large", "x".repeat(600_000));
      return "changed";
    },
    wipe(ctx) {
      const state = many(ctx);
      state.clearAll();
      state.set("left", "alone");
      return "wiped";
    },
    dump: (ctx) =>
      ctx.journal.start.stateMap
        .map(({ key }) => new TextDecoder().decode(key))
        .sort()
        .join(","),
    async lazy(ctx) {
      const state = many(ctx);
      const before = state.lazy(ctx.input);
      state.set(ctx.input, "changed");
      return `${await ctx.get(before)}.${await ctx.get(state.lazy(ctx.input))}.${await ctx.get(state.lazy("none"))}`;
    },
  };
  const services = [objectOf(["fill", "change", "wipe", "lazy"], ["dump"])];

  test("is read back exactly, with many small values and with one of 600 000 bytes", async () => {
    const stage = await open(handlers, { services, messageSizeMaxBytes: 2 << 20 });
    const actor = stage.actor();
    const run = (name: string, input = "") =>
      stage.pulse.within(0, callKeyed(actor, keyed("O", "k", name, input))).then(textOf);
    await run("fill");
    expect((await run("dump")).split(",")).toHaveLength(40);
    await run("change");
    const keys = (await run("dump")).split(",");
    expect(keys).toHaveLength(40);
    expect([keys.includes("k2"), keys.includes("large")]).toEqual([false, true]);
    const large = stage.deployment
      .of("dump")
      .at(-1)!
      .start.stateMap.find(({ key }) => key.length === 5);
    expect(large?.value.length).toBe(600_000);
    await run("wipe");
    expect(await run("dump")).toBe("left");
  });

  test("is read for a request only up to the limit of the request, and once in full if the handler asks for the names of the keys", async () => {
    const [count, size] = [12, 250_000];
    const stage = await open(
      {
        fill(ctx) {
          const state = many(ctx);
          for (let at = 0; at < count; at++) state.set(`k${at}`, "x".repeat(size));
          return "filled";
        },
        names: (ctx) => ctx.get(many(ctx).lazyKeys()),
      },
      { services: [objectOf(["fill"], ["names"])], messageSizeMaxBytes: 2 << 20, eagerStateMaxBytes: 100_000 },
    );
    const actor = stage.actor();
    await stage.pulse.within(0, callKeyed(actor, keyed("O", "k", "fill")));
    let readBytes = 0;
    const { table } = actor.engine;
    const query: typeof table.query = async (pk, range) => {
      const page = await table.query(pk, range);
      for (const { b } of page.items) if (b instanceof Uint8Array) readBytes += b.length;
      return page;
    };
    const counted = new Proxy(table, { get: (of, name) => (name === "query" ? query : Reflect.get(of, name)) });
    Object.assign(actor.engine, { table: counted });
    await stage.pulse.within(0, callKeyed(actor, keyed("O", "k", "names")));
    const [first, second] = stage.deployment.of("names");
    const names = second!.notifications[0]!.stateKeys!.keys.map((key) => new TextDecoder().decode(key));
    expect(names.toSorted()).toEqual(Array.from({ length: count }, (_, at) => `k${at}`).toSorted());
    expect(first!.start).toMatchObject({ partialState: true, stateMap: [] });
    // The state of a request needs one page of the table, which has at most a MiB. The names need one read of the whole state.
    expect(readBytes).toBeLessThan(2 * count * size);
  });

  test("that does not fit in the request is read on demand, as it was when the handler asked for it", async () => {
    const stage = await open(handlers, { services, eagerStateMaxBytes: 0 });
    const actor = stage.actor();
    const run = (name: string, input = "") =>
      stage.pulse.within(0, callKeyed(actor, keyed("O", "k", name, input))).then(textOf);
    await run("fill");
    expect(await run("lazy", "k3")).toBe(`${"3".repeat(100)}.changed.`);
    expect(stage.deployment.of("lazy")[0]!.start).toMatchObject({ partialState: true, stateMap: [] });
  });
});

describe("a budget without room", () => {
  const size = 400_000;
  const handlers: Record<string, Handler> = {
    fill(ctx) {
      new ScriptState(ctx).set("v", "x".repeat(size));
      return "filled";
    },
    async reads(ctx) {
      const state = new ScriptState(ctx);
      const values = Array.from({ length: 10 }, () => state.lazy("v"));
      let bytes = 0;
      for (const value of values) bytes += (await ctx.get(value)).length;
      return String(bytes);
    },
  };
  const openWith = async (limits: Parameters<typeof newBulkheads>[1]): Promise<{ stage: Stage; actor: Actor }> => {
    const stage = await open(handlers, { services: [objectOf(["fill"], ["reads"])], messageSizeMaxBytes: 2 << 20 });
    const actor = stage.actor();
    Object.assign(actor.engine.bulkheads, newBulkheads(actor.engine.clock, limits));
    await stage.pulse.within(0, callKeyed(actor, keyed("O", "k", "fill")));
    return { stage, actor };
  };

  test("limits how many reads of one attempt are answered, and the next attempts get the remaining answers", async () => {
    const { stage, actor } = await openWith({ repliesMaxBytes: 1 << 20 });
    const answer = await stage.pulse.within(60_000, callKeyed(actor, keyed("O", "k", "reads")));
    expect(textOf(answer)).toBe(String(10 * size));
    const { length } = stage.deployment.of("reads");
    // The answers to one attempt may have twice the budget of replies in total: two MiB, which is enough for five answers.
    expect(length).toBe(3);
    expect(actor.engine.bulkheads.replies.held).toBe(0);
  });

  test("leaves the state out of a request, and the handler reads it", async () => {
    const { stage, actor } = await openWith({ journalsMaxBytes: size / 2, journalsCountedFromBytes: 1_000 });
    const { journals } = actor.engine.bulkheads;
    const other = journals.open("other");
    other.growAtOnce(size);
    const answer = callKeyed(actor, keyed("O", "k", "reads"));
    await stage.pulse.pass(1_000);
    const [first] = stage.deployment.of("reads");
    expect(first!.start).toMatchObject({ partialState: true, stateMap: [] });
    other.close();
    actor.startWorker();
    expect(textOf(await stage.pulse.within(60_000, answer))).toBe(String(10 * size));
  });
});

test("a handler that sets values with names of the largest size ends, frees its key, and finds the values again", async () => {
  const name = (at: number) => String(at).padStart(65_000, "n");
  const stage = await open(
    {
      add(ctx) {
        const state = new ScriptState(ctx);
        for (let at = 0; at < 16; at++) state.set(name(at), `v${at}`);
        return "done";
      },
      get: async (ctx) => await ctx.get(new ScriptState(ctx).lazy(name(7))),
    },
    { services: [objectOf(["add", "get"])], eagerStateMaxBytes: 0 },
  );
  const actor = stage.actor();
  actor.startWorker();
  expect(textOf(await stage.pulse.within(60_000, callKeyed(actor, keyed("O", "k", "add"))))).toBe("done");
  expect(textOf(await stage.pulse.within(60_000, callKeyed(actor, keyed("O", "k", "get"))))).toBe("v7");
});
