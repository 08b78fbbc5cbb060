/** Plain calls: attempts, writes and results. */
import { expect, test } from "vitest";
import { TerminalError } from "../../harness/engine/script-awaits.ts";
import { callOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

test("a call without steps takes two writes, one attempt and no read", async () => {
  const stage = await open({ greet: (ctx) => `Hello ${ctx.input}` });
  const actor = stage.actor();
  const ended = await stage.pulse.within(0, callOn(actor, "greet", "you"));
  expect(textOf(ended)).toBe("Hello you");
  expect(actor.process.methods("table")).toEqual(["put", "put"]);
  expect(stage.deployment.attempts).toHaveLength(1);
});

test("each `ctx.run` in a call adds an attempt and a write, and its closure is executed once", async () => {
  const ran: string[] = [];
  const stage = await open({
    steps: async (ctx) => {
      const first = await ctx.get(ctx.run("one", () => `${ran.push("one")}`));
      const second = await ctx.get(ctx.run("two", () => `${ran.push("two")}`));
      return first + second;
    },
  });
  const actor = stage.actor();
  expect(textOf(await stage.pulse.within(0, callOn(actor, "steps")))).toBe("12");
  expect(ran).toEqual(["one", "two"]);
  expect(stage.deployment.attempts.map(({ start }) => start.knownEntries)).toEqual([1, 3, 5]);
  expect(actor.process.methods("table")).toEqual(["put", "put", "put", "put"]);
});

test("a terminal error is the result of the call", async () => {
  const stage = await open({
    fail: () => {
      throw new TerminalError(418, "short and stout");
    },
  });
  const actor = stage.actor();
  expect(textOf(await stage.pulse.within(0, callOn(actor, "fail")))).toBe("418 short and stout");
  expect(stage.deployment.attempts).toHaveLength(1);
});
