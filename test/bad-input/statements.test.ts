/** Statements that would occupy the process: each is refused or answered, and then the next statement is answered. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { INGRESS_SERVICES } from "../harness/local/ingress-services.ts";
import { openLocalStage, type LocalStage } from "../harness/local/local-stage.ts";
import { ask } from "../harness/local/raw-http.ts";

const HEADERS = { "content-type": "application/json", accept: "application/json" };
const LEVELS = 28;

let stage: LocalStage;
beforeAll(async () => {
  stage = await openLocalStage({ services: INGRESS_SERVICES });
});
afterAll(() => stage.close());

async function answered(query: string): Promise<{ readonly status: number; readonly body: string }> {
  return await ask(stage.adminPort, "POST /query", HEADERS, JSON.stringify({ query }));
}

/** Builds a statement in which each level mentions the level below it twice. */
function doubling(level: (below: string) => string, table = "sys_invocation"): string {
  const parts = Array.from({ length: LEVELS }, (_, at) => `t${at} AS (${level(at === 0 ? table : `t${at - 1}`)})`);
  return `WITH ${parts.join(", ")} SELECT count(*) FROM t${LEVELS - 1}`;
}

const OFTEN = /read tables more than 1000 times/;
const LONG = /at most 262144 letters/;

test.each<[what: string, query: string, status: number, told: RegExp]>([
  [
    "reads a table 2^28 times",
    doubling((t) => `SELECT * FROM ${t} UNION ALL SELECT * FROM ${t}`, "information_schema.columns"),
    400,
    OFTEN,
  ],
  ["reads an empty table 2^28 times", doubling((t) => `SELECT id FROM ${t} UNION SELECT id FROM ${t}`), 400, OFTEN],
  [
    "joins an empty table 2^28 times",
    doubling((t) => `SELECT a.id FROM ${t} a JOIN ${t} b ON a.id = b.id`),
    400,
    OFTEN,
  ],
  [
    "has an IN of an empty table on 28 levels",
    doubling((t) => `SELECT id FROM ${t} WHERE id IN (SELECT id FROM ${t})`),
    400,
    OFTEN,
  ],
  [
    "has an EXISTS on each of its levels",
    doubling((t) => `SELECT id FROM (SELECT id FROM ${t}) x WHERE EXISTS (SELECT id FROM ${t})`),
    400,
    OFTEN,
  ],
  [
    "is a UNION of 2,000 statements",
    `SELECT name FROM sys_service${" UNION ALL SELECT name FROM sys_service".repeat(2_000)}`,
    400,
    /at most 200 UNION, INTERSECT or EXCEPT follow each other/,
  ],
  ["is too long", `SELECT ${"1,".repeat(150_000)}1`, 400, LONG],
  ["has brackets that it does not close", `SELECT ${"FIRST_VALUE(".repeat(20_000)}`, 400, /./],
  ["has 30,000 levels of brackets", `SELECT ${"(".repeat(30_000)}1${")".repeat(30_000)} FROM sys_service`, 400, /./],
  ["adds 50,000 times", `SELECT 1${"+1".repeat(50_000)} FROM sys_service`, 400, /./],
  [
    "joins each row with each row",
    "SELECT 1 FROM sys_service a JOIN sys_service b ON 1 = 1",
    400,
    /needs ON with an equality/,
  ],
  [
    "has an exponential regular expression",
    `SELECT * FROM sys_service WHERE regexp_matches(name, '(a+)+$')`,
    400,
    /is not supported/,
  ],
  [
    "has a LIKE with 200 parts",
    `SELECT name FROM sys_service WHERE '${"a".repeat(20_000)}' LIKE '${"%a".repeat(200)}b'`,
    200,
    /"rows":\[\]/,
  ],
  [
    "has a list of 50,000 values",
    `SELECT name FROM sys_service WHERE name IN ('a'${",'a'".repeat(50_000)})`,
    200,
    /"rows":\[\]/,
  ],
])("a statement that %s", async (_what, query, status, told) => {
  const answer = await answered(query);
  expect([answer.status, answer.body]).toEqual([status, expect.stringMatching(told)]);
  expect(await answered("SELECT name FROM sys_service ORDER BY name LIMIT 1")).toMatchObject({ status: 200 });
});

test("typical statements of clients are far below the limits", async () => {
  const mentions = Array.from({ length: 200 }, () => "SELECT name FROM sys_service").join(" UNION ALL ");
  const named = `WITH a AS (SELECT name FROM sys_service), b AS (SELECT name FROM a UNION ALL SELECT name FROM a) SELECT count(*) FROM b`;
  const { body } = await answered("SELECT count(*) FROM sys_service");
  const { rows } = JSON.parse(body) as { rows: [{ "count(*)": number }] };
  expect((await answered(mentions)).status).toBe(200);
  expect(JSON.parse((await answered(named)).body)).toEqual({ rows: [{ "count(*)": 2 * rows[0]["count(*)"] }] });
});
