/** Tests the SQL evaluator: answers, the scans of tables, refusals, and limits. */
import { describe, expect, test } from "vitest";
import { SqlEngine } from "../../../shared/adapters/sql/sql-engine.ts";
import { SqlError, type SqlAnswer } from "../../../shared/engine/ports/sql.ts";
import { MemorySqlTable } from "./memory-sql-table.ts";
import { computedMs } from "../../processor-time.ts";

const at = (second: number): number => Date.UTC(2026, 0, 31, 8, 15, second);

function invocations(): MemorySqlTable {
  const row = (id: string, service: string, status: string, second: number, more = {}) => ({
    id,
    target: `${service}/h`,
    target_service_name: service,
    status,
    created_at: at(second),
    ...more,
  });
  return new MemorySqlTable(
    "sys_invocation",
    "id, target, target_service_name, status, created_at t, pinned_deployment_id, retry_count i, raw bin",
    [
      row("a", "Greeter", "running", 1, { pinned_deployment_id: "dp_1", retry_count: 2, raw: Uint8Array.of(1, 255) }),
      row("b", "Greeter", "completed", 2, { pinned_deployment_id: "dp_gone" }),
      row("c", "Counter", "suspended", 3, { pinned_deployment_id: "dp_1", retry_count: 3 }),
      row("d", "Counter", "completed", 4),
    ],
    { ordered: true },
  );
}

function deployments(): MemorySqlTable {
  return new MemorySqlTable("sys_deployment", "id, ty", [{ id: "dp_1", ty: "http" }]);
}

const sql = new SqlEngine(() => at(30));

async function ask(statement: string, tables = [invocations(), deployments()]): Promise<SqlAnswer> {
  return await sql.run(statement, tables);
}

/** Rows as objects without empty cells. */
async function rowsOf(statement: string, tables?: MemorySqlTable[]): Promise<unknown[]> {
  const { columns, rows } = await ask(statement, tables);
  return rows.map((row) =>
    Object.fromEntries(columns.map(({ name }, i) => [name, row[i]]).filter(([, value]) => value !== null)),
  );
}

describe("plain statements", () => {
  test.each([
    ["select id from sys_invocation where status = 'running'", ["a"]],
    ["select id from sys_invocation where status == 'running'", ["a"]],
    ["select id from sys_invocation where status <> 'completed' and target_service_name = 'Counter'", ["c"]],
    ["select id from sys_invocation where status = 'running' or id = 'd'", ["a", "d"]],
    ["select id from sys_invocation where id in ('b', 'd') order by id desc", ["d", "b"]],
    ["select id from sys_invocation where id not in ('b', 'd')", ["a", "c"]],
    ["select id from sys_invocation where target like '%e%e%r/h'", ["a", "b"]],
    ["select id from sys_invocation where target like 'Greeter/h%Greeter/h'", []],
    ["select id from sys_invocation where target like 'Greeter/h'", ["a", "b"]],
    ["select id from sys_invocation where target like 'Gre%'", ["a", "b"]],
    ["select id from sys_invocation where target like 'gre%'", []],
    ["select id from sys_invocation where target not like 'Gre%'", ["c", "d"]],
    ["select id from sys_invocation where target like 'Greeter/h'", ["a", "b"]],
    ["select id from sys_invocation where target like '_reeter/h'", ["a", "b"]],
    ["select id from sys_invocation where created_at > '2026-01-31T08:15:02Z'", ["c", "d"]],
    [
      "select id from sys_invocation where created_at >= '2026-01-31 08:15:03+00:00' and created_at < now()",
      ["c", "d"],
    ],
    [
      "select id from sys_invocation where created_at between '2026-01-31T08:15:02Z' and '2026-01-31T08:15:03Z'",
      ["b", "c"],
    ],
    // A comparison with NULL is not true, and neither is its negation.
    ["select id from sys_invocation where not (retry_count = 2)", ["c"]],
    ["select id from sys_invocation where not not (retry_count = 2)", ["a"]],
    ["select id from sys_invocation where not (retry_count < 3 or status = 'completed')", ["c"]],
    ["select id from sys_invocation where not (retry_count = 2 and status = 'running')", ["b", "c", "d"]],
    ["select id from sys_invocation where not (retry_count is null)", ["a", "c"]],
    ["select id from sys_invocation where not (retry_count between 3 and 5)", ["a"]],
    ["select id from sys_invocation where not (pinned_deployment_id not like 'dp_1')", ["a", "c"]],
    ["select id from sys_invocation where pinned_deployment_id not in ('dp_1', null)", []],
    ["select id from sys_invocation where pinned_deployment_id in ('dp_1', null)", ["a", "c"]],
    ["select id from sys_invocation where not (pinned_deployment_id in ('dp_1'))", ["b"]],
    ["select id from sys_invocation where not coalesce(retry_count = 2, false)", ["b", "c", "d"]],
    ["select id from sys_invocation where coalesce(retry_count, 2) = 2 or id = 'c'", ["a", "b", "c", "d"]],
    ["SELECT ID FROM SYS_INVOCATION WHERE STATUS = 'running';", ["a"]],
    ["select id from sys_invocation order by created_at desc limit 2", ["d", "c"]],
    ["select id from sys_invocation where pinned_deployment_id is null", ["d"]],
    ["select id from sys_invocation inv where inv.pinned_deployment_id not in (select id from sys_deployment)", ["b"]],
    [
      "with open as (select id, status from sys_invocation where status != 'completed') select id from open",
      ["a", "c"],
    ],
  ])("%s", async (statement, ids) => {
    const rows = await rowsOf(statement);
    expect(rows.map((row) => Object.values(row as object)[0])).toEqual(ids);
  });

  test("unnamed counts have the names that clients expect, and groups are counted", async () => {
    expect(await rowsOf("select count(1) from sys_invocation")).toEqual([{ "count(Int64(1))": 4 }]);
    const within =
      "select count(1) as n from (select * from sys_invocation inv limit 3) where inv.status = 'completed'";
    expect(await rowsOf(within)).toEqual([{ n: 1 }]);
    expect(await rowsOf("select count(*) from sys_invocation where status = 'nope'")).toEqual([{ "count(*)": 0 }]);
    const grouped = await rowsOf(
      "select target_service_name as s, count(1) as n, min(created_at) as oldest from sys_invocation group by target_service_name order by s",
    );
    expect(grouped).toEqual([
      { s: "Counter", n: 2, oldest: at(3) },
      { s: "Greeter", n: 2, oldest: at(1) },
    ]);
  });

  test("FIRST_VALUE takes the first row by its ORDER BY, or else the first row of the group", async () => {
    const table = invocations();
    const rows = await rowsOf(
      `select target_service_name, FIRST_VALUE(id ORDER BY created_at DESC) as newest, first_value(retry_count) as r,
       sum(retry_count) as retries from sys_invocation group by target_service_name`,
      [table],
    );
    expect(rows).toEqual([
      { target_service_name: "Greeter", newest: "b", r: 2, retries: 2 },
      { target_service_name: "Counter", newest: "d", r: 3, retries: 3 },
    ]);
  });

  test("a left join finds matching rows and leaves the others empty", async () => {
    const rows = await rowsOf(
      `select inv.id, inv.created_at as since, dp.id is not null as known from sys_invocation inv
       left join sys_deployment dp on dp.id = inv.pinned_deployment_id where inv.id in ('a', 'b') order by inv.created_at desc, inv.id`,
    );
    expect(rows).toEqual([
      { id: "b", since: at(2), known: false },
      { id: "a", since: at(1), known: true },
    ]);
  });

  test("a left join with an empty table keeps the rows of the left one", async () => {
    const statement =
      "select inv.id, dp.id is not null as known, dp.ty from sys_invocation inv left join sys_deployment dp on dp.id = inv.pinned_deployment_id limit 1";
    expect(await rowsOf(statement, [invocations(), new MemorySqlTable("sys_deployment", "id, ty", [])])).toEqual([
      { id: "a", known: false },
    ]);
  });

  test("cells keep the types of their columns, through aliases and functions", async () => {
    const { columns, rows } = await ask(
      "select id, max(created_at) as m, raw, retry_count as n from sys_invocation where id = 'a' group by id",
    );
    expect(columns).toEqual([
      { name: "id", type: "text" },
      { name: "m", type: "moment" },
      { name: "raw", type: "bytes" },
      { name: "n", type: "integer" },
    ]);
    expect(rows).toEqual([["a", at(1), Uint8Array.of(1, 255), 2]]);
  });
});

describe("the scans of tables", () => {
  const narrowingOf = async (statement: string) => {
    const table = invocations();
    await ask(statement, [table, deployments()]);
    return table.scans.map(({ narrowing }) => Object.fromEntries(narrowing));
  };

  test("the conditions of WHERE narrow the scan of their table, also with a join and a list from another table", async () => {
    expect(
      await narrowingOf(
        `select inv.id from sys_invocation inv left join sys_deployment dp on dp.id = inv.pinned_deployment_id
         where inv.id = 'a' and status != 'completed' and inv.pinned_deployment_id in (select id from sys_deployment)`,
      ),
    ).toEqual([{ id: { in: ["a"] }, status: { notIn: ["completed"] }, pinned_deployment_id: { in: ["dp_1"] } }]);
  });

  test.each([
    "with open as (select id from sys_invocation where status != 'completed') select id from sys_invocation where id in (select id from open)",
    `with some as (select id, status from sys_invocation), open as (select id from some where status != 'completed')
     select id from sys_invocation where id in (select o.id from open o) and id not in (select id from some where status = 'completed')`,
  ])(
    "an IN list from a query of WITH is read once, and narrows the scan of the outer SELECT: %s",
    async (statement) => {
      const table = invocations();
      expect(await rowsOf(statement, [table])).toEqual([{ id: "a" }, { id: "c" }]);
      const narrowed = table.scans.filter(({ narrowing }) => narrowing.get("id")?.in !== undefined);
      expect(narrowed.map(({ narrowing }) => narrowing.get("id")?.in)).toEqual([["a", "c"]]);
      expect(table.scans.length).toBeLessThanOrEqual(3);
    },
  );

  test("a boolean that is compared with a number does not narrow the scan, whose bounds are texts", async () => {
    const table = new MemorySqlTable("things", "a, b b", [{ a: "x", b: true }]);
    expect((await sql.run("select a from things where b = 1 and a = 'x'", [table])).rows).toEqual([["x"]]);
    expect(table.scans.map(({ narrowing }) => Object.fromEntries(narrowing))).toEqual([{ a: { in: ["x"] } }]);
  });

  test("a disjunction narrows only by columns that both sides name", async () => {
    expect(await narrowingOf("select id from sys_invocation where id = 'a' or id in ('b')")).toEqual([
      { id: { in: ["a", "b"] } },
    ]);
    expect(await narrowingOf("select id from sys_invocation where id = 'a' or status = 'running'")).toEqual([{}]);
  });

  test("a LIKE whose pattern begins with a service and a slash narrows the scan to that service", async () => {
    expect(await narrowingOf("select id from sys_invocation where target like 'Greeter/%'")).toEqual([
      { target_service_name: { in: ["Greeter"] } },
    ]);
  });

  test("a LIMIT ends the scan early when the rows are ordered by creation", async () => {
    const table = invocations();
    await ask("select id from sys_invocation where status = 'completed' order by created_at desc, id limit 1", [table]);
    expect(table.scans[0]?.order).toBe("newest-first");
    expect(table.taken).toBe(1);
  });

  test("rows are sorted if the table does not provide their order", async () => {
    const table = invocations();
    expect(
      await rowsOf(
        "select id, count(1) as created_at from sys_invocation group by id order by created_at, id desc limit 2",
        [table],
      ),
    ).toEqual([
      { id: "d", created_at: 1 },
      { id: "c", created_at: 1 },
    ]);
    expect(table.scans[0]?.order).toBeUndefined();
  });

  test("cells that the statement does not need are not read", async () => {
    const table = invocations();
    await ask("select id from sys_invocation where status = 'running'", [table]);
    expect(new Set(table.read)).toEqual(new Set(["id", "status"]));
  });
});

describe("refusals", () => {
  test.each([
    ["selec id from sys_invocation", "syntax"],
    ["select id from sys_invocation; select 1 from sys_invocation", "syntax"],
    ["drop table sys_invocation", "syntax"],
    ["select id from sys_invocation where created_at > 'yesterday'", "syntax"],
    ["select id from sys_invocation where created_at > 'order 66'", "syntax"],
    ["select id from sys_invocation where created_at > '2026-02-30'", "syntax"],
    ["select id from sys_invocation where regexp_matches(id, '(a+)+$')", "syntax"],
    ["select * from unnest(array[1])", "syntax"],
    ["select id from nope", "unknown"],
    ["select nope from sys_invocation", "unknown"],
    ["select a.id from sys_invocation a cross join sys_invocation b", "syntax"],
    ["select a.id from sys_invocation a join sys_invocation b on a.created_at < b.created_at", "refused"],
  ])("%s", async (statement, kind) => {
    const error: unknown = await ask(statement).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(SqlError);
    expect((error as SqlError).kind, (error as Error).message).toBe(kind);
  });

  test("statements, answers and steps have limits", async () => {
    const bounded = new SqlEngine(() => 0, { statementMaxLength: 200, rowsMax: 3, stepsMax: 20 });
    await expect(bounded.run("select id from sys_invocation", [invocations()])).rejects.toThrow("add a LIMIT");
    await expect(bounded.run(`select id from sys_invocation where id = '${"x".repeat(200)}'`, [])).rejects.toThrow(
      "200",
    );
    const many =
      "select count(*) from sys_invocation a join sys_invocation b on a.target = b.target join sys_invocation c on a.target = c.target";
    await expect(bounded.run(many, [invocations()])).rejects.toThrow("too many steps");
  });
});

test("LIKE takes linear time for a text with many partial matches", async () => {
  const attack = `select count(*) as n from sys_invocation where '${"a".repeat(60_000)}' like '%${"a".repeat(30_000)}b%'`;
  const startedMs = computedMs();
  expect(await rowsOf(attack)).toEqual([{ n: 0 }]);
  expect(computedMs() - startedMs).toBeLessThan(10_000);
});

test("a count of a table reads its rows without any column", async () => {
  const table = new MemorySqlTable("things", "a, b i", [
    { a: "x", b: 1 },
    { a: "y", b: 2 },
  ]);
  const { rows } = await new SqlEngine(() => 0).run("select count(*) as n, count(1) as m from things", [table]);
  expect([rows, table.scans.map(({ columns }) => columns), table.read]).toEqual([[[2, 2]], [[]], []]);
});
