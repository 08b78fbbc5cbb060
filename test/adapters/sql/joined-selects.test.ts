/** Tests joins with subqueries and named statements: each answer is the one that DataFusion gives over the same rows. */
import { describe, expect, test } from "vitest";
import { SqlEngine } from "../../../shared/adapters/sql/sql-engine.ts";
import { at, invocationTables } from "./invocation-tables.ts";

const sql = new SqlEngine(() => at("2026-02-02T00:00:00Z"));

describe("a JOIN with a subquery", () => {
  test.each<[string, unknown[][]]>([
    ["select inv.id, d.ty from inv join (select id, ty from dp where n > 1) as d on inv.dep = d.id", [["e", "lambda"]]],
    [
      "select inv.id, d.ty from inv left join (select id, ty from dp where n > 5) d on inv.dep = d.id",
      ["a", "b", "c", "d", "e"].map((id) => [id, null]),
    ],
    [
      "with d as (select id, ty from dp where n > 5) select inv.id, d.ty from inv left join d on inv.dep = d.id limit 1",
      [["a", null]],
    ],
    [
      "select * from (select inv.id as i, d.ty from inv join (select id, ty from dp) d on inv.dep = d.id) x",
      [
        ["a", "http"],
        ["c", "http"],
        ["e", "lambda"],
      ],
    ],
    [
      `with y as (select inv.id, d.ty from inv join (select id, ty from dp) d on inv.dep = d.id),
            z as (select id from inv)
       select z.id, u.ty from z left join (select ty, id from y) u on u.id = z.id order by z.id limit 2`,
      [
        ["a", "http"],
        ["b", null],
      ],
    ],
    [
      "select a.id from inv a where a.dep in (select d.id from dp d join (select id from dp where n = 1) e on e.id = d.id)",
      [["a"], ["c"]],
    ],
    [
      `select s.id, s.c, k.m from (select dep as id, count(*) as c from inv group by dep) s
       join (select id, max(n) m from dp group by id) k on k.id = s.id`,
      [
        ["dp_1", 2, 1],
        ["dp_2", 1, 2],
      ],
    ],
    [
      `select a.id from inv a
       join (select service, max(created_at) as c from inv group by service) b
       on a.service = b.service and a.created_at = b.c`,
      [["b"], ["c"], ["e"]],
    ],
    [
      "select count(*) from inv a left join (select id, flag from inv) b on a.id = b.id where b.flag is not true",
      [[3]],
    ],
    [
      `select a.id from inv a join (select id from dp where n = 1) d on a.dep = d.id
       union all select id from dp where n = 2`,
      [["a"], ["c"], ["dp_2"]],
    ],
    [
      `select a.id, d.ty, e.n from inv a
       left join (select id, ty from dp where ty = 'lambda') d on a.dep = d.id
       left join (select id, n from dp where n = 1) e on a.dep = e.id where a.status = 'running'`,
      [["a", null, 1]],
    ],
  ])("%s", async (statement, rows) => {
    expect((await sql.run(statement, invocationTables())).rows).toEqual(rows);
  });

  test.each<[string, unknown[][]]>([
    [
      "select a.id, b.id as other from inv a left join inv b on a.key = b.key order by a.id",
      [
        ["a", "a"],
        ["b", "b"],
        ["c", null],
        ["d", "d"],
        ["e", "e"],
      ],
    ],
    ["select inv.id, ty from inv, dp where dep = dp.id and n > 1", [["e", "lambda"]]],
    ["select inv.id, ty from inv cross join dp where dep = dp.id and n > 1", [["e", "lambda"]]],
    ["select id from inv i where exists (select 1 from dp where dp.id = i.dep) order by id", [["a"], ["c"], ["e"]]],
    ["select id from inv i where not exists (select 1 from dp where dp.id = i.dep) order by id", [["b"], ["d"]]],
    [
      "select id, (select count(*) from inv where dep = dp.id) as n from dp order by id",
      [
        ["dp_1", 2],
        ["dp_2", 1],
        ["dp_3", 0],
      ],
    ],
    ["select id from inv i where 'http' in (select ty from dp where dp.id = i.dep) order by id", [["a"], ["c"]]],
    ["select id from inv where service = any(select 'Greeter' as s)", [["a"], ["b"]]],
    ["select id from inv where id = any(array['b', 'd'])", [["b"], ["d"]]],
    ["select id from inv where status ilike 'RUN%' order by id", [["a"], ["e"]]],
    [
      "select arrow_typeof(created_at), arrow_typeof(retry_count) from inv limit 1",
      [['Timestamp(Millisecond, Some("+00:00"))', "Int64"]],
    ],
    ["select id from inv where (key = '1') is true", [["e"]]],
    ["select id from inv where key = '1' is true", [["e"]]],
  ])("%s", async (statement, rows) => {
    expect((await sql.run(statement, invocationTables())).rows).toEqual(rows);
  });

  test("within an expression reads of its table only what the row around allows", async () => {
    const tables = invocationTables();
    await sql.run("select id from inv i where exists (select 1 from dp where dp.id = i.dep)", tables);
    expect(tables[1]!.scans.map(({ narrowing }) => narrowing.get("id")?.in)).toEqual([
      ["dp_1"],
      ["dp_gone"],
      ["dp_1"],
      [],
      ["dp_2"],
    ]);
  });

  test("has the types of the columns of its subquery", async () => {
    const statement = "select c.created_at from dp d left join (select dep, created_at from inv) c on c.dep = d.id";
    expect((await sql.run(statement, invocationTables())).columns).toEqual([{ name: "created_at", type: "moment" }]);
  });

  test("without a parenthesis at its end is refused", async () => {
    await expect(sql.run("select a.id from inv a join (select id from dp", invocationTables())).rejects.toMatchObject({
      kind: "syntax",
    });
  });
});
