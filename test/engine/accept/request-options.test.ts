/** Options of requests become part of the acceptance, whether the request comes over HTTP or from a handler. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { load } from "../../../shared/engine/store/load.ts";
import { type Actor, callOn, sendOn } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

async function acceptanceOf({ engine }: Actor, id: string) {
  return (await load(engine, id as InvocationId))!.invocation.acceptance;
}

test("the priority of a request is stored with its acceptance, and a request without one stores none", async () => {
  const stage = await open({ echo: (ctx) => ctx.input });
  const actor = stage.actor();
  const { invocationId } = await callOn(actor, "echo", "", { options: { priority: 0 } });
  const plain = await sendOn(actor, "echo");
  expect((await acceptanceOf(actor, invocationId)).priority).toBe(0);
  expect(await acceptanceOf(actor, plain.invocationId)).not.toHaveProperty("priority");
});

test("calls and sends of a handler have the priority that their headers name, and their handlers do not get these headers", async () => {
  const headers = [
    { key: "X-Stepwell-Priority", value: "9" },
    { key: "a", value: "b" },
  ];
  const stage = await open({
    async parent(ctx) {
      const called = ctx.call("child", "called", { headers });
      ctx.send("child", "sent", { headers });
      return await ctx.get(called);
    },
    child: (ctx) => ctx.input,
  });
  const actor = stage.actor();
  actor.startWorker();
  await callOn(actor, "parent", "", { options: { priority: 3 } });
  await stage.pulse.pass(1_000);
  const children = stage.deployment.of("child");
  expect(children.map(({ input }) => input).sort()).toEqual(["called", "sent"]);
  for (const { start } of children) {
    const { priority, headers: kept } = await acceptanceOf(actor, start.debugId);
    expect([priority, kept]).toEqual([9, [{ key: "a", value: "b" }]]);
  }
});

test("a call of a handler with a bad priority fails the attempt with RT0017, and goes on once the handler is corrected", async () => {
  let value = "urgent";
  const stage = await open({
    parent: (ctx) => ctx.get(ctx.call("child", "x", { headers: [{ key: "x-stepwell-priority", value }] })),
    child: (ctx) => ctx.input,
  });
  const actor = stage.actor();
  actor.startWorker();
  const called = callOn(actor, "parent");
  await stage.pulse.pass(50);
  const line = actor.log.lines.find(({ fields }) => fields["errorCode"] === "RT0017");
  expect(line?.fields["reason"]).toContain("'urgent' is no whole number from 0 to 9, such as '7'");
  expect(stage.deployment.of("child")).toEqual([]);
  value = "6";
  await stage.pulse.pass(1_000);
  await called;
  expect((await acceptanceOf(actor, stage.deployment.of("child")[0]!.start.debugId)).priority).toBe(6);
});
