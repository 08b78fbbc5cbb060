/** Cancels of an invocation in a stopping process, and orders to kill that a worker obeys. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import { currentLife, orderKill } from "../../../shared/engine/messaging/deliver.ts";
import { callOn, LEASE_MS, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

test("a cancel of an invocation that a stopping process drives does not wait for the handler", async () => {
  const stage = await open({
    slow: async (ctx) => {
      await stage.pulse.sleep(LEASE_MS);
      return await ctx.get(ctx.awakeable().result);
    },
  });
  const first = stage.actor();
  const called = callOn(first, "slow");
  called.catch(() => undefined);
  await stage.pulse.pass(1_000);
  first.engine.activeInvocations.stop();
  await stage.pulse.pass(1_000);
  const second = stage.actor();
  const id = stage.deployment.attempts[0]!.start.debugId as InvocationId;
  expect(await stage.pulse.within(0, cancel(second.engine, id))).toBe("noted");
  second.startWorker();
  const ended = await stage.pulse.within(5 * LEASE_MS, attach(second.engine, id));
  expect(ended.kind === "ended" && textOf(ended)).toBe("409 Cancelled");
});

test("an order to kill an invocation sends one message, and the worker that obeys the order sends none", async () => {
  const stage = await open({ wait: (ctx) => ctx.get(ctx.awakeable().result) });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "wait");
  await stage.pulse.pass(LEASE_MS);
  const to = await currentLife(actor.engine, invocationId);
  actor.process.calls.length = 0;
  await stage.pulse.within(0, orderKill(actor.engine, to!));
  await stage.pulse.pass(3 * LEASE_MS);
  const ended = await stage.pulse.within(0, attach(actor.engine, invocationId));
  expect(ended.kind === "ended" && textOf(ended)).toBe("409 killed");
  expect(actor.process.methods("queue").filter((method) => method === "send")).toHaveLength(1);
});
