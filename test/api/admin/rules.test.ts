/** The rules of flow control over the admin API: storage, answers, preconditions, refusals, and who changed them. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { openAdminPlane, type AdminPlane } from "./admin-plane.ts";

let plane: AdminPlane;
beforeEach(async () => {
  plane = await openAdminPlane();
});
afterEach(() => plane.close());

const put = (...rules: object[]) => plane.ask("PUT", "/limits/rules", rules);
const remove = (...rules: object[]) => plane.ask("POST", "/v4/limits/rules/bulk-delete", rules);
const patterns = async () =>
  (await plane.ask("GET", "/limits/rules")).json.rules.map(({ pattern }: { pattern: string }) => pattern);

test("rules are made, listed, replaced and deleted, as the reference server answers", async () => {
  const made = await put(
    { pattern: " acme / gold/", limits: { concurrency: 2 }, description: "for acme" },
    { pattern: "*", limits: { rate: "100/1m", burst: 7 }, disabled: true },
  );
  const [first, second] = made.json;
  expect([made.status, first, second]).toEqual([
    200,
    {
      pattern: "acme/gold",
      limits: { concurrency: 2 },
      description: "for acme",
      disabled: false,
      version: 1,
      last_modified_millis_since_epoch: expect.any(Number),
    },
    {
      pattern: "*",
      limits: { rate: "100/1m", burst: 7 },
      disabled: true,
      version: 1,
      last_modified_millis_since_epoch: expect.any(Number),
    },
  ]);
  expect((await plane.ask("GET", "/limits/rules")).json).toEqual({ rules: [second, first] });
  const replaced = await put({ pattern: "acme/gold", precondition: { type: "matches", version: 1 } });
  expect(replaced.json).toMatchObject([{ pattern: "acme/gold", limits: {}, disabled: false, version: 2 }]);
  expect(replaced.json[0].description).toBeUndefined();
  expect((await remove({ pattern: "acme/gold", expected_version: 2 }, { pattern: "absent" })).json).toEqual([
    "acme/gold",
  ]);
  expect((await remove({ pattern: "acme/gold" })).json).toEqual([]);
  expect(await patterns()).toEqual(["*"]);
});

test("a burst that the request leaves out is answered with its default", async () => {
  const { json } = await put({ pattern: "acme", limits: { rate: "10/s" } });
  expect(json[0].limits).toEqual({ rate: "10/1s", burst: 10 });
});

test("a request whose precondition fails changes no rule", async () => {
  await put({ pattern: "acme" });
  const exists = await put({ pattern: "new" }, { pattern: "acme", precondition: { type: "does_not_exist" } });
  expect([exists.status, exists.json.message]).toEqual([409, expect.stringMatching(/'acme' exists, at version 1/)]);
  const other = await put({ pattern: "new" }, { pattern: "acme", precondition: { type: "matches", version: 7 } });
  expect([other.status, other.json.message]).toEqual([409, expect.stringMatching(/version 1, and should have.* 7/)]);
  const gone = await remove({ pattern: "acme" }, { pattern: "absent", expected_version: 1 });
  expect([gone.status, gone.json.message]).toEqual([409, expect.stringMatching(/'absent' does not exist/)]);
  expect(await patterns()).toEqual(["acme"]);
});

test.each<[string, unknown, RegExp]>([
  ["an object", {}, /expected array/],
  ["a rule without a pattern", [{}], /0\.pattern: /],
  ["an empty pattern", [{ pattern: " " }], /A pattern has no text.*'acme' \(a scope\)/],
  ["a level with a space", [{ pattern: "a b" }], /level 'a b'.*1 to 36 letters/],
  ["four levels", [{ pattern: "a/b/c/d" }], /4 levels.*at most 3/],
  ["a pattern of 100 KB", [{ pattern: "x".repeat(100_000) }], /0\.pattern: Too big/],
  ["null as limits", [{ pattern: "a", limits: null }], /0\.limits: /],
  ["no places", [{ pattern: "a", limits: { concurrency: 0 } }], /0\.limits\.concurrency: /],
  ["half a place", [{ pattern: "a", limits: { concurrency: 1.5 } }], /0\.limits\.concurrency: /],
  ["a rate without a duration", [{ pattern: "a", limits: { rate: "100" } }], /'100'.*for example '100\/1m'/],
  ["a burst without a rate", [{ pattern: "a", limits: { burst: 3 } }], /0\.limits\.burst: A burst needs a rate/],
  ["a long description", [{ pattern: "a", description: "x".repeat(1_001) }], /0\.description: /],
  ["a text as disabled", [{ pattern: "a", disabled: "yes" }], /0\.disabled: /],
  ["an unknown precondition", [{ pattern: "a", precondition: { type: "other" } }], /0\.precondition\.type: /],
  [
    "a precondition without a version",
    [{ pattern: "a", precondition: { type: "matches" } }],
    /precondition\.version: /,
  ],
  ["a hundred rules", Array.from({ length: 100 }, (_, at) => ({ pattern: `a${at}` })), /100 rules.*at most 99/],
])("a request with %s is refused with 422, and changes nothing", async (_, body, message) => {
  const { status, text } = await plane.ask("PUT", "/limits/rules", body);
  expect([status, text]).toEqual([422, expect.stringMatching(message)]);
  expect(await patterns()).toEqual([]);
});

test("99 rules of one request are stored together", async () => {
  const many = Array.from({ length: 99 }, (_, at) => ({ pattern: `a${at}` }));
  expect((await put(...many)).json).toHaveLength(99);
  expect(await patterns()).toHaveLength(99);
});

test("other methods are answered with the ones that are there", async () => {
  const answer = await plane.ask("DELETE", "/limits/rules");
  expect([answer.status, answer.headers["allow"]]).toEqual([405, "GET,HEAD,PUT"]);
  expect((await plane.ask("PUT", "/limits/rules/bulk-delete")).status).toBe(405);
});

test("a trial answers for each rule, and changes none", async () => {
  const rules = [
    { pattern: "acme ", limits: { concurrency: 1 } },
    { pattern: "*", limits: { rate: "1/s" } },
  ];
  const { status, json } = await plane.ask("POST", "/limits/rules/dry-run", { rules, over: "2h" });
  const none = { matched: 0, held_back: 0, longest_wait_ms: 0 };
  expect([status, json]).toEqual([
    200,
    {
      trials: [
        { pattern: "acme", ...none },
        { pattern: "*", ...none },
      ],
      considered: 0,
      read: 0,
      since_millis_since_epoch: expect.any(Number),
      complete: true,
    },
  ]);
  expect(Date.now() - json.since_millis_since_epoch).toBeGreaterThanOrEqual(7_200_000);
  expect(await patterns()).toEqual([]);
});

test.each<[string, object, RegExp]>([
  ["no rule", { rules: [] }, /rules: /],
  ["a rule without limits", { rules: [{ pattern: "a" }] }, /rules\.0\.limits: /],
  ["a bad pattern", { rules: [{ pattern: "a//b", limits: {} }] }, /'a\/\/b' has an empty level/],
  [
    "101 rules",
    { rules: Array.from({ length: 101 }, (_, at) => ({ pattern: `a${at}`, limits: {} })) },
    /tries 101 rules.*at most 100/,
  ],
  ["one pattern twice", { rules: ["a", " a"].map((pattern) => ({ pattern, limits: {} })) }, /pattern of its own/],
  ["a time of two days", { rules: [{ pattern: "a", limits: {} }], over: "2d" }, /'2d' is no duration from 1ms to 24h/],
  ["a time without a unit", { rules: [{ pattern: "a", limits: {} }], over: "60" }, /'60' is no duration.*'1h'/],
])("a trial with %s is refused with 422", async (_, body, message) => {
  const { status, text } = await plane.ask("POST", "/limits/rules/dry-run", body);
  expect([status, text]).toEqual([422, expect.stringMatching(message)]);
});
