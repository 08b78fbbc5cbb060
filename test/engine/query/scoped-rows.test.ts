/** Lists and statements show the scope and the limit key of invocations, and the keys in scopes. */
import { expect, test } from "vitest";
import { type LimitKey, parseScope } from "../../../shared/core/model/scope.ts";
import { listByDetails } from "../../../shared/engine/query/list-by-details.ts";
import { listInvocations } from "../../../shared/engine/query/list-invocations.ts";
import { RowReader } from "../../../shared/engine/query/row-details.ts";
import { type Actor, LEASE_MS, type Stage } from "../../harness/engine/engine-fixture.ts";
import { callKeyed, keyed, objectOf, sendKeyed, workflowOf } from "../../harness/engine/object-stage.ts";
import { completePromise, ScriptState } from "../../harness/engine/script-state.ts";
import { stages } from "../../harness/engine/stages.ts";
import { rowsOf } from "../../harness/engine/statements.ts";

const open = stages();
const services = [objectOf(["hold", "put"]), workflowOf(["approve"])];

/** A value, a holder, a waiting invocation and a promise in no scope, in `t1` and in `t2`. */
async function played(soleOwner: boolean): Promise<{ readonly stage: Stage; readonly actor: Actor }> {
  const stage = await open(
    {
      hold: async (ctx) => await ctx.get(ctx.signal("go")),
      put: (ctx) => {
        new ScriptState(ctx).set("value", ctx.input);
        return "";
      },
      approve: async (ctx) => await ctx.get(completePromise(ctx, "approval", ctx.input)),
      run: () => "ran",
    },
    { services },
  );
  const actor = stage.actor({ soleOwner });
  actor.startWorker();
  for (const name of ["none", "t1", "t2"]) {
    const scope = name === "none" ? undefined : parseScope(name)!;
    const within = (...about: Parameters<typeof keyed>) => {
      const submission = keyed(...about);
      const limitKey = name === "t1" && { limitKey: "gold/eu" as LimitKey };
      return { ...submission, ...limitKey, target: { ...submission.target, ...(scope && { scope }) } };
    };
    await stage.pulse.within(0, callKeyed(actor, within("O", "k", "put", name)));
    await stage.pulse.within(0, callKeyed(actor, within("W", "w", "approve", name)));
    await stage.pulse.within(0, sendKeyed(actor, within("O", "k", "hold")));
    await stage.pulse.pass(LEASE_MS);
    await stage.pulse.within(0, sendKeyed(actor, within("O", "k", "hold")));
    await stage.pulse.pass(LEASE_MS);
  }
  return { stage, actor };
}

const KEY = "service_name = 'O' and service_key = 'k'";

test.each([
  ["alone", true],
  ["with others", false],
])("a process that has its store %s shows the rows of keys in scopes", async (_, soleOwner) => {
  const { stage, actor } = await played(soleOwner);
  const rows = (statement: string) => stage.pulse.within(0, rowsOf(actor, statement));
  const scopesIn = async (statement: string) =>
    (await rows(statement)).map(({ scope = "none" }) => String(scope)).sort((a, b) => a.localeCompare(b));
  expect(await rows("select scope, value_utf8 from state where service_name = 'O' order by scope")).toEqual([
    { scope: "t1", value_utf8: "t1" },
    { scope: "t2", value_utf8: "t2" },
    { value_utf8: "none" },
  ]);
  for (const table of ["state", "sys_inbox", "sys_keyed_service_status"]) {
    expect(await scopesIn(`select scope from ${table} where ${KEY} and scope = 't1'`)).toEqual(["t1"]);
    expect(await scopesIn(`select scope from ${table} where ${KEY} and scope is null`)).toEqual(["none"]);
    expect(await scopesIn(`select scope from ${table} where ${KEY} and scope in ('t1', 't2', 't3')`)).toEqual([
      "t1",
      "t2",
    ]);
    expect(await scopesIn(`select scope from ${table} where service_name = 'O'`)).toEqual(["none", "t1", "t2"]);
    // To find the scopes of a key, a process that shares its store would have to read the whole table.
    expect(await scopesIn(`select scope from ${table} where ${KEY}`)).toEqual(
      soleOwner ? ["none", "t1", "t2"] : ["none"],
    );
  }
  expect(await scopesIn("select scope from sys_locks where lock_name = 'O/k' and scope = 't2'")).toEqual(["t2"]);
  expect(await scopesIn("select scope from sys_locks where lock_name like 'O/%'")).toEqual(["none", "t1", "t2"]);
  expect(
    await rows(
      "select scope, completion_success_value_utf8 as v from sys_promise where service_name = 'W' and scope = 't1'",
    ),
  ).toEqual([{ scope: "t1", v: "t1" }]);
});

test("statements and lists narrow invocations by scope and by limit key", async () => {
  const { stage, actor } = await played(true);
  const rows = (statement: string) => stage.pulse.within(0, rowsOf(actor, statement));
  expect(
    await rows(
      "select scope, limit_key, count(*) as n from sys_invocation where status != 'completed' group by 1, 2 order by 1",
    ),
  ).toEqual([{ scope: "t1", limit_key: "gold/eu", n: 2 }, { scope: "t2", n: 2 }, { n: 2 }]);
  expect(await rows("select count(*) as n from sys_invocation where scope = 't1'")).toEqual([{ n: 4 }]);
  expect(await rows("select count(*) as n from sys_invocation_status where scope is null")).toEqual([{ n: 4 }]);
  const scope = new Map([["scope", { in: ["t1"] }]]);
  const page = await stage.pulse.within(0, listInvocations(actor.engine, scope, { limit: 10, order: "newest-first" }));
  expect(page.invocations.map((row) => row.scope)).toEqual(["t1", "t1", "t1", "t1"]);
  const details = await stage.pulse.within(0, new RowReader(actor.engine).details(page.invocations));
  expect(details.map(({ limitKey }) => limitKey)).toEqual(Array.from({ length: 4 }, () => "gold/eu"));
  const keyOf = (limitKey: string) =>
    stage.pulse.within(
      0,
      listByDetails(actor.engine, new Map(), { limitKeys: new Set([limitKey]) }, { limit: 10, order: "newest-first" }),
    );
  expect((await keyOf("gold/eu")).invocations.map((row) => row.scope)).toEqual(["t1", "t1", "t1", "t1"]);
  expect((await keyOf("gold")).invocations).toEqual([]);
});
