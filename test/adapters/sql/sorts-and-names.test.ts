/** Tests sorts, joins and names: each answer is the one that DataFusion gives over the same rows. */
import { describe, expect, test } from "vitest";
import { SqlEngine } from "../../../shared/adapters/sql/sql-engine.ts";
import { at, invocationTables } from "./invocation-tables.ts";

const sql = new SqlEngine(() => at("2026-02-02T00:00:00Z"));

async function rowsOf(statement: string) {
  return (await sql.run(statement, invocationTables())).rows;
}

describe("sorts and names", () => {
  test.each<[string, unknown[][]]>([
    ["select id from inv order by key, id", [["e"], ["d"], ["b"], ["a"], ["c"]]],
    ["select id from inv order by retry_count", [["a"], ["c"], ["e"], ["d"], ["b"]]],
    ["select id from inv order by flag, id", [["b"], ["e"], ["a"], ["d"], ["c"]]],
    ["select id from inv order by modified_at", [["d"], ["e"], ["b"], ["a"], ["c"]]],
    [
      "select id, retry_count * -1 as retry_count from inv order by retry_count",
      [
        ["d", -10],
        ["e", -7],
        ["c", -3],
        ["a", -2],
        ["b", null],
      ],
    ],
    [
      "select id, -retry_count as retry_count from inv order by retry_count + 0",
      [
        ["d", -10],
        ["e", -7],
        ["c", -3],
        ["a", -2],
        ["b", null],
      ],
    ],
    [
      "select id, -retry_count as r from inv order by r",
      [
        ["d", -10],
        ["e", -7],
        ["c", -3],
        ["a", -2],
        ["b", null],
      ],
    ],
    [
      "select id as status, status as id from inv order by id, status",
      [
        ["e", "Running"],
        ["b", "completed"],
        ["d", "completed"],
        ["a", "running"],
        ["c", "suspended"],
      ],
    ],
    [
      "select id as status, status as id from inv order by status",
      [
        ["a", "running"],
        ["b", "completed"],
        ["c", "suspended"],
        ["d", "completed"],
        ["e", "Running"],
      ],
    ],
    [
      "select upper(id) as status, status as s from inv order by id",
      [
        ["A", "running"],
        ["B", "completed"],
        ["C", "suspended"],
        ["D", "completed"],
        ["E", "Running"],
      ],
    ],
    [
      "select id as key, key as id from inv order by 1",
      [
        ["a", "k|1"],
        ["b", "k"],
        ["c", null],
        ["d", "NULL"],
        ["e", "1"],
      ],
    ],
    ["select id from inv order by retry_count > 2, id", [["a"], ["c"], ["d"], ["e"], ["b"]]],
    ["select id from inv order by retry_count / 2, id", [["a"], ["c"], ["e"], ["d"], ["b"]]],
    ["select id from inv order by modified_at - created_at", [["e"], ["b"], ["a"], ["d"], ["c"]]],
    [
      "select id || 'status' as a from inv order by id || status",
      [["astatus"], ["bstatus"], ["cstatus"], ["dstatus"], ["estatus"]],
    ],
    [
      "select id, modified_at as created_at from inv order by created_at",
      [
        ["d", at("2024-03-29T12:00:00Z")],
        ["e", at("2026-01-29T23:00:00Z")],
        ["b", at("2026-01-31T08:16:02Z")],
        ["a", at("2026-02-01T09:00:00Z")],
        ["c", null],
      ],
    ],
    ["select id from inv where status = 'completed' order by retry_count", [["d"], ["b"]]],
    [
      "select i.id, not (d.n = 1) as u from inv i left join dp d on d.id = i.dep order by i.id",
      [
        ["a", false],
        ["b", null],
        ["c", false],
        ["d", null],
        ["e", true],
      ],
    ],
    [
      "with t as (select id, retry_count as r from inv) select id, r / 2 from t order by id",
      [
        ["a", 1],
        ["b", null],
        ["c", 1],
        ["d", 5],
        ["e", 3],
      ],
    ],
    [
      "select id, (select max(created_at) from inv) - created_at as age from inv order by id",
      [
        ["a", 750],
        ["b", 0],
        ["c", 2708103000],
        ["d", 60639302000],
        ["e", 116102000],
      ],
    ],
    [
      "select a.id, d.id as did, c.id as cid from inv a join dp d on d.id = a.dep join inv c on c.id = a.id order by a.id",
      [
        ["a", "dp_1", "a"],
        ["c", "dp_1", "c"],
        ["e", "dp_2", "e"],
      ],
    ],
    [
      "select a.id as x, b.id as y from inv a join inv b on a.key = b.key order by x",
      [
        ["a", "a"],
        ["b", "b"],
        ["d", "d"],
        ["e", "e"],
      ],
    ],
    [
      "select d.id as x, i.id as y from dp d full join inv i on i.dep = d.id order by x, y",
      [
        ["dp_1", "a"],
        ["dp_1", "c"],
        ["dp_2", "e"],
        ["dp_3", null],
        [null, "b"],
        [null, "d"],
      ],
    ],
    [
      "select id, row_number() over (partition by service order by retry_count) as r from inv order by id",
      [
        ["a", 1],
        ["b", 2],
        ["c", 1],
        ["d", 2],
        ["e", 1],
      ],
    ],
    [
      "select * from (select id, retry_count from inv order by retry_count limit 2) order by id",
      [
        ["a", 2],
        ["c", 3],
      ],
    ],
    ["select x / 2 from (select retry_count + 1 as x from inv) order by x", [[1], [2], [4], [5], [null]]],
  ])("%s", async (statement, rows) => {
    const given = await rowsOf(statement);
    const isOrdered = statement.includes("order by");
    expect(isOrdered ? given : given.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))).toEqual(
      rows,
    );
  });
});
