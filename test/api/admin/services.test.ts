/** Tests how operators change settings of services between registrations. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { openAdminPlane, type AdminPlane } from "./admin-plane.ts";
import { manifestOf, startEndpoint, type SampleEndpoint } from "./sample-endpoint.ts";

let plane: AdminPlane;
let endpoint: SampleEndpoint;

const GREETER = {
  name: "Greeter",
  ty: "SERVICE",
  abortTimeout: 60_000,
  handlers: [{ name: "greet", abortTimeout: 5000 }, { name: "wave" }],
};
const FLOW = { name: "Flow", ty: "WORKFLOW", handlers: [{ name: "run", ty: "WORKFLOW" }] };

beforeEach(async () => {
  plane = await openAdminPlane();
  endpoint = await startEndpoint(manifestOf([GREETER, FLOW]));
  await plane.ask("POST", "/deployments", { uri: endpoint.uri });
});
afterEach(async () => {
  await endpoint.close();
  await plane.close();
});

const patch = (body: object, service = "Greeter") => plane.ask("PATCH", `/services/${service}`, body);

async function settingsOf(handler: string): Promise<unknown> {
  const routing = await plane.engine.registry.route("Greeter", handler);
  return routing.found && routing.route.settings;
}

test("a change takes effect at once for the service and for handlers without their own settings", async () => {
  const { status, json } = await patch({
    public: false,
    abort_timeout: "1m 30s",
    inactivity_timeout: "PT2M",
    journal_retention: "0s",
    idempotency_retention: "2h",
    start_within: "5s",
    end_within: "PT10M",
  });
  expect([status, json.revision]).toEqual([200, 1]);
  expect(json).toMatchObject({
    public: false,
    abort_timeout: "1m 30s",
    inactivity_timeout: "2m",
    journal_retention: "0s",
    idempotency_retention: "2h",
    start_within: "5s",
    end_within: "10m",
  });
  expect(await settingsOf("wave")).toMatchObject({ public: false, abortTimeoutMs: 90_000, journalRetentionMs: 0 });
  expect(await settingsOf("wave")).toMatchObject({ startWithinMs: 5_000, endWithinMs: 600_000 });
  expect(await settingsOf("greet")).toMatchObject({ abortTimeoutMs: 5000 });
});

test("a deadline of 0s is none", async () => {
  await patch({ start_within: "5s", end_within: "10m" });
  const { json } = await patch({ start_within: "0s", end_within: "0s" });
  expect(json).toMatchObject({ start_within: "0s", end_within: "0s" });
  for (const member of ["startWithinMs", "endWithinMs"]) expect(await settingsOf("wave")).not.toHaveProperty(member);
});

test("absent and null members leave their settings unchanged, and an empty object changes nothing", async () => {
  await patch({ public: false });
  const { json } = await patch({ public: null, abort_timeout: "10s" });
  expect(json).toMatchObject({ public: false, abort_timeout: "10s" });
  expect((await patch({})).json).toEqual(json);
});

test("another registration restores the settings of the manifest", async () => {
  await patch({ public: false, abort_timeout: "10s" });
  await plane.ask("POST", "/deployments", { uri: endpoint.uri, force: true });
  expect((await plane.ask("GET", "/services/Greeter")).json).toMatchObject({ public: true, abort_timeout: "1m" });
});

test("only workflows accept workflow_completion_retention", async () => {
  expect((await patch({ workflow_completion_retention: "1h" })).status).toBe(400);
  expect((await patch({ workflow_completion_retention: "1h" }, "Flow")).json.workflow_completion_retention).toBe("1h");
});

test.each<[string, unknown, number]>([
  ["a number without a unit", { abort_timeout: 5 }, 422],
  ["a text that is not a duration", { abort_timeout: "soon" }, 422],
  ["a word for a flag", { public: "no" }, 422],
  ["no JSON", "{", 400],
])("%s is refused", async (_what, body, status) => {
  expect((await plane.ask("PATCH", "/services/Greeter", body)).status).toBe(status);
});

test("a change to an unregistered service is answered with 404", async () => {
  expect((await patch({ public: false }, "Nope")).status).toBe(404);
});
