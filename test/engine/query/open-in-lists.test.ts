/** Lists and statements never show an open invocation as completed, and report when they do not show everything. */
import { expect, test } from "vitest";
import { SqlEngine } from "../../../shared/adapters/sql/sql-engine.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { placeAt, sweeperPk } from "../../../shared/engine/store/item-keys.ts";
import { STATEMENT_LIMITS } from "../../../shared/engine/query/listing-budget.ts";
import { listInvocations, OPEN_STATUSES } from "../../../shared/engine/query/list-invocations.ts";
import { query } from "../../../shared/engine/query/query-tables.ts";
import { runSweeper, sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { complete } from "../../harness/engine/ended-invocations.ts";
import { type Actor, callOn, LEASE_MS, sendOn, type Stage } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";
import { rowsOf } from "../../harness/engine/statements.ts";
import { plantListed, plantOpen } from "../../harness/engine/planted.ts";
import type { ListingRange } from "../../../shared/engine/query/listing-stream.ts";
import type { Narrowing } from "../../../shared/core/query/narrowing.ts";
import { narrowed } from "../../harness/engine/narrowed.ts";

const open = stages();
const MINUTE_MS = 60_000;
const OPEN: Narrowing = narrowed({ status: OPEN_STATUSES });
const EVERY_OPEN = "select id, status from sys_invocation where status != 'completed' order by created_at";

/** Makes a send that no worker takes, and then twelve calls, which end. */
async function oneStuck(): Promise<{ stage: Stage; actor: Actor; stuck: InvocationId }> {
  const stage = await open({ greet: () => "hello" });
  const actor = stage.actor();
  const { invocationId: stuck } = await sendOn(actor, "greet");
  for (let i = 0; i < 12; i++) await stage.pulse.within(1_000, callOn(actor, "greet"));
  await stage.pulse.pass(LEASE_MS + 4_000);
  return { stage, actor, stuck };
}

async function statusesOf({ engine }: Actor, filter: Narrowing = new Map()): Promise<Record<string, string>> {
  const { invocations } = await listInvocations(engine, filter, { limit: 100 });
  return Object.fromEntries(invocations.map(({ id, status }) => [id, status]));
}

async function expectTold(actor: Actor, stuck: InvocationId): Promise<void> {
  expect((await statusesOf(actor))[stuck]).toBe("ready");
  expect(await statusesOf(actor, OPEN)).toEqual({ [stuck]: "ready" });
  expect(await statusesOf(actor, narrowed({ status: ["ready"], target_service_name: ["S"] }))).toEqual({
    [stuck]: "ready",
  });
  expect(Object.keys(await statusesOf(actor, narrowed({ status: ["completed"] })))).toHaveLength(12);
  expect(await rowsOf(actor, EVERY_OPEN)).toEqual([{ id: stuck, status: "ready" }]);
  const counts = "select status, count(*) as c from sys_invocation group by status order by status";
  expect(await rowsOf(actor, counts)).toEqual([
    { status: "completed", c: 12 },
    { status: "ready", c: 1 },
  ]);
}

test("lists show an invocation without a first driver as ready, however many others have ended since", async () => {
  const { actor, stuck } = await oneStuck();
  await expectTold(actor, stuck);
});

test("lists show an invocation without a first driver as ready after each pass of the sweeper too", async () => {
  const { stage, actor, stuck } = await oneStuck();
  for (let passes = 0; passes < 3; passes++) {
    await stage.pulse.pass(5 * MINUTE_MS);
    await stage.pulse.within(1_000, sweepOnce(actor.engine));
    await expectTold(stage.actor(), stuck);
  }
});

test("a process that sweeps its own table lists an invocation without a driver as open after each restart", async () => {
  const stage = await open({ greet: () => "hello" });
  const { invocationId: stuck } = await sendOn(stage.actor(), "greet");
  await stage.pulse.pass(30 * MINUTE_MS);
  for (let restarts = 0; restarts < 2; restarts++) {
    const actor = stage.actor({ soleOwner: true });
    void runSweeper(actor.engine, new AbortController().signal);
    for (let i = 0; i < 12; i++) await stage.pulse.within(1_000, callOn(actor, "greet"));
    for (let minutes = 0; minutes < 8; minutes++) {
      await stage.pulse.pass(MINUTE_MS);
      expect(await statusesOf(actor, OPEN)).toEqual({ [stuck]: "ready" });
      expect((await statusesOf(actor))[stuck]).toBe("ready");
    }
    actor.die();
    await stage.pulse.pass(2 * 60 * MINUTE_MS);
  }
});

test("lists look at an entry that the sweeper could not read, and do not show it as completed", async () => {
  const { stage, actor, stuck } = await oneStuck();
  await stage.pulse.pass(6 * MINUTE_MS);
  const sick = stage.actor();
  sick.process.before = ({ port, method, args }) =>
    port === "table" && method === "query" && String(args[0]).endsWith(stuck)
      ? Promise.reject(new Error("it cannot be read"))
      : undefined;
  await stage.pulse.within(10_000, sweepOnce(sick.engine));
  await expectTold(actor, stuck);
});

const MANY = 900;

/**
 * Writes young invocations, which the sweeper has not reached yet: completed ones, and open ones that no index shows as open.
 * Also writes parked ones that are a day old.
 */
async function manyYoung(indexShards: number) {
  const stage = await open({ greet: () => "hello" }, { indexShards });
  const actor = stage.actor();
  const { engine } = actor;
  const nowMs = engine.clock.nowMs();
  await stage.stores.table.put({ pk: sweeperPk(""), sk: "listed", listedFrom: placeAt(nowMs - 10 * MINUTE_MS) });
  const moments = Array.from({ length: 40 }, (_, i) => nowMs - 1_000 - Math.floor(i / 2) * 25_000);
  const waiting = await plantListed(stage.stores.table, engine, moments);
  const parked = await plantOpen(
    stage.stores.table,
    engine,
    Array.from({ length: 30 }, () => ({ status: "suspended" as const, lookAtMs: nowMs + 60 * MINUTE_MS })),
  );
  await complete(stage.stores.table, engine, MANY, 10 * MINUTE_MS);
  return { stage, actor, waiting, parked };
}

async function pagesOf(
  engine: Engine,
  filter: Narrowing,
  limit: number,
  order?: ListingRange["order"],
): Promise<string[][]> {
  const pages: string[][] = [];
  let after: Awaited<ReturnType<typeof listInvocations>>["next"];
  do {
    const page = await listInvocations(engine, filter, { limit, after, order });
    pages.push(page.invocations.map(({ id }) => id));
    after = page.next;
    if (pages.length > 1_000) throw new Error("the pages have no end");
  } while (after !== undefined);
  return pages;
}

test("before the first pass of a sweeper, the list of open invocations ends after at most two empty pages", async () => {
  const { actor, stuck } = await oneStuck();
  const pages = await pagesOf(actor.engine, OPEN, 1);
  expect(pages.flat()).toEqual([stuck]);
  expect(pages.length).toBeLessThanOrEqual(3);
});

test.each([
  [1, 100],
  [1, 7],
  [3, 33],
])(
  "over %i shards the pages of %i show each open invocation once, although no page can look at all young ones",
  async (indexShards, limit) => {
    const { actor, waiting, parked } = await manyYoung(indexShards);
    const pages = await pagesOf(actor.engine, OPEN, limit);
    const all = pages.flat();
    expect(new Set(all)).toEqual(new Set([...waiting, ...parked]));
    expect(all).toHaveLength(waiting.length + parked.length);
    expect(pages.every((page) => page.length <= limit)).toBe(true);
  },
  60_000,
);

test.each([
  [1, 100],
  [3, 7],
])(
  "over %i shards the pages of %i with the oldest first show each open invocation once, in the order of acceptance",
  async (indexShards, limit) => {
    const { actor, waiting, parked } = await manyYoung(indexShards);
    const everyOpen = await rowsOf(actor, "select id, created_at from sys_invocation where status != 'completed'");
    const acceptedAt = new Map(everyOpen.map(({ id, created_at }) => [id as string, Date.parse(created_at as string)]));
    const pages = await pagesOf(actor.engine, OPEN, limit, "oldest-first");
    const all = pages.flat();
    expect(new Set(all)).toEqual(new Set([...waiting, ...parked]));
    expect(all).toHaveLength(waiting.length + parked.length);
    const moments = all.map((id) => acceptedAt.get(id)!);
    expect(moments).toEqual(moments.toSorted((a, b) => a - b));
    expect(pages.every((page) => page.length <= limit)).toBe(true);
    const oldParked = narrowed({ status: ["suspended"], target_service_name: ["S"] });
    expect(new Set((await pagesOf(actor.engine, oldParked, limit, "oldest-first")).flat())).toEqual(new Set(parked));
  },
  60_000,
);

test("only open invocations are listed with the oldest first", async () => {
  const { actor } = await oneStuck();
  const ended = listInvocations(actor.engine, new Map(), { limit: 10, order: "oldest-first" });
  await expect(ended).rejects.toThrow("add status=open");
});

test("the first page shows the entries of the open index, although it cannot look at all young invocations", async () => {
  const { actor, parked } = await manyYoung(1);
  const first = await listInvocations(actor.engine, OPEN, { limit: 100 });
  const shown = new Set<string>(first.invocations.map(({ id }) => id));
  expect(parked.filter((id) => !shown.has(id))).toEqual([]);
  expect(first.next, "there is more, and the page says so").toBeDefined();
});

test("a statement that would look at too many invocations is refused, and the one that the refusal suggests is answered", async () => {
  const { actor, waiting, parked } = await manyYoung(1);
  const { engine } = actor;
  const sql = new SqlEngine(() => engine.clock.nowMs());
  const limits = { ...STATEMENT_LIMITS, looksMax: 300 };
  const ids = async (statement: string) =>
    (await query(engine, sql, statement, { limits })).rows.map(([id]) => id as string);
  const where = "select id from sys_invocation where status != 'completed'";
  await expect(ids(where)).rejects.toThrow(/more than 300 invocations.*created_at </);
  await expect(ids("select count(*) from sys_invocation")).rejects.toThrow(/more than 300 invocations/);
  const since = new Date(engine.clock.nowMs() - 10 * MINUTE_MS).toISOString();
  expect(new Set(await ids(`${where} and created_at < '${since}'`))).toEqual(new Set(parked));
  expect(await ids(`${where} order by created_at desc limit 2`)).toEqual(waiting.slice(0, 2).toSorted());
  expect(new Set(await ids("select id from sys_invocation where status = 'suspended'"))).toEqual(new Set(parked));
  const unbounded = await query(engine, sql, where);
  expect(unbounded.rows).toHaveLength(waiting.length + parked.length);
});

/** Writes 2,500 parked invocations (a page reads at most 2,000) and 200 completed ones, some too young for the sweeper's pass. */
async function beside() {
  const stage = await open({ greet: () => "hello" });
  const actor = stage.actor();
  const { engine } = actor;
  const { table } = stage.stores;
  const lookAtMs = engine.clock.nowMs() + 60 * MINUTE_MS;
  const rows = Array.from({ length: 2_500 }, () => ({ status: "backing-off" as const, lookAtMs }));
  const parked = new Set<string>(await plantOpen(table, engine, rows));
  await complete(table, engine, 200, 10 * MINUTE_MS);
  await sweepOnce(engine);
  return { actor, parked };
}

/** @returns the sum of the limits of all reads of the open index that the process makes during the work */
async function readOfOpen({ process }: Actor, work: () => Promise<void>): Promise<number> {
  const before = process.calls.length;
  await work();
  const reads = process.calls.slice(before).filter(({ method, args }) => method === "queryIndex" && args[0] === "open");
  return reads.reduce((sum, { args }) => sum + Number((args[2] as { limit: number }).limit), 0);
}

test("if thousands of invocations are parked, a page reads only a part of them, and shows the right status in each row", async () => {
  const { actor, parked } = await beside();
  const { engine } = actor;
  const shown = new Map<string, string>();
  const read = await readOfOpen(actor, async () => {
    const { invocations } = await listInvocations(engine, new Map(), { limit: 300 });
    for (const { id, status } of invocations) shown.set(id, status);
  });
  expect(read).toBeLessThanOrEqual(2_000);
  expect([shown.size > 200, new Set(shown.values())]).toEqual([true, new Set(["completed", "backing-off"])]);
  const all = await pagesOf(engine, narrowed({ status: ["completed"] }), 100);
  expect(all.flat()).toHaveLength(200);
  for (const [id, status] of shown) expect(status).toBe(parked.has(id) ? "backing-off" : "completed");
});

test("if thousands of invocations are parked, a statement for few rows reads only a part of them, a statement for all rows reads all of them, and both show the right status in each row", async () => {
  const { actor, parked } = await beside();
  const shown = async (statement: string) => {
    const rows = await rowsOf(actor, statement);
    for (const { id, status } of rows) expect(status).toBe(parked.has(id as string) ? "backing-off" : "completed");
    return rows.length;
  };
  const all = "select id, status from sys_invocation";
  for (const few of [
    `${all} limit 50`,
    `${all} order by created_at desc limit 50`,
    `${all} order by created_at limit 50`,
  ])
    expect(await readOfOpen(actor, async () => expect(await shown(few)).toBe(50))).toBeLessThanOrEqual(2_000);
  expect(await readOfOpen(actor, async () => expect(await shown(all)).toBe(2_700))).toBeGreaterThan(2_500);
});
