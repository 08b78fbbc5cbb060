/** Tests redos by late drivers: no send starts again, and the end of a killed child is delivered (I2). */
import { expect, test } from "vitest";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import type { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import { sweep } from "../../../shared/engine/sweep/sweep.ts";
import { LEASE_MS, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";
import { crashBefore } from "../../harness/engine/crash.ts";
import { readOfSubscriptions } from "../../harness/engine/named-calls.ts";

const open = stages();
const DAY_MS = 86_400_000;

test("a send is not run again when its sender wakes after the send's result has expired", async () => {
  const stage = await open({
    parent: async (ctx) => {
      ctx.send("child");
      await ctx.get(ctx.sleep(Number(ctx.input)));
      return "slept";
    },
    child: () => "done",
  });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "parent", String(stage.pulse.nowMs() + 1.5 * DAY_MS));
  await stage.pulse.pass(LEASE_MS);
  expect(stage.deployment.of("child")).toHaveLength(1);
  await stage.pulse.pass(1.5 * DAY_MS);
  const ended = await stage.pulse.within(5_000, attach(actor.engine, invocationId));
  expect(ended.kind === "ended" && textOf(ended)).toBe("slept");
  expect(stage.deployment.of("child")).toHaveLength(1);
});

test("a send is not run again when its sender wakes after all items of the send have been deleted", async () => {
  const stage = await open({
    parent: async (ctx) => {
      ctx.send("child");
      return await ctx.get(ctx.sleep(Number(ctx.input)));
    },
    child: () => "done",
  });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "parent", String(stage.pulse.nowMs() + 5 * DAY_MS));
  for (let hour = 0; hour < 121; hour += 3) {
    await stage.pulse.pass(DAY_MS / 8);
    await stage.pulse.during(sweep(actor.engine, stage.pulse.nowMs()));
    await stage.pulse.during((stage.stores.table as EmbeddedTable).sweepExpired(stage.pulse.nowMs() / 1000, 100));
  }
  const ended = await stage.pulse.within(5_000, attach(actor.engine, invocationId));
  expect(ended.kind === "ended" && textOf(ended)).toBe("");
  expect(stage.deployment.of("child")).toHaveLength(1);
});

test("a delayed send that was cancelled stays cancelled when its sleeping sender wakes", async () => {
  let childId = "";
  const stage = await open({
    parent: async (ctx) => {
      const sent = ctx.send("child", "", { atMs: Number(ctx.input) + 60_000 });
      await ctx.get(ctx.sleep(Number(ctx.input) + 30_000));
      childId = await ctx.get(sent);
      return await ctx.get(ctx.awakeable().result);
    },
    child: () => "done",
  });
  const actor = stage.actor();
  actor.startWorker();
  const nowMs = stage.pulse.nowMs();
  const { invocationId } = await sendOn(actor, "parent", String(nowMs));
  await stage.pulse.pass(35_000);
  expect(await stage.pulse.within(0, cancel(actor.engine, childId as InvocationId))).toBe("done");
  await stage.pulse.within(1_000, cancel(actor.engine, invocationId));
  await stage.pulse.pass(10 * LEASE_MS);
  expect(stage.deployment.of("child")).toHaveLength(0);
});

test("a caller gets the end of a child that was killed before its start, although the killer died", async () => {
  let childId = "";
  const stage = await open({
    parent: async (ctx) => {
      const sent = ctx.send("child", "", { atMs: Number(ctx.input) + 3_600_000 });
      childId = await ctx.get(sent);
      return await ctx.get(ctx.attach(childId));
    },
    child: () => "done",
  });
  const first = stage.actor();
  first.startWorker();
  const { invocationId } = await sendOn(first, "parent", String(stage.pulse.nowMs()));
  await stage.pulse.pass(LEASE_MS);
  await first.stopWorker();
  const killer = stage.actor();
  // The killer dies after the final segment is written, before it delivers the result.
  crashBefore(killer, readOfSubscriptions);
  void kill(killer.engine, childId as InvocationId);
  await stage.pulse.pass(100);
  const second = stage.actor();
  second.startWorker();
  await stage.pulse.pass(3 * LEASE_MS);
  const ended = await stage.pulse.within(1_000, attach(second.engine, invocationId));
  expect(ended.kind === "ended" && textOf(ended)).toBe("409 killed");
});
