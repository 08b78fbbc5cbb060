/** Bad input at the admin API: it is answered with the expected status and within limits of memory and time. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { INGRESS_SERVICES } from "../harness/local/ingress-services.ts";
import { openLocalStage, type LocalStage } from "../harness/local/local-stage.ts";
import { ask } from "../harness/local/raw-http.ts";
import { expectNoMoreThan, footprint, type Footprint } from "./footprint.ts";
import { computedMs } from "../processor-time.ts";

const JSON_TYPE = { "content-type": "application/json" };
const DEEP = 100_000;

let stage: LocalStage;
let before: Footprint;
beforeAll(async () => {
  stage = await openLocalStage({ services: INGRESS_SERVICES });
  for (let warm = 0; warm < 10; warm++) await ask(stage.adminPort, "GET /deployments");
  before = footprint();
});
afterAll(() => stage.close());

const nested = (open: string, close: string): string => open.repeat(DEEP) + close.repeat(DEEP);
const uri = (text: string): string => JSON.stringify({ uri: text });
const rule = (pattern: string, limits: object = {}): string => JSON.stringify([{ pattern, limits }]);

type Row = readonly [what: string, line: string, status: readonly number[], body?: string, headers?: object];

const ROWS: readonly Row[] = [
  ["no body", "POST /deployments", [400]],
  ["no JSON", "POST /deployments", [400], "{"],
  ["no UTF-8", "POST /deployments", [400], '{"uri":"\xff\xfe"}'],
  ["no object", "POST /deployments", [422], "[]"],
  ["null", "POST /deployments", [422], "null"],
  [
    "a content type other than JSON",
    "POST /deployments",
    [415],
    uri("http://127.0.0.1:1"),
    { "content-type": "text/plain" },
  ],
  ["deep arrays", "POST /deployments", [400, 422], nested("[", "]")],
  ["deep objects", "POST /deployments", [400, 422], `${'{"uri":'.repeat(DEEP)}1${"}".repeat(DEEP)}`],
  ["a deep value of a known name", "POST /deployments", [400], `{"uri":${nested("[", "]")}}`],
  ["names that objects inherit", "POST /deployments", [400], '{"__proto__":{"uri":"http://x"},"constructor":1}'],
  ["only a name that objects inherit", "POST /deployments", [422], '{"constructor":{"uri":"http://x"}}'],
  [
    "a state key that a plain parser would lose",
    "POST /services/Counter/state",
    [400],
    '{"object_key":"k","new_state":{"\\u005f_proto__":[1]}}',
  ],
  ["half of a character", "POST /services/Counter/state", [400], '{"object_key":"\\ud800","new_state":{}}'],
  [
    "half of a character in a name",
    "POST /services/Counter/state",
    [400],
    '{"object_key":"k","new_state":{"\\uDE00":[1]}}',
  ],
  ["numbers that are not finite", "POST /deployments", [422], '{"uri":1e999999}'],
  ["one name a hundred thousand times", "POST /deployments", [400], `{${'"uri":1,'.repeat(DEEP)}"uri":2}`],
  ["5 MB", "POST /deployments", [413], uri("x".repeat(5_000_000))],
  ...["", "x", "file:///etc/passwd", "http://", "http://[", "ftp://a.example", "http://a b/", "//a"].map(
    (text): Row => [`the address '${text}'`, "POST /deployments", text === "http://[" ? [500] : [400, 422], uri(text)],
  ),
  ["an address of 100 KB", "POST /deployments", [400, 422, 500], uri(`http://127.0.0.1:1/${"x".repeat(100_000)}`)],
  ["an address with line breaks", "POST /deployments", [400, 422, 500], uri("http://127.0.0.1:1/\r\nx: y")],
  [
    "headers with line breaks",
    "POST /deployments",
    [400],
    '{"uri":"http://127.0.0.1:1","additional_headers":{"a":"b\\r\\nc: d"}}',
  ],
  ["rules as an object", "PUT /limits/rules", [422], "{}"],
  ["deep arrays of rules", "PUT /limits/rules", [400, 422], nested("[", "]")],
  ["a hundred thousand rules", "PUT /limits/rules", [400], `[${'{"pattern":"a"},'.repeat(DEEP)}{}]`],
  ["a pattern of 1 MB", "PUT /limits/rules", [422], rule(`a/${"*/".repeat(500_000)}`)],
  ["a pattern of 1 MB of blanks", "PUT /limits/rules", [422], rule(" ".repeat(1_000_000))],
  ["a rate of 1 MB", "PUT /limits/rules", [422], rule("a", { rate: "9".repeat(1_000_000) })],
  ["a rate of long durations", "PUT /limits/rules", [422], rule("a", { rate: `1/${"1d ".repeat(200)}` })],
  ["a pattern that objects inherit", "PUT /limits/rules", [422], '[{"constructor":"a"}]'],
  [
    "a trial over an endless time",
    "POST /limits/rules/dry-run",
    [422],
    `{"rules":[],"over":"${"9".repeat(500_000)}d"}`,
  ],
  ["a trial of a thousand rules", "POST /limits/rules/dry-run", [422], JSON.stringify({ rules: Array(1_000).fill(0) })],
  ["rules to delete that are none", "POST /limits/rules/bulk-delete", [422], '[{"pattern":[]}]'],
  ["an unknown path", "GET /../../etc/passwd", [404]],
  ["a version that does not exist", "GET /v99/deployments", [400]],
  ["a version of 4,000 digits", `GET /v${"9".repeat(4_000)}/deployments`, [404]],
  ["escapes that are no UTF-8", "GET /services/%ff%fe", [400]],
  ["names that objects inherit, in a path", "GET /services/__proto__/handlers/constructor", [404]],
  ["a malformed id", "PATCH /invocations/bogus/cancel", [400, 404]],
  ["a kill of an unknown invocation", `PATCH /invocations/inv_1${"0".repeat(33)}/kill`, [404]],
  ["a wrong method", "PUT /deployments", [405]],
  ["a header that is no text", "GET /deployments", [200], "", { "x-any": "\xff\x80" }],
];

describe("is answered, and leaks no memory:", () => {
  for (const [what, line, statuses, body = "", headers = JSON_TYPE] of ROWS) {
    test(what, async () => {
      const answer = await ask(stage.adminPort, line, headers as Record<string, string>, body);
      expect(statuses).toContain(answer.status);
      expect(answer.body).not.toMatch(/node_modules|\.ts:\d|    at /);
      const { status, body: list } = await ask(stage.adminPort, "GET /deployments");
      expect([status, (JSON.parse(list) as { deployments: unknown[] }).deployments.length]).toEqual([200, 1]);
      await expectNoMoreThan(before);
    });
  }
});

const many = (count: number, text: (at: number) => string) => Array.from({ length: count }, (_, at) => text(at)).join();
const state = (members: string): string => `{"object_key":"k","new_state":{${members}}}`;

const LONG: readonly Row[] = [
  [
    "280,000 headers",
    "POST /deployments",
    [400],
    `{"uri":"http://a.example","additional_headers":{${many(280_000, (at) => `"${at}":""`)}}}`,
  ],
  ["250,000 keys of a state", "POST /services/Counter/state", [400], state(many(250_000, (at) => `"${at}":"1"`))],
  ["5,001 keys of a state", "POST /services/Counter/state", [400], state(many(5_001, (at) => `"${at}":[1]`))],
  ["a million invalid bytes", "POST /services/Counter/state", [422], state(`"k":[${many(1_000_000, () => "999")}]`)],
  [
    "900,000 ids",
    "POST /internal/invocations_batch_operations/kill",
    [400],
    `{"invocation_ids":[${many(900_000, () => '""')}]}`,
  ],
  [
    "900,000 numbers for ids",
    "POST /internal/invocations_batch_operations/kill",
    [400],
    `[${many(900_000, () => "1")}]`,
  ],
  ["300,000 options", "POST /subscriptions", [400], `{"options":{${many(300_000, (at) => `"${at}":1`)}}}`],
];

const COMPUTED_MAX_MS = 1_000;

describe("is refused before its elements are checked one by one:", () => {
  for (const [what, line, statuses, body = ""] of LONG) {
    test(what, async () => {
      const sinceMs = computedMs();
      const answer = await ask(stage.adminPort, line, JSON_TYPE, body);
      const tookMs = computedMs() - sinceMs;
      expect(statuses).toContain(answer.status);
      expect(answer.body.length).toBeLessThan(300);
      expect(tookMs).toBeLessThan(COMPUTED_MAX_MS);
    });
  }
});

test("a state of many keys and a state of a large value are accepted", async () => {
  const keys = state(many(3_000, (at) => `"${at}":"1"`));
  expect((await ask(stage.adminPort, "POST /services/Counter/state", JSON_TYPE, keys)).status).toBe(202);
  const bytes = state(`"k":[${many(500_000, (at) => String(at % 256))}]`);
  expect((await ask(stage.adminPort, "POST /services/Counter/state", JSON_TYPE, bytes)).status).toBe(202);
});

test("escaped surrogate pairs are accepted, and so is a text that only looks like the escape of half a pair", async () => {
  const escaped = '{"object_key":"\\ud83d\\ude00","new_state":{"\\\\ud800":[49]}}';
  expect((await ask(stage.adminPort, "POST /services/Counter/state", JSON_TYPE, escaped)).status).toBe(202);
  const { body } = await ask(stage.adminPort, "GET /services/Counter/state?object_key=%F0%9F%98%80");
  expect(JSON.parse(body)).toMatchObject({ state: { "\\ud800": { utf8: "1" } } });
});

test("twenty simultaneous registrations of one address create one deployment", async () => {
  const { body } = await ask(stage.adminPort, "GET /deployments");
  const { deployments } = JSON.parse(body) as { deployments: { id: string; uri: string }[] };
  const [first] = deployments;
  const again = () => ask(stage.adminPort, "POST /deployments", JSON_TYPE, uri(first!.uri));
  expect((await ask(stage.adminPort, `DELETE /deployments/${first!.id}?force=true`)).status).toBe(202);
  const answers = await Promise.all(Array.from({ length: 20 }, again));
  const made = answers.filter(({ status }) => status === 201);
  expect([made.length, answers.filter(({ body: told }) => told.includes("META0004")).length]).toEqual([1, 19]);
  const { body: list } = await ask(stage.adminPort, "GET /deployments");
  expect((JSON.parse(list) as { deployments: { id: string }[] }).deployments.map(({ id }) => id)).toEqual([
    (JSON.parse(made[0]!.body) as { id: string }).id,
  ]);
});

test.each([
  ["PATCH", `/invocations/%69nv_1${"0".repeat(33)}/kill`],
  ["PATCH", `/invocations/inv_%31${"0".repeat(33)}/kill`],
  ["PATCH", "/services/%43ounter"],
  ["GET", "/services/Counter/handlers/%67et"],
  ["POST", "/internal/invocations_batch_operations/%6bill"],
])("%s %s is refused: a path may not escape a letter or a digit", async (method, path) => {
  const body = path.includes("batch") ? '{"invocation_ids":[]}' : "{}";
  const spelt = await ask(stage.adminPort, `${method} ${path}`, JSON_TYPE, body);
  expect([spelt.status, spelt.body]).toEqual([400, expect.stringContaining("write the character itself")]);
  const plain = await ask(stage.adminPort, `${method} ${decodeURIComponent(path)}`, JSON_TYPE, body);
  expect(plain.status).not.toBe(400);
});
