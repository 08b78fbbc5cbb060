/** Tests arithmetic, casts, moments and texts: each answer is the one that DataFusion gives over the same rows. */
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

describe("values of rows", () => {
  test.each<[string, unknown[]]>([
    [
      "date_trunc('week', created_at)",
      [
        at("2026-01-26T00:00:00Z"),
        at("2026-01-26T00:00:00Z"),
        at("2025-12-29T00:00:00Z"),
        at("2024-02-26T00:00:00Z"),
        at("2026-01-26T00:00:00Z"),
      ],
    ],
    [
      "date_trunc('quarter', created_at)",
      [
        at("2026-01-01T00:00:00Z"),
        at("2026-01-01T00:00:00Z"),
        at("2025-10-01T00:00:00Z"),
        at("2024-01-01T00:00:00Z"),
        at("2026-01-01T00:00:00Z"),
      ],
    ],
    [
      "date_bin(interval '1 month', created_at)",
      [
        at("2026-01-01T00:00:00Z"),
        at("2026-01-01T00:00:00Z"),
        at("2025-12-01T00:00:00Z"),
        at("2024-02-01T00:00:00Z"),
        at("2026-01-01T00:00:00Z"),
      ],
    ],
    [
      "date_bin(interval '3 months', created_at)",
      [
        at("2026-01-01T00:00:00Z"),
        at("2026-01-01T00:00:00Z"),
        at("2025-10-01T00:00:00Z"),
        at("2024-01-01T00:00:00Z"),
        at("2026-01-01T00:00:00Z"),
      ],
    ],
    [
      "date_bin(interval '1 year', created_at)",
      [
        at("2026-01-01T00:00:00Z"),
        at("2026-01-01T00:00:00Z"),
        at("2025-01-01T00:00:00Z"),
        at("2024-01-01T00:00:00Z"),
        at("2026-01-01T00:00:00Z"),
      ],
    ],
    [
      "date_bin(interval '1 month', created_at, timestamp '2026-01-15T00:00:00Z')",
      [
        at("2026-01-15T00:00:00Z"),
        at("2026-01-15T00:00:00Z"),
        at("2025-12-15T00:00:00Z"),
        at("2024-02-15T00:00:00Z"),
        at("2026-01-15T00:00:00Z"),
      ],
    ],
    [
      "greatest(created_at, modified_at)",
      [
        at("2026-02-01T09:00:00Z"),
        at("2026-01-31T08:16:02Z"),
        at("2025-12-30T23:59:59Z"),
        at("2024-03-29T12:00:00Z"),
        at("2026-01-30T00:00:00Z"),
      ],
    ],
    [
      "least(created_at, modified_at)",
      [
        at("2026-01-31T08:15:01.250Z"),
        at("2026-01-31T08:15:02Z"),
        at("2025-12-30T23:59:59Z"),
        at("2024-02-29T12:00:00Z"),
        at("2026-01-29T23:00:00Z"),
      ],
    ],
    [
      "nullif(created_at, modified_at)",
      [
        at("2026-01-31T08:15:01.250Z"),
        at("2026-01-31T08:15:02Z"),
        at("2025-12-30T23:59:59Z"),
        at("2024-02-29T12:00:00Z"),
        at("2026-01-30T00:00:00Z"),
      ],
    ],
    ["(retry_count > 2)::int", [0, null, 1, 1, 1]],
    ["retry_count / 2", [1, null, 1, 5, 3]],
    ["retry_count / 4 * 4", [0, null, 0, 8, 4]],
    ["concat(id, key)", ["ak|1", "bk", "c", "dNULL", "e1"]],
    ["concat(id, '|', retry_count)", ["a|2", "b|", "c|3", "d|10", "e|7"]],
    ["(retry_count + 1) / 2", [1, null, 2, 5, 4]],
    ["-retry_count / 2", [-1, null, -1, -5, -3]],
    ["-(retry_count / 2)", [-1, null, -1, -5, -3]],
    ["abs(retry_count) / 2", [1, null, 1, 5, 3]],
    ["coalesce(retry_count, 1) / 2", [1, 0, 1, 5, 3]],
    ["length(status) / 2", [3, 4, 4, 4, 3]],
    ["extract(hour from created_at) / 2", [4, 4, 11, 6, 0]],
    [
      "date_bin(interval '2 months', created_at, timestamp '2026-01-31T00:00:00Z')",
      [
        at("2026-01-31T00:00:00Z"),
        at("2026-01-31T00:00:00Z"),
        at("2025-11-30T00:00:00Z"),
        at("2024-01-31T00:00:00Z"),
        at("2025-11-30T00:00:00Z"),
      ],
    ],
    [
      "date_bin(interval '5 months', created_at, '2020-03-31')",
      [
        at("2026-01-31T00:00:00Z"),
        at("2026-01-31T00:00:00Z"),
        at("2025-08-31T00:00:00Z"),
        at("2023-12-31T00:00:00Z"),
        at("2025-08-31T00:00:00Z"),
      ],
    ],
    ["modified_at - created_at", [89098750, 60000, null, 2505600000, -3600000]],
    [
      "created_at + interval '1 month'",
      [
        at("2026-02-28T08:15:01.250Z"),
        at("2026-02-28T08:15:02Z"),
        at("2026-01-30T23:59:59Z"),
        at("2024-03-29T12:00:00Z"),
        at("2026-02-28T00:00:00Z"),
      ],
    ],
    [
      "created_at - interval '1 month' - interval '1 day'",
      [
        at("2025-12-30T08:15:01.250Z"),
        at("2025-12-30T08:15:02Z"),
        at("2025-11-29T23:59:59Z"),
        at("2024-01-28T12:00:00Z"),
        at("2025-12-29T00:00:00Z"),
      ],
    ],
    [
      "created_at + interval '1 month 2 days'",
      [
        at("2026-03-02T08:15:01.250Z"),
        at("2026-03-02T08:15:02Z"),
        at("2026-02-01T23:59:59Z"),
        at("2024-03-31T12:00:00Z"),
        at("2026-03-02T00:00:00Z"),
      ],
    ],
    [
      "date_bin(interval '1 week', created_at)",
      [
        at("2026-01-29T00:00:00Z"),
        at("2026-01-29T00:00:00Z"),
        at("2025-12-25T00:00:00Z"),
        at("2024-02-29T00:00:00Z"),
        at("2026-01-29T00:00:00Z"),
      ],
    ],
    [
      "date_bin(interval '15 minutes', created_at)",
      [
        at("2026-01-31T08:15:00Z"),
        at("2026-01-31T08:15:00Z"),
        at("2025-12-30T23:45:00Z"),
        at("2024-02-29T12:00:00Z"),
        at("2026-01-30T00:00:00Z"),
      ],
    ],
    ["extract(dow from created_at)", [6, 6, 2, 4, 5]],
    [
      "coalesce(modified_at, created_at)",
      [
        at("2026-02-01T09:00:00Z"),
        at("2026-01-31T08:16:02Z"),
        at("2025-12-30T23:59:59Z"),
        at("2024-03-29T12:00:00Z"),
        at("2026-01-29T23:00:00Z"),
      ],
    ],
    [
      "created_at + (modified_at - created_at)",
      [
        at("2026-02-01T09:00:00Z"),
        at("2026-01-31T08:16:02Z"),
        null,
        at("2024-03-29T12:00:00Z"),
        at("2026-01-29T23:00:00Z"),
      ],
    ],
    ["flag::int", [1, 0, null, 1, 0]],
    ["retry_count / 3.0", [0.6666666666666666, null, 1, 3.3333333333333335, 2.3333333333333335]],
    ["retry_count * 1.5", [3, null, 4.5, 15, 10.5]],
    ["nullif(retry_count, 2)", [null, null, 3, 10, 7]],
  ])("%s", async (expression, values) => {
    expect(await columnOf(`select ${expression} as v from inv order by id`)).toEqual(values);
  });
});

describe("values without a table", () => {
  test.each<[string, unknown]>([
    ["extract(epoch from interval '1 month')", 2592000],
    ["extract(epoch from interval '90 minutes')", 5400],
    ["7.9::int", 7],
    ["-7.9::int", -7],
    ["(-7.9)::int", -7],
    ["cast(3.7 as bigint)", 3],
    ["3.5::int", 3],
    ["2.5::int", 2],
    ["7/2", 3],
    ["-7/2", -3],
    ["7/2*2", 6],
    ["round(-2.5)", -3],
    ["10 / 4", 2],
    ["round(10 / 4)", 2],
    ["length('añ😀')", 3],
    ["substr('hello', 0, 3)", "he"],
    ["substr('hello', -1)", "hello"],
    ["left('hello', -1)", "hell"],
    ["replace('abc', '', 'x')", "abc"],
    ["substr('😀b', 2, 1)", "b"],
    ["left('😀b', 1)", "😀"],
    ["right('a😀', 1)", "😀"],
    ["strpos('😀b','b')", 2],
    ["timestamp '2026-01-31T00:00:00Z' + interval '1 month' - interval '1 month'", at("2026-01-28T00:00:00Z")],
    ["timestamp '2024-02-29T00:00:00Z' + interval '1 year'", at("2025-02-28T00:00:00Z")],
    ["to_timestamp('2026-01-31T10:00:00+02:00')", at("2026-01-31T08:00:00Z")],
    ["'1.5'::double", 1.5],
    ["case when 1 between (0) and -(-3) then 'y' else 'n' end", "y"],
    ["7%3", 1],
    ["-7%3", -1],
    ["round(2.345, 2)", 2.35],
  ])("%s", async (expression, value) => {
    const [given] = await columnOf(`select ${expression} as v`);
    if (typeof value === "number") expect(given).toBeCloseTo(value, 9);
    else expect(given).toEqual(value);
  });
});
