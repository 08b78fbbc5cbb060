/** Lists of invocations: their costs beside many completed ones, their pages, and what they never show. */
import { expect, test } from "vitest";
import { INDEX_FACTS } from "../../../shared/config/table-facts.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { listInvocations, OPEN_STATUSES } from "../../../shared/engine/query/list-invocations.ts";
import { idOf, openItems } from "../../../shared/engine/store/index-walk.ts";
import { dropJournal } from "../../../shared/engine/operate/drop-journal.ts";
import { load } from "../../../shared/engine/store/load.ts";
import { invocationPk, placeAt, sweeperPk } from "../../../shared/engine/store/item-keys.ts";
import type { Table } from "../../../shared/engine/ports/table.ts";
import { type Actor, sendOn, type Stage } from "../../harness/engine/engine-fixture.ts";
import { complete } from "../../harness/engine/ended-invocations.ts";
import { AttemptFails, type Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";
import { MemoryTable } from "../../simulation/memory-table.ts";
import { ReadMeter } from "../../harness/engine/read-meter.ts";
import type { Narrowing } from "../../../shared/core/query/narrowing.ts";
import { narrowed } from "../../harness/engine/narrowed.ts";

const open = stages();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
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

async function stageWithOpen(
  each: number,
  settings: Parameters<typeof open>[1] = {},
): Promise<{ stage: Stage; actor: Actor; sent: string[] }> {
  const stage = await open(
    { naps, stumbles, pauses, runs, greets },
    { retry: { initialIntervalMs: 20 * HOUR_MS, maxIntervalMs: 20 * HOUR_MS }, ...settings },
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

/** Copies into memory, where a hundred thousand more invocations are written fast. */
async function copied(from: Table, ids: readonly string[]): Promise<Table> {
  const table = new MemoryTable();
  for (const id of ids) for (const item of (await from.query(invocationPk("", id))).items) await table.put(item);
  return table;
}

/** Writes open invocations and a hundred thousand completed ones into memory. The newest completed one was accepted just now. */
async function besideManyEnded() {
  const { stage, actor, sent } = await stageWithOpen(12);
  // The renewal of a lease puts a running invocation into the open index.
  await stage.pulse.pass(60_000);
  // These two run under their first lease, so no index shows them as open.
  const fresh = [await sendOn(actor, "runs"), await sendOn(actor, "runs")].map(({ invocationId }) => invocationId);
  await stage.pulse.settle();
  const table = await copied(stage.stores.table, [...sent, ...fresh]);
  await complete(table, actor.engine, 100_000, HOUR_MS);
  return { actor, table };
}

/** Writes the progress of a sweeper that is `behindMs` behind the clock. */
async function sweptUntil(table: Table, { clock }: Engine, behindMs: number): Promise<void> {
  const listedFrom = placeAt(clock.nowMs() - behindMs);
  await table.put({ pk: sweeperPk(""), sk: "listed", listedFrom });
}

test("beside 100,000 completed invocations, the first page of each filter costs at most three index queries, and a bounded number of read units", async () => {
  const { actor, table } = await besideManyEnded();
  const deployments = (await actor.engine.registry.deployments()).map(({ id }) => id);
  // The last number bounds the read units of a page. The last pass of the sweeper was six minutes ago, so a page must
  // look at all invocations that were accepted since.
  const filters: [string, Narrowing, number, number][] = [
    ["everything", new Map(), 100, 100],
    ["completed", narrowed({ status: ["completed"] }), 100, 100],
    ["open", narrowed({ status: OPEN_STATUSES }), 50, 435],
    ["running", narrowed({ status: ["running"] }), 14, 435],
    ["backing off", narrowed({ status: ["backing-off"] }), 12, 3],
    ["suspended", narrowed({ status: ["suspended"] }), 12, 3],
    ["paused", narrowed({ status: ["paused"] }), 12, 3],
    ["of a handler that ended often", narrowed({ target_handler_name: ["greets"] }), 100, 100],
    ["of a handler among the open", narrowed({ status: OPEN_STATUSES, target_handler_name: ["naps"] }), 12, 40],
    ["of a service", narrowed({ target_service_name: ["S"] }), 100, 100],
    ["of a deployment", narrowed({ status: OPEN_STATUSES, pinned_deployment_id: deployments }), 12, 450],
    ["running on a deployment", narrowed({ status: ["running"], pinned_deployment_id: deployments }), 0, 450],
    ["of a service without invocations", narrowed({ target_service_name: ["T"] }), 0, 20],
  ];
  await sweptUntil(table, actor.engine, 6 * MINUTE_MS);
  const told = [];
  const shown = Object.fromEntries(INDEX_FACTS.map(({ name, shown: names }) => [name, names]));
  const costOf = async (filter: Narrowing) => {
    const meter = new ReadMeter(table, shown);
    const { invocations } = await listInvocations({ ...actor.engine, table: meter }, filter, { limit: 100 });
    const { indexQueries, queries, gets, units } = meter;
    return { shown: invocations.length, indexQueries, looks: queries - indexQueries, gets, units };
  };
  for (const [name, filter, count, unitsMax] of filters) {
    const cost = await costOf(filter);
    told.push({ filter: name, ...cost });
    expect.soft(cost.shown, name).toBe(count);
    expect.soft(cost.indexQueries, name).toBeLessThanOrEqual(3);
    expect.soft(cost.units, name).toBeLessThanOrEqual(unitsMax);
  }
  // Here no invocation is younger than the sweeper's progress.
  await sweptUntil(table, actor.engine, -1);
  for (const [name, filter, count] of [filters[0]!, filters[2]!, filters[9]!]) {
    const cost = await costOf(filter);
    told.push({ filter: `${name}, none of them young`, ...cost });
    expect.soft(cost.shown, name).toBe(name === "open" ? count - 2 : count);
    expect.soft(cost.units, name).toBeLessThanOrEqual(14);
  }
  console.table(told);
});

test.each([1, 3])("pages over %i shards follow each other without a gap or a repetition", async (indexShards) => {
  const { stage, actor } = await stageWithOpen(3, { indexShards });
  await complete(stage.stores.table, actor.engine, 300, 50 * HOUR_MS);
  await sendOn(actor, "naps");
  await stage.pulse.settle();
  const seen: string[] = [];
  let after: Awaited<ReturnType<typeof listInvocations>>["next"];
  do {
    const page = await listInvocations(actor.engine, new Map(), { limit: 17, after });
    seen.push(...page.invocations.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);
  expect(seen).toHaveLength(313);
  expect(new Set(seen).size).toBe(313);
});

test("an invocation that waits in the queue for its first driver is not listed as completed", async () => {
  const stage = await open({ greets });
  const actor = stage.actor();
  for (let i = 0; i < 20; i++) await sendOn(actor, "greets");
  // All leases are over, and no worker has begun.
  await stage.pulse.pass(HOUR_MS);
  const first = await listInvocations(actor.engine, new Map(), { limit: 100 });
  expect(first.next, "a page ends where it can look no further").toBeDefined();
  const second = await listInvocations(actor.engine, new Map(), { limit: 100, after: first.next });
  const statuses = [...first.invocations, ...second.invocations].map(({ status }) => status);
  expect(statuses).toEqual(Array.from({ length: 20 }, () => "ready"));
});

test("a completed invocation is listed as completed, even after its journal was dropped", async () => {
  const { stage, actor } = await stageWithOpen(0);
  const { invocationId } = await sendOn(actor, "greets");
  await stage.pulse.settle();
  const loaded = await load(actor.engine, invocationId);
  expect(await dropJournal(actor.engine, loaded!)).toBe(true);
  const { invocations } = await listInvocations(actor.engine, new Map(), { limit: 10 });
  expect(invocations.map(({ status }) => status)).toEqual(["completed"]);
});

test("the sweeper walks shards that the setting no longer includes", async () => {
  const { stage, actor, sent } = await stageWithOpen(2, { indexShards: 8 });
  await stage.pulse.pass(60_000);
  const found: string[] = [];
  const fewer: Engine = { ...actor.engine, settings: { ...actor.engine.settings, indexShards: 1 } };
  for await (const item of openItems(fewer)) found.push(idOf(item));
  expect(found.sort()).toEqual(sent.sort());
});

test("a list by deployment that includes completed invocations is refused, and the refusal names a remedy", async () => {
  const { actor } = await stageWithOpen(0);
  await expect(
    listInvocations(actor.engine, narrowed({ pinned_deployment_id: ["dp_x"] }), { limit: 10 }),
  ).rejects.toThrow("status=open");
});
