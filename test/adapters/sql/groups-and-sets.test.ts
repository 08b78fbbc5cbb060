/** Tests groups, aggregates and sets of rows: each answer is the one that DataFusion gives over the same rows. */
import { describe, expect, test } from "vitest";
import { SqlEngine } from "../../../shared/adapters/sql/sql-engine.ts";
import { at, invocationTables } from "./invocation-tables.ts";

const sql = new SqlEngine(() => at("2026-02-02T00:00:00Z"));

async function rowsOf(statement: string) {
  return (await sql.run(statement, invocationTables())).rows;
}

describe("groups and sets", () => {
  test.each<[string, unknown[][]]>([
    ["select count(retry_count = 2) from inv", [[4]]],
    ["select min(created_at), max(created_at) from inv", [[at("2024-02-29T12:00:00Z"), at("2026-01-31T08:15:02Z")]]],
    ["select count(*) / 2 from inv", [[2]]],
    ["select sum(retry_count) / count(*) from inv", [[4]]],
    ["select sum(retry_count) / 4 from inv", [[5]]],
    ["select percentile_cont(0.5) within group (order by retry_count) from inv", [[5]]],
    [
      "select key, count(*) from inv group by key order by key",
      [
        ["1", 1],
        ["NULL", 1],
        ["k", 1],
        ["k|1", 1],
        [null, 1],
      ],
    ],
    [
      "select service, key, count(*) from inv group by service, key order by service, key",
      [
        ["Counter", "NULL", 1],
        ["Counter", null, 1],
        ["Greeter", "k", 1],
        ["Greeter", "k|1", 1],
        ["Greeter|k", "1", 1],
      ],
    ],
    [
      "select flag, count(*) from inv group by flag order by flag",
      [
        [false, 2],
        [true, 2],
        [null, 1],
      ],
    ],
    [
      "select retry_count > 2 as big, count(*) from inv group by retry_count > 2 order by big",
      [
        [false, 1],
        [true, 3],
        [null, 1],
      ],
    ],
    [
      "select retry_count > 2 as big, count(*) from inv group by 1 order by 1",
      [
        [false, 1],
        [true, 3],
        [null, 1],
      ],
    ],
    [
      "select date_trunc('day', created_at) as created_at, count(*) from inv group by created_at order by created_at",
      [
        [at("2024-02-29T00:00:00Z"), 1],
        [at("2025-12-30T00:00:00Z"), 1],
        [at("2026-01-30T00:00:00Z"), 1],
        [at("2026-01-31T00:00:00Z"), 1],
        [at("2026-01-31T00:00:00Z"), 1],
      ],
    ],
    [
      "select upper(status) as status, count(*) from inv group by status order by status, 2",
      [
        ["COMPLETED", 2],
        ["RUNNING", 1],
        ["RUNNING", 1],
        ["SUSPENDED", 1],
      ],
    ],
    [
      "select service as id, min(id) as status from inv group by service order by id",
      [
        ["Counter", "c"],
        ["Greeter", "a"],
        ["Greeter|k", "e"],
      ],
    ],
    [
      "select distinct service, key from inv order by service, key",
      [
        ["Counter", "NULL"],
        ["Counter", null],
        ["Greeter", "k"],
        ["Greeter", "k|1"],
        ["Greeter|k", "1"],
      ],
    ],
    ["select distinct key from inv order by key", [["1"], ["NULL"], ["k"], ["k|1"], [null]]],
    ["select distinct flag from inv order by flag", [[false], [true], [null]]],
    ["select distinct retry_count / 5 as q from inv order by q", [[0], [1], [2], [null]]],
    ["select count(*) from (select distinct service, key from inv)", [[5]]],
    ["select count(*) from (select distinct key from inv)", [[5]]],
    [
      "select retry_count % 2 as r, count(*) from inv group by r order by r",
      [
        [0, 2],
        [1, 2],
        [null, 1],
      ],
    ],
    [
      "select date_bin(interval '1 month', created_at) as m, count(*) from inv group by m order by m",
      [
        [at("2024-02-01T00:00:00Z"), 1],
        [at("2025-12-01T00:00:00Z"), 1],
        [at("2026-01-01T00:00:00Z"), 3],
      ],
    ],
    ["select n / 2 from (select count(*) as n from inv)", [[2]]],
    [
      "select status as x from inv union all select ty as x from dp order by x",
      [["Running"], ["completed"], ["completed"], ["http"], ["lambda"], ["running"], ["suspended"], [null]],
    ],
    ["select key as x from inv union select 'NULL' as x order by x", [["1"], ["NULL"], ["k"], ["k|1"], [null]]],
    [
      "select service as a, key as b from inv union select 'Greeter' as a, 'k|1' as b order by a, b",
      [
        ["Counter", "NULL"],
        ["Counter", null],
        ["Greeter", "k"],
        ["Greeter", "k|1"],
        ["Greeter|k", "1"],
      ],
    ],
    [
      "select flag, retry_count > 2 as big, count(*) from inv group by flag, big order by flag, big",
      [
        [false, true, 1],
        [false, null, 1],
        [true, false, 1],
        [true, true, 1],
        [null, true, 1],
      ],
    ],
    [
      "select -retry_count as retry_count, count(*) from inv group by retry_count order by retry_count",
      [
        [-10, 1],
        [-7, 1],
        [-3, 1],
        [-2, 1],
        [null, 1],
      ],
    ],
    [
      "select -retry_count as retry_count, count(*) from inv group by -retry_count order by retry_count",
      [
        [-10, 1],
        [-7, 1],
        [-3, 1],
        [-2, 1],
        [null, 1],
      ],
    ],
    ["select distinct -retry_count as retry_count from inv order by retry_count", [[-10], [-7], [-3], [-2], [null]]],
    [
      "select distinct service as status, status as service from inv order by status, service",
      [
        ["Counter", "completed"],
        ["Counter", "suspended"],
        ["Greeter", "completed"],
        ["Greeter", "running"],
        ["Greeter|k", "Running"],
      ],
    ],
    [
      "select upper(service) as service, count(*) as n from inv group by service having service = 'Greeter' order by service",
      [["GREETER", 2]],
    ],
    ["select count(*) as n, sum(retry_count) / count(retry_count) as avg from inv", [[5, 5]]],
    [
      "select service, key from inv intersect select service, key from inv where flag order by service",
      [
        ["Counter", "NULL"],
        ["Greeter", "k|1"],
      ],
    ],
    [
      "select service, key from inv except select service, key from inv where flag order by service, key",
      [
        ["Counter", null],
        ["Greeter", "k"],
        ["Greeter|k", "1"],
      ],
    ],
    [
      "select x, count(*) from (select key as x from inv union select id as x from inv) group by x order by x",
      [
        ["1", 1],
        ["NULL", 1],
        ["a", 1],
        ["b", 1],
        ["c", 1],
        ["d", 1],
        ["e", 1],
        ["k", 1],
        ["k|1", 1],
        [null, 1],
      ],
    ],
    [
      "select status, min(created_at), max(modified_at) from inv group by status order by status",
      [
        ["Running", at("2026-01-30T00:00:00Z"), at("2026-01-29T23:00:00Z")],
        ["completed", at("2024-02-29T12:00:00Z"), at("2026-01-31T08:16:02Z")],
        ["running", at("2026-01-31T08:15:01.250Z"), at("2026-02-01T09:00:00Z")],
        ["suspended", at("2025-12-30T23:59:59Z"), null],
      ],
    ],
    ["select a / b from (select sum(retry_count) as a, count(*) as b from inv)", [[4]]],
    ["select n / 4 from (select retry_count * 1.0 as n from inv where id = 'e')", [[1.75]]],
    ["select 1 as x union select '1' as x", [["1"]]],
    ["select 1 as x union select 1.0 as x", [[1]]],
    ["select retry_count as x from inv where id = 'a' union all select 'none' as x", [["2"], ["none"]]],
    ["select id from dp except select '1' as id intersect select 'dp_1' as id", [["dp_1"], ["dp_2"], ["dp_3"]]],
    ["select dep from inv intersect all select id from dp", [["dp_1"], ["dp_2"]]],
    ["select sum(distinct x) from (select 2 as x union all select 2 as x union all select 3 as x)", [[5]]],
    ["select approx_distinct(service), approx_percentile_cont(retry_count, 0.5) from inv", [[3, 5]]],
    ["select sum(x) from (select 9007199254740993 as x union all select 2 as x)", [[9_007_199_254_740_995n]]],
    [
      "select id, lag(id) over (order by id) as before, lead(id, 2, '-') over (order by id) as after from inv order by id",
      [
        ["a", null, "c"],
        ["b", "a", "d"],
        ["c", "b", "e"],
        ["d", "c", "-"],
        ["e", "d", "-"],
      ],
    ],
    [
      "select service, rank() over (order by service) as r, dense_rank() over (order by service) as d from inv order by 1",
      [
        ["Counter", 1, 1],
        ["Counter", 1, 1],
        ["Greeter", 3, 2],
        ["Greeter", 3, 2],
        ["Greeter|k", 5, 3],
      ],
    ],
  ])("%s", async (statement, rows) => {
    const given = await rowsOf(statement);
    const isOrdered = statement.includes("order by");
    expect(isOrdered ? given : given.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))).toEqual(
      rows,
    );
  });
});
