/**
 * Tests that a statement without a right answer is refused with a reason, and that long statements are answered or refused in
 * time.
 */
import { describe, expect, test } from "vitest";
import { SqlEngine } from "../../../shared/adapters/sql/sql-engine.ts";
import { SqlError } from "../../../shared/engine/ports/sql.ts";
import { at, invocationTables } from "./invocation-tables.ts";
import { computedMs } from "../../processor-time.ts";

const sql = new SqlEngine(() => at("2026-02-02T00:00:00Z"));

async function columnOf(statement: string) {
  const { rows } = await sql.run(statement, invocationTables());
  return rows.map(([value]) => value);
}

describe("a statement without a right answer is refused", () => {
  test.each([
    ["select created_at - 1 from inv", "moment - a value has no result"],
    ["select created_at * 2 from inv", "moment * a value has no result"],
    ["select created_at + modified_at from inv", "moment + moment has no result"],
    ["select -created_at from inv", "a moment cannot be negated"],
    ["select extract(hour from modified_at - created_at) from inv", "extract of a duration reads epoch here"],
    ["select date_bin(interval '1 month 1 day', created_at) from inv", "has months, which have no fixed length"],
    ["select created_at + (interval '1 month' + interval '1 day') from inv", "has months, which have no fixed length"],
    ["select created_at + interval '1.5 months' from inv", "has a fraction of a month"],
    ["select '7.9'::int", "'7.9' is no integer"],
    ["select ''::int", "'' is no integer"],
    ["select 'maybe'::boolean", "'maybe' is no boolean"],
    ["select '99999999999999999999'::bigint", "is no integer of 64 bits"],
    ["select 9223372036854775807 + 1", "is no integer of 64 bits"],
    ["select 'x'::double", "'x' is no number"],
    ["select 'abc' + 1", "'abc' is no number"],
    ["select 1 / 0", "write nullif(..., 0)"],
    ["select retry_count % 0 from inv", "write nullif(..., 0)"],
    ["select ('{\"n\":5}'->>'n') / 2", "write a::bigint / b"],
    ["select sum(status) from inv", "sum needs numbers, and this is a text"],
    ["select avg(created_at) from inv", "avg needs numbers, and this is a moment"],
    ["select a.id, b.id from inv a join inv b on a.dep = b.dep", "name the columns, and one of these with AS"],
    ["select * from inv i left join dp d on d.id = i.dep", "two columns have the name 'id'"],
    ["select id from inv where flag = 'maybe'", "'maybe' is no boolean"],
    ["select id from inv where created_at > 5", "a moment and a integer cannot be compared"],
    ["select ty from inv join dp on inv.dep = dp.id where id = 'a'", "write inv.id or dp.id"],
    ["select id from inv where status", "a condition is true or false"],
    ["select a.id from inv a, dp b", "need an equality of their columns in WHERE"],
    ["select id from inv union select id, ty from dp", "have 1 and 2 columns"],
    ["select id from inv where dep in (select id, ty from dp)", "has one column"],
  ])("%s", async (statement, message) => {
    const error: unknown = await columnOf(statement).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(SqlError);
    expect((error as Error).message).toContain(message);
  });
});

describe("integers beyond 2^53 stay exact", () => {
  test.each<[string, unknown]>([
    [`'{"a":9007199254740993}'->>'a'`, "9007199254740993"],
    [
      `'{"a":[1.50,12345678901234567890,"1234567890123456789"]}'->'a'`,
      '[1.50,12345678901234567890,"1234567890123456789"]',
    ],
    [`'{"n1":"n1","b":9007199254740993}'->>'n1'`, "n1"],
    ["'9007199254740993'::bigint", 9_007_199_254_740_993n],
    ["9007199254740992 + 1", 9_007_199_254_740_993n],
    ["('9007199254740993'::bigint - 9007199254740992)", 1],
  ])("%s", async (expression, value) => {
    expect(await columnOf(`select ${expression} as v`)).toEqual([value]);
  });
});

/** Each of them takes a tenth of it; in the square of its length, or in a power of its depth, it would take minutes. */
const COMPUTED_MAX_MS = 10_000;

describe("long and deep statements", () => {
  test.each<[string, string]>([
    ["comments", `select ${"/* */".repeat(20_000)} 1`],
    ["an open comment", `select 1 ${"/* ".repeat(30_000)}`],
    ["nested IS UNKNOWN tests", `select ${"(".repeat(40)}flag${") is unknown".repeat(40)} from inv`],
    ["comparisons of comparisons", `select ${"(".repeat(40)}retry_count = 1${") = true".repeat(40)} from inv`],
    ["nested conditions", `select id from inv where ${"(".repeat(40)}flag${") = (retry_count = 2)".repeat(40)}`],
    ["nested calls of coalesce", `select ${"coalesce(".repeat(40)}key${", id)".repeat(40)} from inv`],
    ["a long list of arguments", `select concat(${"'a',".repeat(60_000)}'b')`],
    ["nested BETWEENs", `select ${"(".repeat(40)}retry_count${" between 1 and 2)".repeat(40)} from inv`],
    [
      "nested CASEs",
      `select ${"case (".repeat(40)}flag${") when true then true when false then null end".repeat(40)} from inv`,
    ],
    ["a long chain of additions", `select ${"1+".repeat(100_000)}1`],
    ["many conditions", `select id from inv where ${"id = 'x' or ".repeat(15_000)}id = 'a'`],
    ["many equal columns", `select ${"1, ".repeat(20_000)}1`],
    ["many UNIONs", `select 1 as x${" union all select 1".repeat(2_000)}`],
    ["many answered UNIONs", `select 1 as x${" union all select 1".repeat(200)}`],
    ["nested SELECTs", `select x from ${"(select x from ".repeat(390)}(select id as x from inv) t${") t".repeat(390)}`],
    ["nested queries in expressions", `select ${"(select ".repeat(190)}id${")".repeat(190)} as x from inv`],
    ["a long call of first_value", `select first_value(${"1,".repeat(120_000)}1) from inv`],
  ])("%s are answered or refused after little work", async (_what, statement) => {
    const startedMs = computedMs();
    const error: unknown = await columnOf(statement).then(
      () => undefined,
      (caught: unknown) => caught,
    );
    if (error !== undefined) expect(error).toBeInstanceOf(SqlError);
    expect(computedMs() - startedMs).toBeLessThan(COMPUTED_MAX_MS);
  });
});
