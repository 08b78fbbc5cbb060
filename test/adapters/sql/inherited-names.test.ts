/** Statements whose names are those that objects of JavaScript inherit: they are names like any other. */
import { describe, expect, test } from "vitest";
import { SqlEngine } from "../../../shared/adapters/sql/sql-engine.ts";
import { at, invocationTables } from "./invocation-tables.ts";

const sql = new SqlEngine(() => at("2026-02-02T00:00:00Z"));

/** Statements in which `NAME` stands for the name, and the statement with a plain name that has the same rows. */
const STATEMENTS: readonly string[] = [
  "select 1 as NAME",
  "select 1 as a, null as NAME",
  "select id as NAME from inv order by id",
  "select id as NAME from inv order by NAME desc limit 2",
  "select distinct service as NAME from inv order by NAME",
  "select count(*) as NAME from inv",
  "select service as NAME, count(*) as n from inv group by service order by service",
  "select service, max(retry_count) as NAME from inv group by service having max(retry_count) > 0 order by service",
  "select t.NAME from (select id as NAME from inv) t order by 1",
  "select * from (select 1 as NAME, 2 as b) t",
  "with t as (select id as NAME, retry_count as b from inv) select NAME, b from t where NAME is not null order by b, NAME",
  "with NAME as (select id from inv) select id from NAME order by id",
  "select NAME.id from inv as NAME order by id",
  "select a.id from inv a join (select id as NAME from inv) b on a.id = b.NAME order by a.id",
  "select a.id, b.NAME from inv a left join (select id as NAME from inv where service = 'Greeter') b on a.id = b.NAME order by a.id",
  "select id as NAME from inv union all select service as NAME from inv order by NAME",
  "select row_number() over (order by id) as NAME from inv order by id",
  "select case when 1 = 1 then 2 end as NAME",
];

const columnsOf = (columns: readonly { readonly name: string }[]) => columns.map(({ name }) => name);

describe.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("%s", (name) => {
  test.each(STATEMENTS)("%s", async (statement) => {
    const [named, plain] = await Promise.all([
      sql.run(statement.replaceAll("NAME", `"${name}"`), invocationTables()),
      sql.run(statement.replaceAll("NAME", "plain_name"), invocationTables()),
    ]);
    expect(named.rows).toEqual(plain.rows);
    expect(columnsOf(named.columns)).toEqual(
      columnsOf(plain.columns).map((one) => (one === "plain_name" ? name : one)),
    );
  });

  test("is no column of a table", async () => {
    await expect(sql.run(`select "${name}" from inv`, invocationTables())).rejects.toThrow(name);
    await expect(sql.run(`select id from "${name}"`, invocationTables())).rejects.toThrow(name);
  });
});
