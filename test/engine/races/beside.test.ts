/** A call that a driver drives along, and the message that an ingress driver sends before it claims again (I4). */
import { expect, test } from "vitest";
import type { PortCall } from "../../harness/engine/engine-process.ts";
import { callOn, LEASE_MS, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { writesHold } from "../../harness/engine/hold-writes.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

test("sends do not count against the calls that a driver drives along: a call after many sends is still driven along", async () => {
  const stage = await open({
    parent: async (ctx) => {
      for (let count = 0; count < 40; count++) ctx.send("child", "sent");
      return await ctx.get(ctx.call("child", "called"));
    },
    child: (ctx) => ctx.input,
  });
  // No worker runs, so a call that is left to the queue gets no answer.
  expect(textOf(await stage.pulse.within(1_000, callOn(stage.actor(), "parent")))).toBe("called");
});

test("an ingress driver that claims again after its own park sends a message first", async () => {
  const [ended, told] = [new Gate(), new Gate()];
  const stage = await open({ parent: (ctx) => ctx.get(ctx.call("child")), child: () => "done" });
  const actor = stage.actor();
  const skOf = ({ port, method, args }: PortCall) =>
    port === "table" && method === "put" ? (args[0] as { sk: string }).sk : "";
  const parked: number[] = [];
  // The child ends while the driver of its caller, which is stopping, writes the park.
  actor.process.before = (call) => {
    const hasBegun = stage.deployment.of("child").length > 0;
    if (hasBegun && skOf(call).startsWith("seg#") && parked.length === 0) return ended.passed;
    if (writesHold(call) && parked.push(actor.process.calls.length) === 1) return told.passed;
    return undefined;
  };
  const called = callOn(actor, "parent");
  called.catch(() => undefined);
  await stage.pulse.pass(1_000);
  actor.engine.activeInvocations.stop();
  await stage.pulse.settle();
  ended.open();
  await stage.pulse.settle();
  told.open();
  await stage.pulse.settle();
  expect(parked.length).toBeGreaterThan(1);
  const parentId = stage.deployment.of("parent")[0]!.start.debugId;
  const between = actor.process.calls.slice(parked[0], parked[1]);
  const sends = between.filter(({ port, method }) => port === "queue" && method === "send");
  expect(sends.map(({ args }) => args[0])).toMatchObject([{ invocationId: parentId, delayMs: LEASE_MS }]);
});
