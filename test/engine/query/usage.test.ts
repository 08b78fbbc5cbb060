/** Tests the usage in the view of an invocation: for a call, it shows as many writes as docs/costs.md counts. */
import { expect, test } from "vitest";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { callOn } from "../../harness/engine/engine-fixture.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const tried = new Map<string, number>();

const handlers: Record<string, Handler> = {
  ends: () => "done",
  runs: async (ctx) => await ctx.get(ctx.run("one", () => "done")),
  stumbles: (ctx) => {
    const tries = (tried.get(ctx.id) ?? 0) + 1;
    tried.set(ctx.id, tries);
    if (tries < 3) throw new Error(`not yet: ${tries}`);
    return "done";
  },
};

/** The write units are those of "call without steps", "call with 1 run" and "call that fails twice" in docs/costs.md. */
test.each([
  ["ends", 3, 1],
  ["runs", 4, 2],
  ["stumbles", 5, 3],
])("the view of a call of %s shows %i write units and %i exchanges", async (handler, writeUnits, exchanges) => {
  const stage = await open(handlers);
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId: id } = await stage.pulse.within(60_000, callOn(actor, handler));
  const { usage } = (await inspect(actor.engine, id))!;
  expect([usage!.writeUnits, usage!.exchanges]).toEqual([writeUnits, exchanges]);
  expect(usage!.bytes).toBeGreaterThan(100);
});

test("the view shows when a failed attempt began, and which attempts stored entries", async () => {
  const stage = await open(handlers);
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId: id } = await stage.pulse.within(60_000, callOn(actor, "stumbles"));
  const { events, attemptsStored } = (await inspect(actor.engine, id))!;
  expect(events.map(({ message }) => message)).toEqual(["not yet: 1", "not yet: 2"]);
  for (const { startedAtMs, atMs } of events) expect(startedAtMs).toBeLessThanOrEqual(atMs);
  expect(attemptsStored.map(({ number }) => number)).toEqual([3]);
});
