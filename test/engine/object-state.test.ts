/** The state of an object: sizes, and reads on demand. */
import { describe, expect, test } from "vitest";
import { callKeyed, keyed, objectOf } from "../harness/engine/object-stage.ts";
import { textOf } from "../harness/engine/engine-fixture.ts";
import type { Handler, ScriptContext } from "../harness/engine/script-context.ts";
import { ScriptState } from "../harness/engine/script-state.ts";
import { stages } from "../harness/engine/stages.ts";

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
