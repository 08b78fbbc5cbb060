/** Tests redos of sends: each send runs once, and a cancelled send stays cancelled. */
import { expect, test } from "vitest";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { load } from "../../../shared/engine/store/load.ts";
import { sendWake } from "../../../shared/engine/messaging/wake.ts";
import { callOn, LEASE_MS, sendOn } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

test("a send whose result is not kept runs once, although the effects of its sender are redone", async () => {
  const stage = await open(
    { parent: (ctx) => (ctx.send("child"), "sent"), child: () => "done" },
    { journalRetentionMs: 0 },
  );
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "parent");
  await stage.pulse.pass(1_000);
  expect(stage.deployment.of("child")).toHaveLength(1);
  await sendWake(actor.engine, { id: invocationId }, 0);
  await stage.pulse.pass(5 * LEASE_MS);
  expect(stage.deployment.of("child")).toHaveLength(1);
});

test("a delayed send that was cancelled stays cancelled when the effects of its sender are redone", async () => {
  const stage = await open({
    parent: (ctx) => (ctx.send("child", "", { atMs: stage.pulse.nowMs() + 3_000 }), "sent"),
    child: () => "done",
  });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await stage.pulse.within(100, callOn(actor, "parent"));
  const parent = await load(actor.engine, invocationId);
  const childId = [...parent!.invocation.journal.childIds.values()][0] as InvocationId;
  expect(await stage.pulse.within(0, cancel(actor.engine, childId))).toBe("done");
  await sendWake(actor.engine, { id: invocationId }, 0);
  await stage.pulse.pass(5 * LEASE_MS);
  expect(stage.deployment.of("child")).toHaveLength(0);
});

test("a send with an idempotency key begins a new life after the former life, and a redo begins no further life", async () => {
  const stage = await open(
    { parent: (ctx) => (ctx.send("child", "", { idempotencyKey: "k" }), "sent"), child: () => "done" },
    { idempotencyRetentionMs: 0, journalRetentionMs: 60_000 },
  );
  const actor = stage.actor();
  actor.startWorker();
  for (const lives of [1, 2]) {
    await stage.pulse.pass(1_000);
    const { invocationId } = await sendOn(actor, "parent");
    await stage.pulse.pass(1_000);
    expect(stage.deployment.of("child")).toHaveLength(lives);
    await sendWake(actor.engine, { id: invocationId }, 0);
    await stage.pulse.pass(1_000);
    expect(stage.deployment.of("child")).toHaveLength(lives);
  }
});

test("a handler that sends to itself under its own key causes no further messages after its end", async () => {
  const stage = await open({ again: (ctx) => (ctx.send("again", "", { idempotencyKey: "mine" }), "done") });
  const actor = stage.actor();
  actor.startWorker();
  await sendOn(actor, "again", "", { idempotencyKey: "mine" });
  await stage.pulse.pass(2 * LEASE_MS);
  const before = actor.process.methods("queue").length;
  await stage.pulse.pass(2 * LEASE_MS);
  const sent = actor.process
    .methods("queue")
    .slice(before)
    .filter((method) => method === "send");
  expect(sent).toEqual([]);
  expect(stage.deployment.attempts).toHaveLength(1);
});
