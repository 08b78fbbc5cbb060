/** Tests statements and the list of invocations over the admin API. */
import { tableFromIPC } from "@uwdata/flechette";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adminApp } from "../../../shared/api/admin/admin-app.ts";
import { columnedJson, rowsJson } from "../../../shared/api/admin/sql/query-rows.ts";
import { invocationUseCases } from "../../../shared/wiring/use-cases.ts";
import { statementEvaluation, type OpenStatementEvaluation } from "../../../shared/wiring/statement-evaluation.ts";
import { readSettings } from "../../../shared/config/settings.ts";
import { openAdminPlane, type AdminPlane } from "./admin-plane.ts";

let plane: AdminPlane;
let statements: OpenStatementEvaluation;
beforeAll(async () => {
  plane = await openAdminPlane();
  statements = statementEvaluation(plane.engine, readSettings({ environment: {}, flags: {} }).settings);
});
afterAll(() => {
  statements.close();
  return plane.close();
});

async function ask(method: string, target: string, body?: unknown, accept = "application/json") {
  const app = adminApp(plane.engine, {
    version: "1.2.3",
    runsOn: "one-process",
    metricsText: async () => "",
    invocations: invocationUseCases,
    statements,
  });
  const [path = "", query = ""] = target.split("?");
  const sent = new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body ?? ""));
  const headers = { "content-type": "application/json", accept };
  const response = await app({ method, path, query, headers, body: sent });
  return { ...response, text: new TextDecoder().decode(response.body) };
}

const COUNT = { query: "SELECT COUNT(1) AS inv_count FROM sys_invocation_status WHERE status != 'completed'" };

test("a statement is answered as JSON if the client accepts only JSON, and otherwise as Arrow", async () => {
  const json = await ask("POST", "/v4/query", COUNT);
  expect([json.status, json.headers["content-type"], json.text]).toEqual([
    200,
    "application/json",
    '{"rows":[{"inv_count":0}]}',
  ]);
  for (const accept of ["*/*", "application/json, text/plain"]) {
    const arrow = await ask("POST", "/query", COUNT, accept);
    expect(arrow.headers["content-type"]).toBe("application/vnd.apache.arrow.stream");
    // The reader makes typed arrays over the bytes, and a typed array must begin at a multiple of eight bytes. The test
    // therefore copies the bytes into a buffer of their own.
    expect(tableFromIPC(Uint8Array.from(arrow.body), { useBigInt: true }).toArray()).toEqual([{ inv_count: 0n }]);
  }
});

test.each([
  ["selec 1", 400, "Expected SELECT but found 'selec' at position 0"],
  [
    "select 1 from sys_service; select 2 from sys_service",
    400,
    "Expected the end of the statement but found 'select' at position 27",
  ],
  ["select 1 from", 400, "Expected a table but found the end of the statement at position 13"],
  ["delete from sys_invocation", 400, "Expected SELECT but found 'delete' at position 0"],
  ["select id from sys_nothing", 400, "sys_nothing"],
  ["select nothing from sys_service", 400, "nothing"],
])("%s is refused", async (query, status, words) => {
  const answer = await ask("POST", "/query", { query });
  expect(answer.status, answer.text).toBe(status);
  const body = JSON.parse(answer.text) as Record<string, string>;
  expect(Object.keys(body)).toEqual(["message"]);
  expect(body["message"]).toContain(words);
});

test.each(["__proto__", "constructor", "a b", "1"])(
  "a column may have the name %s, in JSON with and without the columns, and in Arrow",
  async (name) => {
    const query = `SELECT 1 AS "${name}", NULL AS other`;
    const textOf = async (body: object) => (await ask("POST", "/query", body)).text;
    expect(await textOf({ query })).toBe(`{"rows":[{"${name}":1}]}`);
    expect(await textOf({ query, columns: true })).toBe(`{"columns":["${name}","other"],"rows":[{"${name}":1}]}`);
    const arrow = await ask("POST", "/query", { query }, "*/*");
    expect([arrow.status, arrow.headers["content-type"]]).toEqual([200, "application/vnd.apache.arrow.stream"]);
    const table = tableFromIPC(Uint8Array.from(arrow.body), { useBigInt: true });
    expect(table.schema.fields.map((field) => field.name)).toEqual([name, "other"]);
    expect([...table.getChildAt(0)!]).toEqual([1n]);
  },
);

test("a body that is not JSON, a body without a statement, and a GET get different statuses", async () => {
  expect((await ask("POST", "/query", "{")).status).toBe(400);
  expect((await ask("POST", "/query", { sql: "x" })).status).toBe(422);
  expect((await ask("GET", "/query")).status).toBe(405);
});

test("the answer names the columns of the statement if the request asks for them, also without rows", async () => {
  const query = "select id, retry_count from sys_invocation where id = 'none'";
  const textOf = async (body: object) => (await ask("POST", "/query", body)).text;
  expect(await textOf({ query, columns: true })).toBe('{"columns":["id","retry_count"],"rows":[]}');
  expect(await textOf({ query, columns: false })).toBe('{"rows":[]}');
  expect(await textOf({ query })).toBe('{"rows":[]}');
});

test("rows as JSON omit null values, and integers keep all digits", () => {
  const write = rowsJson([
    { name: "key", type: "integer" },
    { name: "at", type: "moment" },
    { name: "for", type: "duration" },
    { name: "raw", type: "bytes" },
    { name: "none", type: "text" },
  ]);
  const row = [2n ** 64n - 1n, 1_700_000_000_000, 86_400_000, Uint8Array.of(1, 171), null];
  expect(Buffer.from(write([row], true)).toString()).toBe(
    '{"rows":[{"key":18446744073709551615,"at":"2023-11-14T22:13:20Z","for":"PT86400S","raw":"01ab"}]}',
  );
});

test.each([
  ["status=nope", 400],
  ["limit=0", 400],
  ["limit=501", 400],
  ["after=nope", 400],
  ["cause=nope", 400],
  ["deployment=dp_1", 200],
  ["cause=0123456789ab&status=completed", 200],
  ["status=open,completed&service=S&handler=h&key=a%2Cb&limit=5", 200],
  ["", 200],
])("the list of invocations by '%s' is %i", async (query, status) => {
  expect((await ask("GET", `/invocations?${query}`)).status).toBe(status);
});

test("statements list and describe the tables, and a statement needs no table", async () => {
  const rowsOf = async (query: string) => JSON.parse((await ask("POST", "/query", { query })).text).rows as unknown[];
  expect(await rowsOf("SELECT 1")).toEqual([{ "Int64(1)": 1 }]);
  const tables = await rowsOf("show tables");
  for (const [table_schema, table_name, table_type] of [
    ["public", "state", "BASE TABLE"],
    ["public", "sys_invocation", "BASE TABLE"],
    ["information_schema", "columns", "VIEW"],
  ])
    expect(tables).toContainEqual({ table_catalog: "restate", table_schema, table_name, table_type });
  expect((await rowsOf("describe sys_service")).slice(0, 2)).toEqual([
    { column_name: "name", data_type: "LargeUtf8", is_nullable: "YES" },
    { column_name: "revision", data_type: "UInt64", is_nullable: "YES" },
  ]);
  expect(
    await rowsOf(
      "select count(*) as n from information_schema.columns where table_schema = 'public' and table_name = 'sys_journal' and column_name in ('version', 'entry_json')",
    ),
  ).toEqual([{ n: 2 }]);
});

test("durations and moments that an expression computes are written like those of columns", async () => {
  const { text } = await ask("POST", "/query", {
    query:
      "select interval '1 day' as d, to_timestamp('2026-01-31T08:00:00Z') as t, '{\"a\":{\"b\":1}}'->'a'->>'b' as j",
  });
  expect(JSON.parse(text)).toEqual({ rows: [{ d: "PT86400S", t: "2026-01-31T08:00:00Z", j: "1" }] });
});

test("the statement by which the reference's web UI counts invocations by state is answered", async () => {
  const { status, text } = await ask("POST", "/query", {
    query: `SELECT target_service_name, word, COUNT(*) AS n FROM (
      SELECT ss.target_service_name, CASE WHEN s.in_flight IS TRUE THEN 'running' ELSE ss.status END AS word
      FROM sys_invocation_status ss LEFT JOIN sys_invocation_state s ON ss.id = s.id LIMIT 1000000)
      GROUP BY target_service_name, word`,
  });
  expect([status, JSON.parse(text)]).toEqual([200, { rows: [] }]);
});

test("rows as JSON in several pieces are one document, also if the last piece or all of them are empty", () => {
  const written = (...groups: number[][]): unknown => {
    const write = columnedJson([{ name: "n", type: "integer" }]);
    const pieces = groups.map((group, at) =>
      write(
        group.map((n) => [n]),
        at === groups.length - 1,
      ),
    );
    return JSON.parse(Buffer.concat(pieces).toString());
  };
  expect(written([1, 2], [3], [])).toEqual({ columns: ["n"], rows: [{ n: 1 }, { n: 2 }, { n: 3 }] });
  expect(written([1], [2])).toEqual({ columns: ["n"], rows: [{ n: 1 }, { n: 2 }] });
  expect(written([])).toEqual({ columns: ["n"], rows: [] });
});
