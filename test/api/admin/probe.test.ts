/** Tests the probe of a deployment: what it found, how long it took, what differs, and that nothing is stored. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { deploymentId } from "../../core/registry/sample-deployment.ts";
import { openAdminPlane, type AdminPlane } from "./admin-plane.ts";
import { manifestOf, startEndpoint, type SampleEndpoint } from "./sample-endpoint.ts";

const GREETER = { name: "Greeter", ty: "SERVICE", handlers: [{ name: "greet" }, { name: "wave" }] };
const OWN = { "x-requested-with": "test" };

let plane: AdminPlane;
let endpoint: SampleEndpoint;
let id: string;

beforeEach(async () => {
  plane = await openAdminPlane();
  endpoint = await startEndpoint(manifestOf([GREETER]));
  const headers = { authorization: "Bearer known" };
  const { json } = await plane.ask("POST", "/deployments", { uri: endpoint.uri, additional_headers: headers });
  id = json.id;
  endpoint.asked.length = 0;
});
afterEach(async () => {
  await endpoint.close();
  await plane.close();
});

const probe = (headers: Record<string, string> = OWN) =>
  plane.ask("POST", `/deployments/${id}/probe`, undefined, headers);
const health = async () => (await plane.ask("GET", `/deployments/${id}`)).json.health;
const offer = (services: object[], more: object = {}) =>
  (endpoint.answer = { body: JSON.stringify(manifestOf(services, more)) });

test("a deployment that announces what is registered is the same, and its answer is a contact", async () => {
  expect(await health()).toEqual({ state: "unknown" });
  const { status, json } = await probe();
  expect([status, json]).toEqual([
    200,
    {
      deployment_id: id,
      began_at: expect.any(String),
      took_ms: expect.any(Number),
      http_status: 200,
      http_version: "HTTP/2.0",
      outcome: "same",
      sdk_version: "sample-sdk/1.0",
      services: 1,
      handlers: 2,
      differences: [],
      difference_count: 0,
    },
  ]);
  expect(endpoint.asked.map(({ authorization }) => authorization)).toEqual(["Bearer known"]);
  expect(await health()).toMatchObject({ state: "reachable", last_contact_at: expect.any(String) });
});

test("each difference from the registration is named with both sides, and none is stored", async () => {
  offer(
    [
      {
        ...GREETER,
        documentation: "about it",
        handlers: [{ name: "greet", inactivityTimeout: 1000 }, { name: "bow" }],
      },
      { name: "More", ty: "VIRTUAL_OBJECT", handlers: [] },
    ],
    { maxProtocolVersion: 6 },
  );
  const { json } = await probe();
  expect(json).toMatchObject({ outcome: "differs", difference_count: 6 });
  expect(json.differences).toEqual([
    { member: "protocol versions", registered: "5 to 7", found: "5 to 6" },
    { service: "Greeter", member: "documentation", found: "about it" },
    {
      service: "Greeter",
      handler: "greet",
      member: "settings",
      registered: "{}",
      found: '{"inactivityTimeoutMs":1000}',
    },
    { service: "Greeter", handler: "wave", member: "handler", registered: "service" },
    { service: "Greeter", handler: "bow", member: "handler", found: "service" },
    { service: "More", member: "service", found: "object" },
  ]);
  const shown = await plane.ask("GET", `/deployments/${id}`);
  expect(shown.json.services.map((one: { name: string; revision: number }) => [one.name, one.revision])).toEqual([
    ["Greeter", 1],
  ]);
});

test("an operator's change of a setting is no difference, because the deployment never announced it", async () => {
  await plane.ask("PATCH", "/services/Greeter", { inactivity_timeout: "3m" });
  expect((await probe()).json).toMatchObject({ outcome: "same" });
});

test("long values are cut around the place where they differ, and many differences are counted", async () => {
  const described = (end: string) => ({ ...GREETER, documentation: `${"a".repeat(5_000)}${end}` });
  const handlers = Array.from({ length: 150 }, (_, n) => ({ name: `h${n}` }));
  offer([described("one")]);
  await plane.ask("PUT", `/deployments/${id}`, {});
  offer([{ ...described("two"), handlers }]);
  const { json } = await probe();
  expect(json.differences).toHaveLength(100);
  expect(json.difference_count).toBe(1 + 2 + 150);
  expect(json.differences[0]).toEqual({
    service: "Greeter",
    member: "documentation",
    registered: `…${"a".repeat(40)}one`,
    found: `…${"a".repeat(40)}two`,
  });
});

test.each([
  [
    "a status that is no success",
    { status: 503, body: "starting" },
    503,
    "META0003",
    /answered with status 503. Body: starting/,
  ],
  ["no manifest", { body: "hello" }, 200, "META0013", /cannot be decoded/],
  [
    "a manifest that breaks a rule",
    { body: JSON.stringify(manifestOf([GREETER, GREETER])) },
    200,
    null,
    /a second service/,
  ],
  [
    "protocol versions of another time",
    { body: JSON.stringify(manifestOf([GREETER], { minProtocolVersion: 90, maxProtocolVersion: 91 })) },
    200,
    "META0012",
    /90/,
  ],
  ["more bytes than a manifest has", { body: "x".repeat(5 << 20) }, 200, "META0013", /larger than 4194304 bytes/],
])(
  "an answer with %s is refused in the words of a registration, after one request",
  async (_, answer, status, code, words) => {
    endpoint.answer = answer;
    const { json } = await probe();
    expect(json).toMatchObject({ outcome: "refused", http_status: status, differences: [], difference_count: 0 });
    expect(json.error).toEqual({ message: expect.stringMatching(words), restate_code: code });
    expect(endpoint.asked).toHaveLength(1);
    expect(await health()).toMatchObject({ state: "reachable" });
  },
);

test("a deployment that is down is unanswered, with the reason of the network, and is no contact", async () => {
  await endpoint.close();
  const { status, json } = await probe();
  expect([status, json.outcome, json.http_status]).toEqual([200, "unanswered", undefined]);
  expect(json.error).toEqual({ message: expect.stringMatching(/META0003.*ECONNREFUSED/), restate_code: "META0003" });
  expect(await health()).toEqual({ state: "unknown" });
  endpoint = await startEndpoint(manifestOf([GREETER]));
});

test("only the own page and programs can probe, and only a deployment that is registered", async () => {
  expect((await probe({})).status).toBe(400);
  expect(endpoint.asked).toEqual([]);
  id = deploymentId(9);
  expect((await probe()).status).toBe(404);
});
