import { expect, test } from "vitest";
import { INDEX_FACTS } from "../../shared/config/table-facts.ts";
import type { Acceptance } from "../../shared/core/invocation/acceptance.ts";
import { nonceFromBytes } from "../../shared/core/model/ids.ts";
import type { Segment } from "../../shared/core/invocation/segment.ts";
import { acceptanceItem, NO_LEASE } from "../../shared/engine/acceptance-record.ts";
import type { Engine } from "../../shared/engine/engine.ts";
import { type InvocationFilter, listInvocations, OPEN_STATUSES } from "../../shared/engine/list-invocations.ts";
import { freshId } from "../../shared/engine/invocation-ids.ts";
import { invocationPk } from "../../shared/engine/item-keys.ts";
import type { Item, Table } from "../../shared/engine/ports/table.ts";
import { segmentItem } from "../../shared/engine/segment-record.ts";
import { type Actor, sendOn, type Stage } from "./engine-fixture.ts";
import { AttemptFails, type Handler } from "./script-context.ts";
import { stages } from "./stages.ts";
import { MemoryTable } from "../simulation/memory-table.ts";
import { ReadMeter } from "./read-meter.ts";

const open = stages();
const HOUR_MS = 3_600_000;
const FAR_MS = 4_000_000_000_000;
const naps: Handler = async (ctx) => {
  await ctx.get(ctx.sleep(FAR_MS));
  return "slept";
};
const stumbles: Handler = () => {
  throw new Error("never well");
};
const pauses: Handler = () => {
  throw new AttemptFails("hold it", { behavior: 1 });
};
const runs: Handler = () => new Promise(() => {});
const greets: Handler = () => "hello";

async function stageWithOpen(each: number): Promise<{ stage: Stage; actor: Actor; sent: string[] }> {
  const stage = await open(
    { naps, stumbles, pauses, runs, greets },
    { retry: { initialIntervalMs: 20 * HOUR_MS, maxIntervalMs: 20 * HOUR_MS } },
  );
  const actor = stage.actor();
  actor.startWorker();
  const sent: string[] = [];
  for (let i = 0; i < each; i++)
    for (const handler of ["naps", "stumbles", "pauses", "runs"])
      sent.push((await sendOn(actor, handler)).invocationId);
  await stage.pulse.settle();
  return { stage, actor, sent };
}

/** In memory, where a hundred thousand more are written in no time. */
async function copied(from: Table, ids: readonly string[]): Promise<Table> {
  const table = new MemoryTable();
  for (const id of ids) for (const item of (await from.query(invocationPk("", id))).items) await table.put(item);
  return table;
}

/** Accepted one after the other within `spanMs`, the last now, and ended at once. */
async function complete(table: Table, engine: Engine, count: number, spanMs: number): Promise<void> {
  const nowMs = engine.clock.nowMs();
  const writes: Item[] = [];
  for (let i = 0; i < count; i++) {
    const createdAtMs = Math.floor(nowMs - (spanMs * (count - 1 - i)) / count);
    const acceptance: Acceptance = {
      id: freshId(engine),
      nonce: nonceFromBytes(engine.ids.random(8)),
      target: { service: "S", handler: "greets" },
      serviceType: "service",
      handlerType: "service",
      input: new Uint8Array(100),
      headers: [],
      source: { kind: "ingress" },
      createdAtMs,
      completionRetentionMs: 24 * HOUR_MS,
      journalRetentionMs: 24 * HOUR_MS,
    };
    const { id, nonce } = acceptance;
    const ended: Segment = {
      index: 1,
      writtenAtMs: createdAtMs,
      taken: [],
      entries: [],
      after: {
        kind: "completed",
        result: { kind: "success", value: new Uint8Array(1) },
        tombstone: false,
        killed: false,
      },
      retries: { policyAttempts: 0, sinceEntry: 0 },
    };
    const place = { pk: invocationPk("", id), nonce, lease: NO_LEASE, consumedUnits: 1, expiresAtS: 1e10 };
    writes.push(acceptanceItem("", acceptance, NO_LEASE, 1e10));
    // Nobody looks into older ones, which the tests would only wait for.
    if (i >= count - 1000) writes.push(segmentItem(place, ended));
  }
  for (let at = 0; at < writes.length; at += 5_000)
    await Promise.all(writes.slice(at, at + 5_000).map((item) => table.put(item)));
}

test("beside 100,000 completed the first page of each filter costs three rounds and fifty read units at most", async () => {
  const { stage, actor, sent } = await stageWithOpen(12);
  // Renews the leases of what runs, which puts it into the open index.
  await stage.pulse.pass(60_000);
  const table = await copied(stage.stores.table, sent);
  await complete(table, actor.engine, 100_000, HOUR_MS);
  const filters: [string, InvocationFilter, number][] = [
    ["everything", {}, 100],
    ["completed", { statuses: ["completed"] }, 100],
    ["open", { statuses: OPEN_STATUSES }, 48],
    ["running", { statuses: ["running"] }, 12],
    ["backing off", { statuses: ["backing-off"] }, 12],
    ["suspended", { statuses: ["suspended"] }, 12],
    ["paused", { statuses: ["paused"] }, 12],
    ["of a handler that ended often", { handlers: ["greets"] }, 100],
    ["of a handler among the open", { statuses: OPEN_STATUSES, handlers: ["naps"] }, 12],
    ["of a service", { services: ["S"] }, 100],
    [
      "of a deployment",
      { statuses: OPEN_STATUSES, deployments: [idOfOnly(await actor.engine.registry.deployments())] },
      12,
    ],
    ["of nobody", { services: ["T"] }, 0],
  ];
  const shown = Object.fromEntries(INDEX_FACTS.map(({ name, shown: names }) => [name, names]));
  for (const [name, filter, count] of filters) {
    const meter = new ReadMeter(table, shown);
    const { invocations } = await listInvocations({ ...actor.engine, table: meter }, filter, 100);
    const cost = `${name}: ${meter.rounds} rounds, ${meter.indexQueries} index queries, ${meter.loads} loads, ${meter.units} units`;
    expect(invocations.length, cost).toBe(count);
    expect(meter.rounds, cost).toBeLessThanOrEqual(3);
    expect(meter.units, cost).toBeLessThanOrEqual(50);
  }
}, 120_000);

function idOfOnly(deployments: readonly { readonly id: string }[]): string {
  return deployments[0]!.id;
}

test("pages follow each other without a gap or a repetition, whatever is open or ended between them", async () => {
  const { stage, actor } = await stageWithOpen(3);
  await complete(stage.stores.table, actor.engine, 300, 50 * HOUR_MS);
  await sendOn(actor, "naps");
  await stage.pulse.settle();
  const seen: string[] = [];
  let after: Awaited<ReturnType<typeof listInvocations>>["next"];
  do {
    const page = await listInvocations(actor.engine, {}, 17, after);
    seen.push(...page.invocations.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);
  expect(seen).toHaveLength(313);
  expect(new Set(seen).size).toBe(313);
});

test("what waits in the queue for its first driver is not told to have ended", async () => {
  const stage = await open({ greets });
  const actor = stage.actor();
  for (let i = 0; i < 20; i++) await sendOn(actor, "greets");
  // Long after every lease, and the worker has not begun.
  await stage.pulse.pass(HOUR_MS);
  const first = await listInvocations(actor.engine, {}, 100);
  expect(first.next, "a page ends where it can look no further").toBeDefined();
  const second = await listInvocations(actor.engine, {}, 100, first.next);
  const statuses = [...first.invocations, ...second.invocations].map(({ status }) => status);
  expect(statuses).toEqual(Array.from({ length: 20 }, () => "ready"));
});

test("what has ended cannot be listed by its deployment, and the refusal says what can", async () => {
  const { actor } = await stageWithOpen(0);
  await expect(listInvocations(actor.engine, { deployments: ["dp_x"] }, 10)).rejects.toThrow("status=open");
});
