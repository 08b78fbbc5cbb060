/** Invocations that wait for themselves or each other, and messages that must not circulate. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { LEASE_MS, sendOn } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";
import { limitSends } from "../../harness/engine/peaceful-queue.ts";

const open = stages();
const SENDS_MAX = 50;

test("an invocation that waits for itself can be killed, and no message circulates afterwards", async () => {
  const stage = await open({ narcissus: (ctx) => ctx.get(ctx.attach(ctx.id)) });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "narcissus");
  await stage.pulse.pass(2 * LEASE_MS);
  const sends = limitSends(actor, SENDS_MAX);
  expect(await stage.pulse.within(1_000, kill(actor.engine, invocationId))).toBe("done");
  await stage.pulse.pass(3 * LEASE_MS);
  expect(sends()).toBeLessThan(SENDS_MAX);
});

test("after the kill of one of two invocations that call each other by key, no message circulates", async () => {
  const stage = await open({
    ping: (ctx) => ctx.get(ctx.call("pong", "", { idempotencyKey: "one" })),
    pong: (ctx) => ctx.get(ctx.call("ping", "", { idempotencyKey: "one" })),
  });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "ping", "", { idempotencyKey: "one" });
  await stage.pulse.pass(2 * LEASE_MS);
  const sends = limitSends(actor, SENDS_MAX);
  expect(await stage.pulse.within(1_000, kill(actor.engine, invocationId))).toBe("done");
  await stage.pulse.pass(3 * LEASE_MS);
  expect(sends()).toBeLessThan(SENDS_MAX);
});

test("a late message for a killed parent or child causes no further messages", async () => {
  let childId = "" as InvocationId;
  const stage = await open({
    parent: (ctx) => ctx.get(ctx.call("child")),
    child: async (ctx) => {
      childId = ctx.id as InvocationId;
      return await ctx.get(ctx.awakeable().result);
    },
  });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "parent");
  await stage.pulse.pass(2 * LEASE_MS);
  const sends = limitSends(actor, SENDS_MAX);
  await stage.pulse.within(1_000, kill(actor.engine, invocationId));
  await stage.pulse.pass(3 * LEASE_MS);
  expect(sends()).toBeLessThan(SENDS_MAX);
  expect(await stage.pulse.within(1_000, kill(actor.engine, childId))).toBe("completed");
});
