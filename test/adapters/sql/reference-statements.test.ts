/** Tests statements that the reference server's documentation and web UI use, on small tables. */
import { describe, expect, test } from "vitest";
import { SqlEngine } from "../../../shared/adapters/sql/sql-engine.ts";
import { SqlError, type SqlAnswer } from "../../../shared/engine/ports/sql.ts";
import { MemorySqlTable } from "./memory-sql-table.ts";
import { computedMs } from "../../processor-time.ts";

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 0, 31, 12, 30, 0);
const sql = new SqlEngine(() => NOW_MS);

function tables(): MemorySqlTable[] {
  const status = (id: string, service: string, word: string, hoursAgo: number) => ({
    id,
    target_service_name: service,
    status: word,
    created_at: NOW_MS - hoursAgo * HOUR_MS,
  });
  return [
    new MemorySqlTable(
      "sys_invocation_status",
      "id, target_service_name, status, created_at t, completion_retention d",
      [
        status("a", "Greeter", "invoked", 1),
        status("b", "Greeter", "invoked", 2),
        status("c", "Counter", "suspended", 30),
        status("d", "Counter", "completed", 800),
      ],
      { ordered: true },
    ),
    new MemorySqlTable("sys_invocation_state", "id, in_flight b, retry_count i", [
      { id: "a", in_flight: true, retry_count: 1 },
      { id: "b", in_flight: false, retry_count: 4 },
    ]),
    new MemorySqlTable("sys_journal", "id, index i, entry_json", [
      { id: "a", index: 0, entry_json: '{"Command":{"Input":{"headers":[{"name":"x"}]}}}' },
      { id: "a", index: 1, entry_json: "no JSON" },
    ]),
    new MemorySqlTable("state", "service_name, service_key, key", [
      { service_name: "Counter", service_key: "k", key: "count" },
      { service_name: "Counter", service_key: "k", key: "seen" },
      { service_name: "Counter", service_key: "l", key: "count" },
    ]),
    new MemorySqlTable(
      "information_schema.columns",
      "table_schema, table_name, column_name, ordinal_position i, is_nullable, data_type",
      [
        { table_schema: "public", table_name: "state", column_name: "service_name", ordinal_position: 1 },
        { table_schema: "public", table_name: "state", column_name: "key", ordinal_position: 2 },
        { table_schema: "public", table_name: "sys_journal", column_name: "id", ordinal_position: 1 },
      ],
    ),
    new MemorySqlTable("information_schema.tables", "table_catalog, table_schema, table_name, table_type", [
      { table_catalog: "restate", table_schema: "public", table_name: "state", table_type: "BASE TABLE" },
    ]),
  ];
}

async function ask(statement: string, given = tables()): Promise<SqlAnswer> {
  return await sql.run(statement, given);
}

async function rowsOf(statement: string): Promise<unknown[]> {
  const { columns, rows } = await ask(statement);
  return rows.map((row) =>
    Object.fromEntries(columns.map(({ name }, i) => [name, row[i]]).filter(([, value]) => value !== null)),
  );
}

describe("statements without a table, and about the tables", () => {
  test.each([
    ["SELECT 1", [{ "Int64(1)": 1 }]],
    ["select 'a', 1.5", [{ 'Utf8("a")': "a", "Float64(1.5)": 1.5 }]],
    ["select 1 as one;", [{ one: 1 }]],
    ["select 1 as n union all select 2 as n", [{ n: 1 }, { n: 2 }]],
    ["select now()", [{ "now()": NOW_MS }]],
    ["select extract(hour from now()) as h", [{ h: 12 }]],
    [
      "show tables",
      [{ table_catalog: "restate", table_schema: "public", table_name: "state", table_type: "BASE TABLE" }],
    ],
    [
      "SHOW TABLES;",
      [{ table_catalog: "restate", table_schema: "public", table_name: "state", table_type: "BASE TABLE" }],
    ],
    ["describe state", [{ column_name: "service_name" }, { column_name: "key" }]],
    ["DESCRIBE TABLE state;", [{ column_name: "service_name" }, { column_name: "key" }]],
    ["show columns from sys_journal", [{ column_name: "id" }]],
    [
      "select column_name from information_schema.columns where table_schema = 'public' and table_name = 'sys_journal'",
      [{ column_name: "id" }],
    ],
    [
      "select c.column_name from information_schema.columns c where c.table_name = 'sys_journal'",
      [{ column_name: "id" }],
    ],
    [
      "select distinct service_key from public.state where service_name = 'Counter'",
      [{ service_key: "k" }, { service_key: "l" }],
    ],
  ])("%s", async (statement, rows) => {
    expect(await rowsOf(statement)).toEqual(rows);
  });

  test("the error about an unknown table names the known tables, but not the internal table `one_row`", async () => {
    await expect(ask("describe nope")).rejects.toMatchObject({ kind: "unknown" });
    await expect(ask("describe nope")).rejects.not.toThrow("one_row");
    await expect(ask("describe nope")).rejects.toThrow("sys_journal");
  });
});

describe("moments and durations", () => {
  const AT = Date.UTC(2026, 0, 31, 8);
  test.each<[string, unknown]>([
    ["to_timestamp('2026-01-31T08:00:00Z')", AT],
    ["to_timestamp('2026-01-31 08:00:00')", AT],
    [`to_timestamp(${AT / 1000})`, AT],
    [`to_timestamp_millis(${AT})`, AT],
    ["timestamp '2026-01-31T08:00:00Z'", AT],
    ["'2026-01-31T08:00:00Z'::timestamp", AT],
    ["now() - interval '1 day'", NOW_MS - 24 * HOUR_MS],
    ["now() - interval '1' day", NOW_MS - 24 * HOUR_MS],
    ["interval '1 hour 30 minutes' + now()", NOW_MS + 1.5 * HOUR_MS],
    ["now() + interval '1 month'", Date.UTC(2026, 1, 28, 12, 30)],
    ["now() - interval '1 year'", Date.UTC(2025, 0, 31, 12, 30)],
    ["now() - interval '1 day' - interval '1 hour'", NOW_MS - 25 * HOUR_MS],
    ["date_bin(interval '1 hour', now())", NOW_MS - HOUR_MS / 2],
    [
      "date_bin(interval '15 minutes', to_timestamp('2026-01-31T08:14:00Z'), timestamp '2026-01-01T00:05:00Z')",
      AT + HOUR_MS / 12,
    ],
    ["date_trunc('day', now())", Date.UTC(2026, 0, 31)],
  ])("%s is a moment", async (expression, atMs) => {
    const { columns, rows } = await ask(`select ${expression} as at`);
    expect(columns).toEqual([{ name: "at", type: "moment" }]);
    expect(rows).toEqual([[atMs]]);
  });

  test.each<[string, number]>([
    ["now() - created_at", HOUR_MS],
    ["age(now(), created_at)", HOUR_MS],
    ["age(created_at)", -11.5 * HOUR_MS],
    ["interval '90 minutes'", 1.5 * HOUR_MS],
    ["interval '01:30:00'", 1.5 * HOUR_MS],
  ])("%s is a duration", async (expression, ms) => {
    const { columns, rows } = await ask(`select ${expression} as d from sys_invocation_status where id = 'a'`);
    expect(columns).toEqual([{ name: "d", type: "duration" }]);
    expect(rows).toEqual([[ms]]);
  });

  test.each([
    ["created_at > now() - interval '1 day'", ["a", "b"]],
    ["created_at < to_timestamp('2026-01-31T11:00:00Z')", ["b", "c", "d"]],
    ["created_at between now() - interval '2 days' and now() - interval '90 minutes'", ["b", "c"]],
    ["now() - created_at > interval '1 day'", ["c", "d"]],
    ["age(now(), created_at) < interval '3 hours'", ["a", "b"]],
    ["date_trunc('day', created_at) = '2026-01-31'", ["a", "b"]],
  ])("where %s", async (condition, ids) => {
    const rows = await rowsOf(`select id from sys_invocation_status where ${condition} order by id`);
    expect(rows).toEqual(ids.map((id) => ({ id })));
  });

  test("a bound on a moment narrows the scan of its table", async () => {
    const given = tables();
    await ask("select id from sys_invocation_status where created_at >= now() - interval '1 day'", given);
    expect(given[0]!.scans.map(({ narrowing }) => Object.fromEntries(narrowing))).toEqual([
      { created_at: { fromMs: NOW_MS - 24 * HOUR_MS } },
    ]);
  });

  test("invocations are counted by day", async () => {
    const statement =
      "select date_bin(interval '1 day', created_at) as day, count(*) as n from sys_invocation_status group by 1 order by day desc limit 2";
    expect(await rowsOf(statement)).toEqual([
      { day: Date.UTC(2026, 0, 31), n: 2 },
      { day: Date.UTC(2026, 0, 30), n: 1 },
    ]);
  });

  test.each([
    "now() - interval '1 dya'",
    "to_timestamp('yesterday')",
    "date_bin(interval '0 hours', now())",
    "to_timestamp(1e300)",
  ])("%s is refused as a mistake of the statement", async (expression) => {
    await expect(ask(`select ${expression} as at`)).rejects.toMatchObject({ kind: "syntax" });
  });
});

describe("conditions with IS TRUE, IS FALSE and IS UNKNOWN", () => {
  const JOINED = "sys_invocation_status ss left join sys_invocation_state s on ss.id = s.id";

  test.each([
    ["s.in_flight is true", ["a"]],
    ["s.in_flight IS NOT TRUE", ["b", "c", "d"]],
    ["s.in_flight is false", ["b"]],
    ["s.in_flight is not false", ["a", "c", "d"]],
    ["s.in_flight is unknown", ["c", "d"]],
    ["(s.retry_count = 4) is false", ["a"]],
    ["(s.retry_count = 4) is not false", ["b", "c", "d"]],
    ["(s.retry_count = 4) is unknown", ["c", "d"]],
    ["(s.retry_count = 4) is not unknown", ["a", "b"]],
    ["(s.retry_count = 4 and ss.id = 'c') is not true", ["a", "b", "c", "d"]],
    ["(s.retry_count = 4 and ss.id = 'd') is unknown", ["d"]],
    ["(s.in_flight is true) is false", ["b", "c", "d"]],
    ["not ((s.retry_count = 4) is unknown)", ["a", "b"]],
    ["not (s.in_flight is true)", ["b", "c", "d"]],
    ["s.in_flight is not null and (s.retry_count = 4) is true", ["b"]],
  ])("where %s", async (condition, ids) => {
    expect(await rowsOf(`select ss.id from ${JOINED} where ${condition} order by ss.id`)).toEqual(
      ids.map((id) => ({ id })),
    );
  });

  const CASE = `case when s.in_flight is true then 'running' when ss.status = 'invoked' and s.retry_count > 1 then 'backing-off'
    when ss.status = 'invoked' then 'ready' else ss.status end`;
  const COUNTED = [
    { target_service_name: "Counter", word: "completed", n: 1 },
    { target_service_name: "Counter", word: "suspended", n: 1 },
    { target_service_name: "Greeter", word: "backing-off", n: 1 },
    { target_service_name: "Greeter", word: "running", n: 1 },
  ];

  test.each([
    `select ss.target_service_name, ${CASE} as word, count(*) as n from ${JOINED}
     group by ss.target_service_name, ${CASE} order by target_service_name, word`,
    `select target_service_name, word, count(1) as n from (select ss.target_service_name, ${CASE} as word from ${JOINED} limit 1000000)
     group by target_service_name, word order by target_service_name, word`,
  ])("statuses are counted over a join: %s", async (statement) => {
    expect(await rowsOf(statement)).toEqual(COUNTED);
  });
});

test("long chains of operators, open parentheses and nested selects take little work", async () => {
  const startedMs = computedMs();
  await expect(ask(`select 'a'${"||'a'".repeat(501)}`)).rejects.toMatchObject({ kind: "refused" });
  for (const opened of ["(", "select (", "first_value(", "a->"].map((text) => `select ${text.repeat(20_000)}`))
    await expect(ask(opened)).rejects.toBeInstanceOf(SqlError);
  const { rows } = await ask(`select ${"'a' || ".repeat(400)}'b' as joined`);
  expect(rows).toEqual([["a".repeat(400) + "b"]]);
  expect(computedMs() - startedMs).toBeLessThan(10_000);
});

describe("operators over texts", () => {
  test.each<[string, unknown]>([
    ["entry_json->'Command'->'Input'->'headers'->0->>'name'", "x"],
    ["entry_json -> 'Command' ->> 'Input'", '{"headers":[{"name":"x"}]}'],
    ["entry_json->>'Nope'", null],
    ["'no JSON'->>'x'", null],
    ["id || '-' || upper(id)", "a-A"],
    ["id || null", null],
    ["(id || 'b') || index::text", "ab0"],
    ["'7'::bigint + 1", 8],
    ["case when index = 0 then 'zero' end || '!'", "zero!"],
  ])("%s", async (expression, value) => {
    const { rows } = await ask(`select ${expression} as v from sys_journal where index = 0`);
    expect(rows).toEqual([[value]]);
  });

  test("an operator inside a text, a name or a comment is not changed", async () => {
    const { columns, rows } = await ask(`select 'a->>b || c::text is true' as "is true" -- from nowhere || x`);
    expect(columns.map(({ name }) => name)).toEqual(["is true"]);
    expect(rows).toEqual([["a->>b || c::text is true"]]);
  });
});
