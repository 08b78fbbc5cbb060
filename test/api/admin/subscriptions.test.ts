/** Subscriptions and Kafka clusters over the admin API: storage, answers, refusals, and masked secrets. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { openAdminPlane, type AdminPlane } from "./admin-plane.ts";
import { manifestOf, startEndpoint, type SampleEndpoint } from "./sample-endpoint.ts";

let plane: AdminPlane;
let endpoint: SampleEndpoint;

const PROPERTIES = { "bootstrap.servers": "broker:9092", "sasl.password": "hidden" };
const VALID = { source: "kafka://main/orders", sink: "service://Greeter/greet" };

beforeEach(async () => {
  plane = await openAdminPlane();
  endpoint = await startEndpoint(manifestOf([{ name: "Greeter", ty: "SERVICE", handlers: [{ name: "greet" }] }]));
  await plane.ask("POST", "/deployments", { uri: endpoint.uri });
});
afterEach(async () => {
  await endpoint.close();
  await plane.close();
});

const configure = (name = "main", properties: object = PROPERTIES) =>
  plane.ask("POST", "/kafka-clusters", { name, properties });
const subscribe = (more: object = {}) => plane.ask("POST", "/subscriptions", { ...VALID, ...more });

test("a subscription is stored, listed, shown and removed", async () => {
  await configure();
  const made = await subscribe({ options: { "group.id": "mine" } });
  const { id } = made.json;
  expect([made.status, made.headers["location"]]).toEqual([201, `subscriptions/${id}`]);
  expect(id).toMatch(/^sub_1[0-9a-zA-Z]{22}$/);
  const options = { "client.id": "stepwell", "group.id": "mine" };
  expect(made.json).toEqual({ id, ...VALID, options, status: "consuming", partitions: [] });
  expect((await plane.ask("GET", `/v3/subscriptions/${id}`)).json).toEqual(made.json);
  const second = (await subscribe({ source: "kafka://main/returns" })).json;
  expect(second.options["group.id"]).toBe(second.id);
  const listed = async (query: string) =>
    (await plane.ask("GET", `/subscriptions${query}`)).json.subscriptions.map(
      (one: { id: string }) => one.id,
    ) as string[];
  expect(new Set(await listed(""))).toEqual(new Set([id, second.id]));
  expect(await listed("?source=kafka://main/returns")).toEqual([second.id]);
  expect(await listed("?source=kafka://main/returns&sink=service://Other/x")).toEqual([]);
  expect((await plane.ask("DELETE", `/subscriptions/${id}`)).status).toBe(202);
  expect((await plane.ask("DELETE", `/subscriptions/${id}`)).status).toBe(404);
  expect((await plane.ask("GET", `/subscriptions/${id}`)).status).toBe(404);
  expect((await plane.ask("GET", "/subscriptions/sub_nope")).status).toBe(400);
});

test.each<[string, object, RegExp]>([
  ["from a source of another scheme", { source: "nats://main/orders" }, /not of the form kafka:/],
  ["without a cluster", { source: "kafka:///orders" }, /not of the form kafka:/],
  ["without a topic", { source: "kafka://main" }, /not of the form kafka:/],
  ["with a topic whose name Kafka does not allow", { source: "kafka://main/a%20b" }, /names no topic/],
  ["with an unknown policy for bad records", { options: { "stepwell.bad-records": "drop" } }, /'pause' or 'skip'/],
  ["with an unknown option of Stepwell", { options: { "stepwell.x": "1" } }, /no option 'stepwell.x'/],
  ["with a path segment after the topic", { source: "kafka://main/a/b" }, /not of the form kafka:/],
  ["from a cluster that is not configured", { source: "kafka://other/orders" }, /'other'.*configured are 'main'/],
  ["to another scheme", { sink: "http://Greeter/greet" }, /not of the form service:/],
  ["to no handler", { sink: "service://Greeter" }, /not of the form service:/],
  ["to a service that is not registered", { sink: "service://Nope/greet" }, /'Nope\/greet'.*not registered/],
  ["to a handler that the service lacks", { sink: "service://Greeter/nope" }, /'Greeter\/nope'.*not registered/],
])("a subscription %s is refused with META0009", async (_what, more, reason) => {
  await configure();
  const { status, json } = await subscribe(more);
  expect([status, json.restate_code]).toEqual([400, "META0009"]);
  expect(json.message).toMatch(reason);
  expect((await plane.ask("GET", "/subscriptions")).json).toEqual({ subscriptions: [] });
});

test("a subscription whose source is not a URI is refused", async () => {
  expect((await subscribe({ source: "orders" })).status).toBe(422);
});

test("a cluster shows its properties without secrets, and its subscriptions on request", async () => {
  const made = await configure();
  expect(made.status).toBe(201);
  expect(made.json).toEqual({
    name: "main",
    properties: { "bootstrap.servers": "broker:9092", "sasl.password": "***" },
    created_at: expect.stringMatching(/Z$/),
  });
  const { json: subscription } = await subscribe();
  const shown = (query: string) => plane.ask("GET", `/kafka-clusters/main${query}`);
  expect((await shown("")).json.subscriptions).toEqual([]);
  expect((await shown("?include_subscriptions=true")).json.subscriptions).toEqual([subscription]);
  expect((await shown("?include_subscriptions=maybe")).status).toBe(400);
  const patched = await plane.ask("PATCH", "/kafka-clusters/main", { properties: { "metadata.broker.list": "b:1" } });
  expect(patched.json.properties).toEqual({ "metadata.broker.list": "b:1" });
  expect((await plane.ask("GET", "/kafka-clusters")).json.clusters).toEqual([patched.json]);
});

test("a cluster is refused if its name is taken or invalid, or if it names no broker", async () => {
  await configure();
  expect((await configure()).status).toBe(409);
  expect((await configure("no name")).status).toBe(422);
  expect((await configure("other", {})).status).toBe(400);
  expect((await plane.ask("PATCH", "/kafka-clusters/main", { properties: {} })).status).toBe(400);
  expect((await plane.ask("PATCH", "/kafka-clusters/other", { properties: PROPERTIES })).status).toBe(404);
  expect((await plane.ask("GET", "/kafka-clusters/other")).status).toBe(404);
});

test("a cluster that subscriptions use stays, unless it is removed by force", async () => {
  await configure();
  const { json } = await subscribe();
  const refused = await plane.ask("DELETE", "/kafka-clusters/main");
  expect([refused.status, refused.json.message]).toEqual([409, expect.stringContaining(json.id)]);
  expect((await plane.ask("DELETE", "/kafka-clusters/main?force=true")).status).toBe(202);
  expect((await plane.ask("DELETE", "/kafka-clusters/main")).status).toBe(404);
  expect((await plane.ask("GET", `/subscriptions/${json.id}`)).status).toBe(200);
});

const change = (id: string, body: object) => plane.ask("PATCH", `/subscriptions/${id}`, body);

test("a subscription is paused, resumed, reset and given other options", async () => {
  await configure();
  const { id } = (await subscribe()).json;
  const paused = await change(id, { paused: true });
  expect([paused.status, paused.json.status]).toEqual([200, "paused"]);
  expect(paused.json.pause).toEqual({ reason: "order", at: expect.stringMatching(/Z$/) });
  const mended = await change(id, {
    paused: false,
    options: { "stepwell.bad-records": "skip" },
    reset: { offsets: { "0": 7 } },
  });
  expect(mended.json).toMatchObject({ status: "consuming", options: { "stepwell.bad-records": "skip" } });
  expect(mended.json.pause).toBeUndefined();
  expect((await change(id, { reset: { to: "earliest" } })).status).toBe(200);
  expect((await change(id, { reset: { time: "2026-01-31T10:00:00Z" } })).status).toBe(200);
});

test.each<[string, object, number]>([
  ["without a change", {}, 422],
  ["with an unknown place", { reset: { to: "middle" } }, 422],
  ["with an invalid moment", { reset: { time: "yesterday" } }, 422],
  ["with a negative offset", { reset: { offsets: { "0": -1 } } }, 422],
  ["with a partition that is not a number", { reset: { offsets: { first: 1 } } }, 422],
  ["without any partition", { reset: { offsets: {} } }, 422],
  ["with a bad policy", { options: { "stepwell.bad-records": "drop" } }, 400],
])("a change of a subscription %s is refused, and changes nothing", async (_what, body, status) => {
  await configure();
  const { json: made } = await subscribe();
  expect((await change(made.id, body)).status).toBe(status);
  expect((await plane.ask("GET", `/subscriptions/${made.id}`)).json).toEqual(made);
});

test("a change of an unknown subscription is answered with 404", async () => {
  expect((await change("sub_10000000000000000000000", { paused: true })).status).toBe(404);
});
