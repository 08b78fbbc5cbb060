/** SQL over keys: waiting invocations, holders and state. */
import { expect, test } from "vitest";
import { SqlEngine } from "../../../shared/adapters/sql/sql-engine.ts";
import { editState } from "../../../shared/engine/operate/edit-state.ts";
import { STATEMENT_LIMITS } from "../../../shared/engine/query/listing-budget.ts";
import { query } from "../../../shared/engine/query/query-tables.ts";
import { Gate } from "../../harness/engine/gate.ts";
import {
  addCount,
  callKeyed,
  getCount,
  keyed,
  objectOf,
  sendKeyed,
  workflowOf,
} from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";
import { rowsOf } from "../../harness/engine/statements.ts";

const open = stages();
const services = [objectOf(["add", "slow"], ["get"]), workflowOf()];
const OF_KEY = "where service_name = 'O' and service_key = 'k'";

/** One invocation holds the key, two wait for it, and a shared handler runs at the same time. */
async function crowded() {
  const gate = new Gate();
  const stage = await open(
    {
      add: addCount,
      slow: async (ctx) => (await gate.passed, addCount(ctx)),
      get: async (ctx) => (await gate.passed, getCount(ctx)),
      run: async () => (await gate.passed, "run"),
    },
    { services },
  );
  const actor = stage.actor();
  actor.startWorker();
  const ids: string[] = [];
  for (const handler of ["slow", "add", "add", "get"]) {
    ids.push((await stage.pulse.within(0, sendKeyed(actor, keyed("O", "k", handler, "1")))).invocationId);
    await stage.pulse.settle();
  }
  return { stage, actor, gate, ids };
}

test("the invocations that wait for a key are listed in the order of their tickets", async () => {
  const { stage, actor, gate, ids } = await crowded();
  const select = `select id, sequence_number as n from sys_inbox ${OF_KEY} order by n`;
  expect(await rowsOf(actor, select)).toEqual([
    { id: ids[1], n: 1 },
    { id: ids[2], n: 2 },
  ]);
  const everywhere = await rowsOf(actor, "select id, service_key as k from sys_inbox");
  expect(new Set(everywhere.map(({ id, k }) => `${String(id)} ${String(k)}`))).toEqual(
    new Set([`${ids[1]} k`, `${ids[2]} k`]),
  );
  gate.open();
  await stage.pulse.settle();
  expect(await rowsOf(actor, select)).toEqual([]);
});

test("the holder of a named key comes from its lock; if the query names no key, holders come from the open invocations", async () => {
  const { stage, actor, gate, ids } = await crowded();
  const select = `select invocation_id from sys_keyed_service_status ${OF_KEY}`;
  expect(await rowsOf(actor, select)).toEqual([{ invocation_id: ids[0] }]);
  const held = await rowsOf(actor, "select service_key, invocation_id from sys_keyed_service_status");
  expect(held).toEqual([{ service_key: "k", invocation_id: ids[0] }]);
  const locks = await rowsOf(actor, "select acquired_by, acquired_at from sys_locks where lock_name = 'O/k'");
  expect(locks).toEqual([{ acquired_by: ids[0], acquired_at: expect.any(Number) }]);
  expect(await rowsOf(actor, "select acquired_by from sys_locks where lock_name = 'O/other'")).toEqual([]);
  gate.open();
  await stage.pulse.settle();
  expect(await rowsOf(actor, select)).toEqual([]);
});

test("an edit of state that waits for its turn is not listed among the waiting invocations", async () => {
  const { stage, actor, ids } = await crowded();
  const values = new Map([["count", new TextEncoder().encode("9")]]);
  expect(await stage.pulse.within(0, editState(actor.engine, { service: "O", key: "k" }, "object", values))).toBe(
    "queued",
  );
  const waiting = await rowsOf(actor, `select id from sys_inbox ${OF_KEY}`);
  expect(waiting.map(({ id }) => id)).toEqual([ids[1], ids[2]]);
});

test("the run of a workflow holds the workflow id until the run has ended", async () => {
  const { stage, actor, gate } = await crowded();
  const { invocationId } = await stage.pulse.within(0, sendKeyed(actor, keyed("W", "w", "run")));
  await stage.pulse.settle();
  const select = "select invocation_id from sys_keyed_service_status where service_name = 'W' and service_key = 'w'";
  expect(await rowsOf(actor, select)).toEqual([{ invocation_id: invocationId }]);
  gate.open();
  await stage.pulse.settle();
  expect(await rowsOf(actor, select)).toEqual([]);
});

test("state is read by its key, by its service, or whole", async () => {
  const { stage, actor, gate } = await crowded();
  gate.open();
  await stage.pulse.settle();
  const long = "l".repeat(2_000);
  for (const key of ["other", "", "~", "a#b", "ü/%", long])
    await stage.pulse.within(0, callKeyed(actor, keyed("O", key, "add", "7")));
  const named = "select key, value_utf8 as v, value_length as n from state where service_name = 'O' and service_key =";
  expect(await rowsOf(actor, `${named} 'other'`)).toEqual([{ key: "count", v: "7", n: 1 }]);
  expect(await rowsOf(actor, `${named} '${long}'`)).toEqual([{ key: "count", v: "7", n: 1 }]);
  const keys = (await rowsOf(actor, "select distinct service_key as k from state where service_name = 'O'")).map(
    ({ k }) => k,
  );
  expect(new Set(keys), "a key of more than 1,500 bytes is not known").toEqual(
    new Set(["other", "", "~", "a#b", "ü/%", "k", undefined]),
  );
  expect(await rowsOf(actor, `select service_key as k from state where service_key in ('~', '${long}')`)).toEqual(
    expect.arrayContaining([{ k: "~" }, { k: long }]),
  );
  expect(await rowsOf(actor, "select count(*) as n from state")).toEqual([{ n: 7 }]);
  expect(await rowsOf(actor, "select key from state where service_name = 'W'")).toEqual([]);
});

test("a join of invocations with the state of their keys", async () => {
  const { stage, actor, gate } = await crowded();
  gate.open();
  await stage.pulse.settle();
  await stage.pulse.within(0, callKeyed(actor, keyed("O", "other", "add", "7")));
  const joined = `select i.target_service_key as k, s.value_utf8 as v, count(*) as n from sys_invocation i
    join state s on i.target_service_key = s.service_key where i.target_service_name = 'O' and s.key = 'count'
    group by i.target_service_key, s.value_utf8 order by k`;
  expect(await rowsOf(actor, joined)).toEqual([
    { k: "k", v: "3", n: 4 },
    { k: "other", v: "7", n: 1 },
  ]);
});

test("where processes share the table, a walk over the partitions of objects has a limit", async () => {
  const { actor } = await crowded();
  const limits = { ...STATEMENT_LIMITS, pagesMax: 0 };
  const sql = new SqlEngine(() => actor.engine.clock.nowMs());
  await expect(query(actor.engine, sql, "select key from state", { limits })).rejects.toThrow("service_key = '...'");
  const named = `select key from state ${OF_KEY}`;
  expect((await query(actor.engine, sql, named, { limits })).columns).toEqual([{ name: "key", type: "text" }]);
});
