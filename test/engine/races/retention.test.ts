/** Tests the lifetime of items: kept while the invocation is open and during its retention, and deleted afterwards. */
import { expect, test } from "vitest";
import type { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { deliverSignal } from "../../../shared/engine/messaging/deliver.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { completeAwakeable } from "../../../shared/engine/effects/perform.ts";
import { runSweeper, sweep } from "../../../shared/engine/sweep/sweep.ts";
import { expireItems } from "../../../shared/wiring/expire-items.ts";
import { keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import { type Actor, LEASE_MS, type Stage, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const STEP_HOURS = 6;
const value = (text: string) => ({ kind: "success" as const, value: new TextEncoder().encode(text) });

/** Lets hours pass as on a server: the sweeper makes passes, and expired items are deleted. */
async function passHours({ pulse, stores }: Stage, { engine }: Actor, hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour += STEP_HOURS) {
    await pulse.pass(STEP_HOURS * HOUR_MS);
    await pulse.during(sweep(engine, pulse.nowMs()));
    await pulse.during((stores.table as EmbeddedTable).sweepExpired(pulse.nowMs() / 1000, 1_000));
  }
}

test.each([1, 3, 29, 40])(
  "an invocation that was open for five days still has all its items just before its retention of %i days ends",
  async (retentionDays) => {
    const awakeables = new Map<string, string>();
    const stage = await open(
      {
        parent: async (ctx) => {
          const child = ctx.call("child");
          const awakeable = ctx.awakeable();
          awakeables.set("parent", awakeable.id);
          const [heard, named] = [await ctx.get(awakeable.result), await ctx.get(ctx.signal("go"))];
          return `${heard}, ${named}, ${await ctx.get(child)}`;
        },
        child: async (ctx) => {
          const { id, result } = ctx.awakeable();
          awakeables.set("child", id);
          return await ctx.get(result);
        },
      },
      { journalRetentionMs: retentionDays * DAY_MS, idempotencyRetentionMs: retentionDays * DAY_MS },
    );
    const actor = stage.actor();
    actor.startWorker();
    const { invocationId } = await sendOn(actor, "parent");
    await stage.pulse.pass(LEASE_MS);
    await passHours(stage, actor, 30);
    await stage.pulse.during(completeAwakeable(actor.engine, awakeables.get("parent")!, value("awake")));
    await passHours(stage, actor, 30);
    const go = deliverSignal(actor.engine, invocationId, "xgo", { name: "go" }, value("named"));
    await stage.pulse.during(go);
    await passHours(stage, actor, 60);
    await stage.pulse.during(completeAwakeable(actor.engine, awakeables.get("child")!, value("called")));
    await stage.pulse.settle();
    const whole = await inspect(actor.engine, invocationId);
    expect(whole).toMatchObject({ status: "completed" });

    await stage.pulse.within(LEASE_MS, actor.stopWorker());
    await passHours(stage, actor, 24 * retentionDays - STEP_HOURS);
    const ended = await stage.pulse.within(1_000, attach(actor.engine, invocationId));
    expect(ended.kind === "ended" && textOf(ended)).toBe("awake, named, called");
    expect(await inspect(actor.engine, invocationId)).toEqual(whole);
  },
);

test("an open invocation outlives five days in which nothing ran", async () => {
  const stage = await open({ wait: (ctx) => ctx.get(ctx.awakeable().result) });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "wait");
  await stage.pulse.pass(LEASE_MS);
  await stage.pulse.within(2 * LEASE_MS, actor.stopWorker());
  await stage.pulse.pass(5 * DAY_MS);
  const { engine, log } = actor;
  const table = stage.stores.table as EmbeddedTable;
  const { signal } = new AbortController();
  void expireItems(
    { table, clock: engine.clock, log, activeInvocations: engine.activeInvocations, everyMs: 60_000 },
    signal,
  );
  void runSweeper(engine, signal, 90_000);
  await stage.pulse.pass(HOUR_MS);
  actor.startWorker();
  await stage.pulse.during(deliverSignal(engine, invocationId, "s17", { index: 17 }, value("still there")));
  const ended = await stage.pulse.within(1_000, attach(engine, invocationId));
  expect(ended.kind === "ended" && textOf(ended)).toBe("still there");
});

test.each(["awakeable", "sleep", "key"] as const)(
  "in a table that deletes by itself, an invocation that waits for its %s outlives fourteen days without a sweeper",
  async (kind) => {
    const stage = await open(
      {
        awakeable: (ctx) => ctx.get(ctx.awakeable().result),
        sleep: (ctx) => ctx.get(ctx.sleep(stage.pulse.nowMs() + 60 * DAY_MS)),
        key: () => "never its turn",
      },
      { idempotencyRetentionMs: 0, journalRetentionMs: 0, services: [objectOf(["awakeable", "key"])] },
    );
    const actor = stage.actor();
    actor.startWorker();
    if (kind === "key") await sendKeyed(actor, keyed("O", "k", "awakeable"));
    const { invocationId } = await (kind === "key" ? sendKeyed(actor, keyed("O", "k", "key")) : sendOn(actor, kind));
    await stage.pulse.pass(LEASE_MS);
    const before = await inspect(actor.engine, invocationId);
    await stage.pulse.within(2 * LEASE_MS, actor.stopWorker());
    const expire = () => (stage.stores.table as EmbeddedTable).sweepExpired(stage.pulse.nowMs() / 1000, 1_000);
    await stage.pulse.pass(14 * DAY_MS);
    await stage.pulse.during(expire());
    expect(await inspect(actor.engine, invocationId)).toEqual(before);
    // One pass of the sweeper extends the invocation by a month.
    await stage.pulse.during(sweep(actor.engine, stage.pulse.nowMs()));
    await stage.pulse.pass(29 * DAY_MS);
    await stage.pulse.during(expire());
    expect(await inspect(actor.engine, invocationId)).toMatchObject({ status: before?.status });
  },
);

test("a retention that is over leaves no items", async () => {
  const stage = await open({ wait: (ctx) => ctx.get(ctx.awakeable().result) }, { idempotencyRetentionMs: 3 * DAY_MS });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "wait");
  await passHours(stage, actor, 60);
  await stage.pulse.during(deliverSignal(actor.engine, invocationId, "s17", { index: 17 }, value("over")));
  await stage.pulse.settle();
  await stage.pulse.within(LEASE_MS, actor.stopWorker());
  // The sweeper extended the open invocation by a month, and the retention is added to that.
  await passHours(stage, actor, 24 * (30 + 3 + 1));
  expect((await stage.stores.table.query(`inv#${invocationId}`)).items).toEqual([]);
});
