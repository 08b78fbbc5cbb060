/** Schedules over the admin API: what is stored and shown, orders, a set, and sentences for what is refused. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { openAdminPlane, type AdminPlane } from "./admin-plane.ts";
import { manifestOf, startEndpoint, type SampleEndpoint } from "./sample-endpoint.ts";

let plane: AdminPlane;
let endpoint: SampleEndpoint;

const NIGHTLY = { service: "Reports", handler: "nightly", cron: "0 2 * * *", time_zone: "Europe/Berlin" };

beforeEach(async () => {
  plane = await openAdminPlane();
  const services = [
    { name: "Reports", ty: "SERVICE", handlers: [{ name: "nightly" }] },
    { name: "Cart", ty: "VIRTUAL_OBJECT", handlers: [{ name: "tidy" }] },
  ];
  endpoint = await startEndpoint(manifestOf(services));
  await plane.ask("POST", "/deployments", { uri: endpoint.uri });
});
afterEach(async () => {
  await endpoint.close();
  await plane.close();
});

const put = (body: object, name = "nightly") => plane.ask("PUT", `/schedules/${name}`, body);
const names = async (): Promise<readonly string[]> =>
  (await plane.ask("GET", "/schedules")).json.schedules.map(({ name }: { readonly name: string }) => name);

test("a schedule is created, shown with its next ten moments, changed, listed and deleted", async () => {
  const input = { tenant: "acme" };
  const made = await put({ ...NIGHTLY, input, headers: { "X-Tenant": "acme" }, start: "2030-03-30T00:00:00+01:00" });
  expect(made.status).toBe(201);
  expect(made.json).toMatchObject({
    name: "nightly",
    id: expect.stringMatching(/^sch_1[0-9a-zA-Z]{22}$/),
    generation: 1,
    ...NIGHTLY,
    headers: { "content-type": "application/json", "x-tenant": "acme" },
    jitter: "0s",
    overlap: "skip",
    catch_up: "1h",
    status: "active",
    started: 0,
    runs: [],
    input,
  });
  expect(made.json.next).toHaveLength(10);
  // The night of the change to summer time has no two o'clock.
  expect(made.json.next.slice(0, 2)).toEqual(["2030-03-30T01:00:00.000000000Z", "2030-04-01T00:00:00.000000000Z"]);
  expect((await put({ ...NIGHTLY, cron: "30 2 * * *" })).json).toMatchObject({ generation: 2, id: made.json.id });
  const listed = (await plane.ask("GET", "/v3/schedules")).json.schedules;
  expect(listed).toMatchObject([{ name: "nightly", next: [expect.any(String)] }]);
  expect(listed[0]).not.toHaveProperty("input");
  expect((await plane.ask("DELETE", "/schedules/nightly")).status).toBe(202);
  expect((await plane.ask("DELETE", "/schedules/nightly")).status).toBe(404);
  expect((await plane.ask("GET", "/schedules/nightly")).status).toBe(404);
});

test("a change of the policies alone begins no generation, and the same plan changes nothing", async () => {
  await put(NIGHTLY);
  expect((await put({ ...NIGHTLY, overlap: "allow", catch_up: "2h" })).json).toMatchObject({ generation: 1 });
  const changedAt = (await plane.ask("GET", "/schedules/nightly")).json.changed_at;
  expect((await put({ ...NIGHTLY, overlap: "allow", catch_up: "2h" })).json.changed_at).toBe(changedAt);
});

test("a pause has a note and who ordered it, and a resumption ends it", async () => {
  await put(NIGHTLY);
  const paused = await plane.ask("POST", "/schedules/nightly/pause", { note: "the source moves" });
  expect(paused.json).toMatchObject({ status: "paused", pause: { note: "the source moves" } });
  expect((await plane.ask("POST", "/schedules/nightly/resume", {})).json).toMatchObject({ status: "active" });
  expect((await plane.ask("POST", "/schedules/none/pause", {})).status).toBe(404);
});

test("a trigger answers with its invocation, the same one for the same request id", async () => {
  await put({ ...NIGHTLY, input: { n: 1 } });
  const trigger = (body: object) => plane.ask("POST", "/schedules/nightly/trigger", body);
  const first = await trigger({ request_id: "once" });
  expect([first.status, first.json.status]).toEqual([202, "accepted"]);
  const again = await trigger({ request_id: "once" });
  expect(again.json).toEqual({ invocation_id: first.json.invocation_id, status: "previously-accepted" });
  expect((await plane.ask("GET", "/schedules/nightly")).json.runs).toContainEqual(
    expect.objectContaining({ kind: "trigger", outcome: "open", invocation_id: first.json.invocation_id }),
  );
});

test("a backfill says how many moments it runs, and refuses a range without one or with too many", async () => {
  await put({ service: "Reports", handler: "nightly", interval: "1m" });
  const order = (from: string, to: string) => plane.ask("POST", "/schedules/nightly/backfill", { from, to });
  expect((await order("2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z")).json).toMatchObject({ total: 60, started: 0 });
  expect((await order("2026-01-01T00:00:01Z", "2026-01-01T00:00:59Z")).text).toContain("no moment of 'nightly'");
  expect((await order("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z")).text).toContain("more than 5000 moments");
});

test("a set makes the schedules of the environment equal to it, and a dry run only says so", async () => {
  await put(NIGHTLY);
  await put(NIGHTLY, "old");
  const set = {
    schedules: [
      { name: "nightly", ...NIGHTLY },
      { name: "hourly", service: "Cart", handler: "tidy", key: "all", interval: "1h" },
    ],
  };
  const plan = { created: ["hourly"], changed: [], unchanged: ["nightly"], deleted: ["old"] };
  expect((await plane.ask("PUT", "/schedules?dry_run=true", set)).json).toEqual({ ...plan, dry_run: true });
  expect(await names()).toEqual(["nightly", "old"]);
  expect((await plane.ask("PUT", "/schedules", set)).json).toEqual({ ...plan, dry_run: false });
  expect(await names()).toEqual(["hourly", "nightly"]);
  const bad = { schedules: [{ name: "other", ...NIGHTLY, cron: "nonsense" }] };
  expect((await plane.ask("PUT", "/schedules", bad)).status).toBe(400);
  expect(await names(), "nothing changes if one of the set is refused").toEqual(["hourly", "nightly"]);
});

test.each<[string, object, RegExp]>([
  [
    "a cron line of two fields",
    { cron: "every day" },
    /'every day'.*it has 2 fields; it has five fields.*'0 2 \* \* \*'/,
  ],
  ["a minute that does not exist", { cron: "61 * * * *" }, /Invalid value for minute: 61/],
  ["a day that never comes", { cron: "0 0 30 2 *" }, /no date fits it/],
  ["a zone that does not exist", { time_zone: "Berlin" }, /'Berlin'.*'Europe\/Berlin'/],
  ["both kinds of timing", { interval: "1h" }, /both 'cron' and 'interval'/],
  ["neither kind of timing", { cron: null, time_zone: null }, /neither 'cron' nor 'interval'/],
  ["an interval that is no duration", { cron: null, time_zone: null, interval: "5" }, /'5'.*no duration.*'15m'/],
  [
    "an interval below the shortest",
    { cron: null, time_zone: null, interval: "10ms" },
    /10ms; the shortest one here is 1s/,
  ],
  ["a jitter of a year", { jitter: "400d" }, /jitter.*0s to 1d/],
  ["an end before the start", { start: "2030-01-02T00:00:00Z", end: "2030-01-01T00:00:00Z" }, /the end comes after/],
  ["a count of zero", { count: 0 }, /whole number from 1/],
  ["a catch-up window of a second", { catch_up: "1s" }, /10s to 366d/],
  ["an input that is too large", { input: "x".repeat(40_000) }, /40002 bytes; at most 32768/],
  [
    "a handler that is not registered",
    { handler: "weekly" },
    /'Reports\/weekly'.*not registered.*stepwell deployments/,
  ],
  ["a key for a service without keys", { key: "a" }, /has the key 'a'.*leave the key out/],
  ["no key for an object", { service: "Cart", handler: "tidy" }, /has no key.*"key": "all"/],
  ["a scope that is none", { scope: "a b" }, /'a b', the scope of 'nightly'.*such as 'acme'/],
  ["a limit key without a scope", { limit_key: "acme" }, /limit key 'acme' and no scope/],
  ["a header that cannot be sent", { headers: { "x y": "1" } }, /header 'x y'/],
])("%s is refused with a sentence", async (_what, change, sentence) => {
  const { status, json } = await put({ ...NIGHTLY, ...change });
  expect([status, json.restate_code]).toEqual([400, "META0901"]);
  expect(json.message).toMatch(sentence);
});

test("a member that does not exist is named", async () => {
  const { status, text } = await put({ ...NIGHTLY, timezone: "Europe/Berlin" });
  expect(status).toBe(422);
  expect(text).toContain("timezone");
});

test("a name that is none is refused", async () => {
  expect((await put(NIGHTLY, "a%20b")).json.message).toContain("'a b' is no name of a schedule");
});
