/** Tests three-valued logic: each answer is the one that DataFusion gives over the same rows. */
import { describe, expect, test } from "vitest";
import { SqlEngine } from "../../../shared/adapters/sql/sql-engine.ts";
import { at, invocationTables } from "./invocation-tables.ts";

const sql = new SqlEngine(() => at("2026-02-02T00:00:00Z"));

async function rowsOf(statement: string) {
  return (await sql.run(statement, invocationTables())).rows;
}

async function columnOf(statement: string) {
  return (await rowsOf(statement)).map(([value]) => value);
}

describe("a comparison as a value is true, false or NULL", () => {
  test.each<[string, unknown[]]>([
    ["created_at = modified_at", [false, false, null, false, false]],
    ["created_at < modified_at", [true, true, null, true, false]],
    [
      "case when modified_at is null then created_at else modified_at end",
      [
        at("2026-02-01T09:00:00Z"),
        at("2026-01-31T08:16:02Z"),
        at("2025-12-30T23:59:59Z"),
        at("2024-03-29T12:00:00Z"),
        at("2026-01-29T23:00:00Z"),
      ],
    ],
    ["modified_at - created_at > interval '1 hour'", [true, false, null, true, false]],
    ["retry_count = 2", [true, null, false, false, false]],
    ["retry_count <> 2", [false, null, true, true, true]],
    ["retry_count > 2 and flag", [false, false, null, true, false]],
    ["retry_count > 2 or flag", [true, null, true, true, true]],
    ["not flag", [false, true, null, false, true]],
    ["not (retry_count = 2)", [false, null, true, true, true]],
    ["not (retry_count > 2 and flag)", [true, true, null, false, true]],
    [
      "(case when retry_count > 2 then true when retry_count = 2 then false end) is false",
      [true, false, false, false, false],
    ],
    [
      "(case when retry_count > 2 then true when retry_count = 2 then false end) is not false",
      [false, true, true, true, true],
    ],
    ["(case when flag then retry_count = 2 else null end) is false", [false, false, false, true, false]],
    ["(case when flag then retry_count = 2 else null end) is unknown", [false, true, true, false, true]],
    ["(retry_count = 2) is null", [false, true, false, false, false]],
    ["(retry_count = 2) is not null", [true, false, true, true, true]],
    ["coalesce(retry_count = 2, true)", [true, true, false, false, false]],
    ["case retry_count when null then 'null' else 'x' end", ["x", "x", "x", "x", "x"]],
    ["retry_count in (2, 3)", [true, null, true, false, false]],
    ["retry_count not in (2, 3)", [false, null, false, true, true]],
    ["retry_count in (2, null)", [true, null, null, null, null]],
    ["retry_count not in (2, null)", [false, null, null, null, null]],
    ["retry_count between 2 and 3", [true, null, true, false, false]],
    ["retry_count not between 2 and 3", [false, null, false, true, true]],
    ["flag = true", [true, false, null, true, false]],
    ["flag = false", [false, true, null, false, true]],
    ["flag <> true", [false, true, null, false, true]],
    ["retry_count = '2'", [true, null, false, false, false]],
    ["retry_count > '5'", [false, null, false, true, true]],
    ["(flag = true) = (retry_count = 2)", [true, null, null, false, true]],
    ["flag and null", [null, false, null, null, false]],
    ["flag or null", [true, null, null, true, null]],
    ["retry_count is null or flag", [true, true, null, true, false]],
    ["key not like 'k%'", [false, false, null, true, true]],
    ["not (key like 'k%')", [false, false, null, true, true]],
    ["not (not (key like 'k%'))", [true, true, null, false, false]],
    ["not (key in ('k', null))", [null, false, null, null, null]],
    ["not (key not in ('k', null))", [null, true, null, null, null]],
    ["key in ('k', null) and flag", [null, false, null, null, false]],
    ["not (flag and key in ('k', null))", [null, true, null, null, true]],
    ["not (flag or retry_count = 2)", [false, null, null, false, true]],
    ["upper(key) = 'K'", [false, true, null, false, false]],
    ["not (upper(key) = 'K')", [true, false, null, true, true]],
    ["case when flag = (retry_count = 2) then 'same' end", ["same", null, null, null, "same"]],
    ["coalesce(key not like 'k%', true)", [false, false, true, true, true]],
    ["(flag and retry_count = 2) = (flag or retry_count = 2)", [true, null, null, false, true]],
    ["retry_count = 9007199254740993", [false, null, false, false, false]],
    ["case when flag then retry_count else 1 end / 2", [1, 0, 0, 5, 0]],
    [
      "key not in ('a', 'b', 'c', 'd', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r')",
      [true, false, null, true, true],
    ],
    [
      "key not in ('a', 'b', 'c', 'd', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', null)",
      [null, false, null, null, null],
    ],
    ["retry_count::boolean", [true, null, true, true, true]],
    ["case flag when true then 't' when false then 'f' else 'n' end", ["t", "f", "n", "t", "f"]],
    ["flag is not true", [false, true, true, false, true]],
    ["((flag is unknown) is unknown) is unknown", [false, false, false, false, false]],
    ["(((retry_count = 2) is unknown) is unknown) is unknown", [false, false, false, false, false]],
  ])("%s", async (expression, values) => {
    expect(await columnOf(`select ${expression} as v from inv order by id`)).toEqual(values);
  });

  test.each<[string, unknown]>([
    ["'false'::boolean", false],
    ["'f'::boolean", false],
    ["'no'::boolean", false],
    ["'0'::boolean", false],
    ["true and null", null],
    ["false or null", null],
    ["not null", null],
    ["null = null", null],
    ["null <> null", null],
    ["2 in (1, null)", null],
    ["2 not in (1, null)", null],
    ["null in (1)", null],
    ["concat('a', null, 'b')", "ab"],
    ["'%' like '\\%'", true],
    ["'a%' like 'a\\%'", true],
    ["null like 'a'", null],
    ["'a' like null", null],
    ["interval '1 month' > interval '29 days'", true],
    ["2 between (1) and (3)", true],
    ["-2 between -3 and -1", true],
  ])("%s without a table", async (expression, value) => {
    expect(await columnOf(`select ${expression} as v`)).toEqual([value]);
  });
});

describe("a condition keeps the rows for which it is true", () => {
  test.each<[string, string[]]>([
    ["key like 'k\\|1'", ["a"]],
    ["dep like 'dp\\_1'", ["a", "c"]],
    ["(retry_count = 2 or null) is unknown", ["b", "c", "d", "e"]],
    ["(retry_count > 2) = flag", ["d"]],
    ["(retry_count > 2) is not null", ["a", "c", "d", "e"]],
    ["coalesce(retry_count > 5, true)", ["b", "d", "e"]],
    ["not case when retry_count > 5 then true end", []],
    ["(case when retry_count > 5 then true end) is unknown", ["a", "b", "c"]],
    ["created_at > (select min(created_at) from inv) + interval '1 year'", ["a", "b", "c", "e"]],
    ["retry_count / 2 = 1", ["a", "c"]],
    ["(key = 'k') <> true", ["a", "d", "e"]],
    ["not case when key = 'k' then flag else not flag end", ["a", "b", "d"]],
    ["created_at > (select max(created_at) from inv) - interval '2 days'", ["a", "b", "e"]],
  ])("%s", async (condition, ids) => {
    expect(await columnOf(`select id from inv where ${condition} order by id`)).toEqual(ids);
  });
});
