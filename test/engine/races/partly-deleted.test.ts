/**
 * Tests a shared table that deletes the expired items of an invocation one by one, in any order and days apart: an ended
 * invocation never runs again, and an open one never vanishes (ADR 0034).
 */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { DAY_MS } from "../../../shared/core/model/time-units.ts";
import { attach, output } from "../../../shared/engine/ingress/attach.ts";
import { deliverSignal } from "../../../shared/engine/messaging/deliver.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import type { Item } from "../../../shared/engine/ports/table.ts";
import { extendedUntilS, keepUntilS, openUntilS } from "../../../shared/engine/store/ttl.ts";
import { noteUnread } from "../../../shared/engine/sweep/listing-looks.ts";
import { pauseUnread } from "../../../shared/engine/sweep/dead-letters.ts";
import { sweep, sweepAll } from "../../../shared/engine/sweep/sweep.ts";
import { callOn, LEASE_MS, sendOn, type Stage, textOf } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const KEY = { idempotencyKey: "k" };
const retention = { idempotencyRetentionMs: DAY_MS, journalRetentionMs: DAY_MS };
const value = (text: string) => ({ kind: "success" as const, value: new TextEncoder().encode(text) });

async function itemsOf({ stores }: Stage, id: InvocationId): Promise<readonly Item[]> {
  return (await stores.table.query(`inv#${id}`)).items;
}

/** Deletes the items that a table would delete first, by chance. */
async function deleteSome(stage: Stage, id: InvocationId, goes: (item: Item) => boolean): Promise<void> {
  for (const { pk, sk, ...rest } of await itemsOf(stage, id))
    if (goes({ pk, sk, ...rest })) await stage.stores.table.delete({ pk, sk });
}

const isEnd = ({ end, sk }: Item): boolean => end === true && sk !== "seg#000000";

/** An invocation that has ended, and whose final segment the table has deleted before the acceptance. */
async function withoutEnd(handler: "quick" | "waits", ahead: number) {
  const stage = await open(
    { quick: (ctx) => `for ${ctx.input}`, waits: async (ctx) => `heard ${await ctx.get(ctx.awakeable().result)}` },
    retention,
  );
  const first = stage.actor();
  first.startWorker();
  const { invocationId } = await sendOn(first, handler, "a", KEY);
  await stage.pulse.pass(LEASE_MS);
  if (handler === "waits") {
    await stage.pulse.during(deliverSignal(first.engine, invocationId, "s17", { index: 17 }, value("it")));
    await stage.pulse.pass(LEASE_MS);
  }
  expect(await inspect(first.engine, invocationId)).toMatchObject({ status: "completed" });
  // A worker that only waits would make the days long.
  await stage.pulse.within(2 * LEASE_MS, first.stopWorker());
  const expiresAtS = Math.max(...(await itemsOf(stage, invocationId)).map((item) => Number(item["expiresAtS"])));
  await stage.pulse.pass(expiresAtS * 1000 - stage.pulse.nowMs() + ahead);
  await deleteSome(stage, invocationId, isEnd);
  first.startWorker();
  const attempts = stage.deployment.attempts.length;
  return { stage, actor: first, invocationId, attempts };
}

test.each([
  ["quick", 1_000],
  ["waits", 1_000],
  // The clock of the table may be ahead of the clock of the process.
  ["waits", -600_000],
] as const)(
  "an invocation whose end the table has deleted before its acceptance does not run again: %s, %i ms after the expiry",
  async (handler, ahead) => {
    const { stage, actor, invocationId, attempts } = await withoutEnd(handler, ahead);
    const { engine } = actor;
    expect(await stage.pulse.within(5_000, attach(engine, invocationId))).toMatchObject({ kind: "unknown" });
    expect(await stage.pulse.within(5_000, output(engine, invocationId))).toMatchObject({ kind: "unknown" });
    expect(await inspect(engine, invocationId)).toBeUndefined();
    await stage.pulse.during(deliverSignal(engine, invocationId, "s17", { index: 17 }, value("late")));
    await stage.pulse.within(5_000, sweepAll(engine));
    await stage.pulse.during(sweep(engine, stage.pulse.nowMs() - 30 * DAY_MS));
    const entry = (await itemsOf(stage, invocationId)).find(({ sk }) => sk === "seg#000000")!;
    await noteUnread(engine, entry);
    await pauseUnread(engine, invocationId, "a test");
    await stage.pulse.pass(10 * LEASE_MS);
    expect(stage.deployment.attempts).toHaveLength(attempts);
    const again = await stage.pulse.within(5_000, callOn(actor, "quick", "b", { ...KEY }));
    expect(textOf(again)).toBe("for b");
  },
);

test("a repeated key runs with its own input although the table has deleted the end of the former life first", async () => {
  const { stage, actor, invocationId, attempts } = await withoutEnd("quick", 1_000);
  const again = await stage.pulse.within(5_000, callOn(actor, "quick", "b", KEY));
  expect([again.invocationId, textOf(again)]).toEqual([invocationId, "for b"]);
  expect(stage.deployment.attempts).toHaveLength(attempts + 1);
});

test("an ended invocation whose arrivals the table has deleted first leaves its key free", async () => {
  const stage = await open({ waits: async (ctx) => `heard ${await ctx.get(ctx.awakeable().result)}` }, retention);
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "waits", "a", KEY);
  await stage.pulse.pass(LEASE_MS);
  await stage.pulse.during(deliverSignal(actor.engine, invocationId, "s17", { index: 17 }, value("it")));
  await stage.pulse.pass(LEASE_MS);
  await stage.pulse.within(2 * LEASE_MS, actor.stopWorker());
  await stage.pulse.pass(60 * DAY_MS);
  await deleteSome(stage, invocationId, ({ sk }) => sk.startsWith("arr#"));
  expect(await stage.pulse.within(5_000, attach(actor.engine, invocationId))).toMatchObject({ kind: "unknown" });
  expect(await sendOn(actor, "waits", "b", KEY)).toMatchObject({ invocationId, status: "accepted" });
});

test.each(["a repeated key", "a pass of the sweeper"] as const)(
  "an open invocation that waits outlives a sweeper that has rested for longer than its items live; first comes %s",
  async (first) => {
    const stage = await open({ waits: async (ctx) => `heard ${await ctx.get(ctx.awakeable().result)}` }, retention);
    const actor = stage.actor();
    actor.startWorker();
    const { invocationId } = await sendOn(actor, "waits", "a", KEY);
    await stage.pulse.pass(LEASE_MS);
    await stage.pulse.within(2 * LEASE_MS, actor.stopWorker());
    await stage.pulse.pass(20 * DAY_MS);
    actor.startWorker();
    if (first === "a repeated key") expect(await sendOn(actor, "waits", "b", KEY)).toMatchObject({ invocationId });
    await stage.pulse.during(sweep(actor.engine, stage.pulse.nowMs()));
    await stage.pulse.during(deliverSignal(actor.engine, invocationId, "s17", { index: 17 }, value("it")));
    const ended = await stage.pulse.within(5_000, attach(actor.engine, invocationId));
    expect(ended.kind === "ended" && textOf(ended)).toBe("heard it");
    expect(stage.deployment.attempts.map(({ input }) => input)).not.toContain("b");
  },
);

test("an accepted send that no sweeper has looked at for two weeks is still open", async () => {
  const stage = await open({ quick: (ctx) => `for ${ctx.input}` }, { ...retention, idempotencyRetentionMs: 0 });
  const { invocationId } = await sendOn(stage.actor(), "quick", "a");
  await stage.wipeHints();
  await stage.pulse.pass(14 * DAY_MS);
  const next = stage.actor();
  next.startWorker();
  await stage.pulse.during(sweep(next.engine, stage.pulse.nowMs() - 15 * DAY_MS));
  await stage.pulse.pass(LEASE_MS);
  expect(stage.deployment.of("quick")).toHaveLength(1);
  expect(await itemsOf(stage, invocationId)).not.toEqual([]);
});

test.each(["while the driver works", "while the end is being written"] as const)(
  "an end expires no earlier than its acceptance although a sweeper extends the invocation %s",
  async (when) => {
    const stage = await open(
      { naps: async (ctx) => (await ctx.get(ctx.sleep(Number(ctx.input))), "awake") },
      retention,
    );
    const [driver, sweeper] = [stage.actor(), stage.actor()];
    driver.startWorker();
    const { invocationId } = await sendOn(driver, "naps", String(stage.pulse.nowMs() + 1.2 * DAY_MS));
    await stage.pulse.pass(LEASE_MS);
    let extended = 0;
    driver.process.before = ({ port, method, args }) => {
      const [item] = args as [Item];
      if (port !== "table" || method !== "put" || item["end"] !== true || extended++ > 0) return undefined;
      return sweep(sweeper.engine, stage.pulse.nowMs()).then(() => undefined);
    };
    if (when === "while the end is being written") {
      // The extension has read the pages, and the end comes before its last writes.
      driver.process.before = undefined;
      sweeper.process.before = ({ method, args: [key] }) =>
        method === "update" && (key as Item).sk === "seg#000000"
          ? stage.pulse.sleep(5_000).then(() => undefined)
          : undefined;
    }
    await stage.pulse.pass(1.2 * DAY_MS - 2 * LEASE_MS);
    if (when === "while the end is being written") {
      await stage.pulse.pass(LEASE_MS - 1_000);
      void sweep(sweeper.engine, stage.pulse.nowMs());
    }
    await stage.pulse.pass(3 * LEASE_MS);
    const items = await itemsOf(stage, invocationId);
    const [acceptance, end] = [items.find(({ sk }) => sk === "seg#000000")!, items.find(isEnd)!];
    expect(Number(acceptance["expiresAtS"]) - stage.pulse.nowMs() / 1000).toBeGreaterThan(29 * 86_400);
    expect(end["expiresAtS"]).toBeGreaterThanOrEqual(Number(acceptance["expiresAtS"]));
  },
);

test("an item that a driver writes without a look at the lease record outlives the extension that the driver has not read", () => {
  const nowMs = 100 * DAY_MS;
  const settings = { ownership: { kind: "sole", tokenPrefix: "p", acceptanceWaitMs: 25 } } as const;
  const acceptance = { completionRetentionMs: 0, createdAtMs: nowMs - 2 * DAY_MS };
  const extendedS = extendedUntilS(settings, nowMs);
  expect(keepUntilS(settings, acceptance, nowMs)).toBeGreaterThan(extendedS);
  expect(keepUntilS(settings, { ...acceptance, createdAtMs: nowMs }, nowMs)).toBe(openUntilS(settings, nowMs));
});
