/** The values of journal entries in the view of operators: only on request, and as handlers gave them. */
import { expect, test } from "vitest";
import { showInvocation } from "../../../shared/engine/query/show-invocation.ts";
import { callKeyed, keyed, objectOf } from "../../harness/engine/object-stage.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { ScriptState } from "../../harness/engine/script-state.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const decoder = new TextDecoder();

const handlers: Record<string, Handler> = {
  greets: (ctx) => `hello ${ctx.input}`,
  acts: async (ctx) => {
    const state = new ScriptState(ctx);
    await ctx.get(ctx.run("draw", () => "drawn"));
    state.set("count", "7");
    state.get("count");
    await ctx.get(ctx.call("greets", "Ada"));
    ctx.resolveAwakeable(ctx.awakeable().id, "resolved");
    return "done";
  },
};

async function ended() {
  const stage = await open(handlers, { services: [objectOf(["acts"])] });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await stage.pulse.within(60_000, callKeyed(actor, keyed("O", "k", "acts", "the input")));
  return { actor, invocationId };
}

test("the value of each entry with a payload is the payload", async () => {
  const { actor, invocationId } = await ended();
  const { entries } = (await showInvocation(actor.engine, invocationId, { withValues: true }))!;
  const values = entries.map(({ type, value }) => [type, value === undefined ? undefined : decoder.decode(value)]);
  expect(values).toEqual(
    expect.arrayContaining([
      ["Command: Input", "the input"],
      ["Command: Run", undefined],
      ["Notification: Run", "drawn"],
      ["Command: SetState", "7"],
      ["Command: GetEagerState", "7"],
      ["Command: Call", "Ada"],
      ["Notification: Call", "hello Ada"],
      ["Command: CompleteAwakeable", "resolved"],
      ["Command: Output", "done"],
    ]),
  );
});

test("entries have values only if the request asks for values", async () => {
  const { actor, invocationId } = await ended();
  const { entries } = (await showInvocation(actor.engine, invocationId))!;
  expect(entries.length).toBeGreaterThan(5);
  expect(entries.filter((entry) => "value" in entry)).toEqual([]);
});
