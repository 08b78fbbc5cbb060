/** The SQL tables of flow control show rules, pools in use, and open invocations by scope and limit key. */
import { expect, test } from "vitest";
import type { LimitKey, Scope } from "../../../shared/core/model/scope.ts";
import { applyRules } from "../../../shared/engine/register/rules.ts";
import { type Actor, sendOn, submission } from "../../harness/engine/engine-fixture.ts";
import { keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";
import { rowsOf } from "../../harness/engine/statements.ts";

const open = stages();

async function played(): Promise<Actor> {
  const holds = () => new Promise<string>(() => {});
  const stage = await open({ holds }, { services: [objectOf(["holds"])] });
  const actor = stage.actor();
  actor.startWorker();
  await applyRules(actor.engine, [
    { pattern: "acme", limits: { concurrency: 2 }, description: "two" },
    { pattern: "service:S", limits: { concurrency: 9, rate: { count: 100, perMs: 60_000, burst: 50 } } },
    { pattern: "*/gold", limits: {}, disabled: true },
  ]);
  for (const limitKey of ["a/b", "a/b", "a/b", "c", "c"] as LimitKey[]) {
    const target = { ...submission("holds").target, scope: "acme" as Scope };
    await stage.pulse.within(1_000, sendOn(actor, "holds", "", { target, limitKey }));
    await stage.pulse.settle();
  }
  await stage.pulse.within(1_000, sendKeyed(actor, keyed("O", "k", "holds")));
  await stage.pulse.pass(2_000);
  return actor;
}

test("rules are rows with their limits, in the order of their patterns", async () => {
  const rows = await rowsOf(await played(), "select * from sys_rules");
  expect(rows).toMatchObject([
    { pattern: "*/gold", disabled: true, version: 2, last_modified: expect.any(Number) },
    { pattern: "acme", concurrency: 2, description: "two", disabled: false },
    { pattern: "service:S", concurrency: 9, rate: "100/1m", burst: 50 },
  ]);
  expect(rows[0]).not.toHaveProperty("concurrency");
});

test("a pool in use shows its rule, what is free, and who waits since when", async () => {
  const actor = await played();
  expect(await rowsOf(actor, "select * from sys_user_limits order by pool")).toEqual([
    {
      scope: "acme",
      level: "Scope",
      usage: 2,
      concurrency_limit: 2,
      rule_pattern: "acme",
      available: 0,
      num_waiters: 3,
      pool: "acme",
      oldest_waiting_since: expect.any(Number),
    },
    {
      level: "Service",
      usage: 2,
      concurrency_limit: 9,
      rule_pattern: "service:S",
      available: 7,
      num_waiters: 0,
      pool: "service:S",
    },
  ]);
});

test("open invocations are counted by service, scope, limit key and lock", async () => {
  const actor = await played();
  const columns = "service_name, scope, limit_key, lock_name, num_inbox, num_running, num_suspended, num_paused";
  const rows = await rowsOf(actor, `select id, ${columns} from sys_vqueue_meta order by service_name, limit_key`);
  const id = expect.stringMatching(/^vq_1[0-9a-zA-Z]{33}$/);
  const none = { num_suspended: 0, num_paused: 0 };
  expect(rows).toEqual([
    { id, service_name: "O", lock_name: "O/k", num_inbox: 0, num_running: 1, ...none },
    { id, service_name: "S", scope: "acme", limit_key: "a/b", num_inbox: 1, num_running: 2, ...none },
    { id, service_name: "S", scope: "acme", limit_key: "c", num_inbox: 2, num_running: 0, ...none },
  ]);
  const again = await rowsOf(actor, `select service_name from sys_vqueue_meta where id = '${String(rows[1]!["id"])}'`);
  expect(again).toEqual([{ service_name: "S" }]);
});
