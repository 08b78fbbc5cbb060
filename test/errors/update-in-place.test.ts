/** Updates in place: each condition of META0016, two deployments at one address, and the repair of a draining deployment. */
import { expect, test } from "vitest";
import { manifestOf } from "../api/admin/sample-endpoint.ts";
import {
  end,
  error,
  GREETER,
  output,
  replying,
  startFrameDeployment,
  step,
  type FrameDeployment,
} from "./frame-deployment.ts";
import { Gate } from "../harness/engine/gate.ts";
import { expectRefusal } from "./refusal.ts";
import { openStage, type ErrorStage } from "./stage.ts";

const OTHER = { name: "Other", ty: "SERVICE", handlers: [{ name: "one" }, { name: "two" }] };
const HEALTHY = replying(output("hello"), end());

interface Registered {
  readonly stage: ErrorStage;
  readonly deployment: FrameDeployment;
  readonly id: string;
}

async function registered(services: readonly object[] = [GREETER, OTHER]): Promise<Registered> {
  const stage = await openStage();
  const deployment = await startFrameDeployment();
  deployment.manifest = manifestOf(services);
  const { body } = await stage.register(deployment.uri);
  return { stage, deployment, id: String(body["id"]) };
}

test.each<[what: string, manifest: object, reason: RegExp]>([
  ["has lost a service", manifestOf([GREETER]), /service 'Other' is gone/],
  ["has lost a handler", manifestOf([GREETER, { ...OTHER, handlers: [{ name: "one" }] }]), /lose the handlers two/],
  [
    "has a service of another type",
    manifestOf([GREETER, { ...OTHER, ty: "VIRTUAL_OBJECT", handlers: [{ name: "one" }, { name: "two" }] }]),
    /'Other' would change its type from service to object/,
  ],
  ["speaks a newer version as well", manifestOf([GREETER, OTHER], { maxProtocolVersion: 8 }), /from 5 to 7 to 5 to 8/],
  [
    "no longer speaks an older version",
    manifestOf([GREETER, OTHER], { minProtocolVersion: 6 }),
    /from 5 to 7 to 6 to 7/,
  ],
])("an update is refused with META0016 and changes nothing if the new manifest %s", async (_what, manifest, reason) => {
  const { stage, deployment, id } = await registered();
  const before = await stage.admin("GET", `deployments/${id}`);
  deployment.manifest = manifest;
  expectRefusal(await stage.admin("PUT", `deployments/${id}`), "META0016", reason);
  expect(await stage.admin("GET", `deployments/${id}`)).toEqual(before);
});

test("an update stores the new manifest, and keeps the id, the time of creation and the revisions", async () => {
  const { stage, deployment, id } = await registered([GREETER]);
  const { body: before } = await stage.admin("GET", `deployments/${id}`);
  deployment.manifest = manifestOf([{ ...GREETER, documentation: "new" }, OTHER]);
  const { status, body } = await stage.admin("PUT", `deployments/${id}`, {});
  expect([status, body["id"], body["created_at"]]).toEqual([200, id, before["created_at"]]);
  expect(body["services"]).toMatchObject([
    { name: "Greeter", revision: 1, documentation: "new" },
    { name: "Other", revision: 1 },
  ]);
  expect((await stage.admin("GET", "services/Other/handlers/two")).status).toBe(200);
});

test("a dry run of an update shows its result, and stores nothing", async () => {
  const { stage, deployment, id } = await registered([GREETER]);
  deployment.manifest = manifestOf([GREETER, OTHER]);
  const { body } = await stage.admin("PUT", `deployments/${id}`, { dry_run: true });
  expect(body["services"]).toHaveLength(2);
  expect((await stage.admin("GET", "services/Other")).status).toBe(404);
});

test("a patch changes address and headers and keeps the services, unless overwrite is set", async () => {
  const { stage, id } = await registered();
  const elsewhere = await startFrameDeployment();
  elsewhere.manifest = manifestOf([GREETER]);
  const patched = await stage.admin("PATCH", `deployments/${id}`, {
    uri: elsewhere.uri,
    additional_headers: { "X-Token": "t" },
  });
  expect([patched.status, patched.body["uri"]]).toEqual([200, `${elsewhere.uri}/`]);
  expect(patched.body["additional_headers"]).toEqual({ "x-token": "***" });
  expect(patched.body["services"]).toHaveLength(2);
  const taken = await stage.admin("PATCH", `deployments/${id}`, { uri: elsewhere.uri, overwrite: true });
  expect(taken.body["services"]).toMatchObject([{ name: "Greeter", revision: 1 }]);
  elsewhere.manifest = manifestOf([GREETER], { maxProtocolVersion: 6 });
  expectRefusal(await stage.admin("PATCH", `deployments/${id}`, { uri: elsewhere.uri }), "META0016", /5 to 6/);
  expect((await stage.admin("PATCH", `deployments/${id}`, { overwrite: true })).status).toBe(200);
  expect((await stage.admin("PATCH", `deployments/${id}`, { arn: "arn:aws:lambda:x" })).status).toBe(400);
});

test("an update to another host needs the stored headers again, and is refused before anything is sent there", async () => {
  const { stage, deployment, id } = await registered([GREETER]);
  const elsewhere = await startFrameDeployment();
  const given = { authorization: "Bearer canary", "x-key": "canary" };
  await stage.admin("PATCH", `deployments/${id}`, { additional_headers: given });
  for (const [method, more] of [
    ["PATCH", {}],
    ["PATCH", { overwrite: true }],
    ["PATCH", { dry_run: true }],
    ["PUT", {}],
  ] as const) {
    const asked = { uri: elsewhere.uri, ...more };
    const { status, body } = await stage.admin(method, `deployments/${id}`, asked);
    expect([status, body.restate_code]).toEqual([400, null]);
    expect(body.message).toContain(`(authorization, x-key) for ${deployment.uri}`);
    expect(body.message).toContain(`additional_headers with the headers for ${elsewhere.uri}, or {} for none`);
    expect((await stage.admin(method, `deployments/${id}`, { ...asked, additional_headers: null })).status).toBe(400);
  }
  expect(elsewhere.discoveries).toEqual([]);
  expect((await stage.admin("GET", `deployments/${id}`)).body["uri"]).toBe(`${deployment.uri}/`);

  const moved = await stage.admin("PATCH", `deployments/${id}`, {
    uri: elsewhere.uri,
    additional_headers: { "x-key": "other" },
  });
  expect([moved.status, moved.body["additional_headers"]]).toEqual([200, { "x-key": "***" }]);
  const back = await stage.admin("PATCH", `deployments/${id}`, { uri: deployment.uri, additional_headers: {} });
  expect([back.status, back.body["additional_headers"]]).toEqual([200, undefined]);
  expect((await stage.admin("PATCH", `deployments/${id}`, { uri: elsewhere.uri })).status).toBe(200);
  expect(JSON.stringify(elsewhere.discoveries)).not.toContain("canary");
});

test("another path of the same host keeps the stored headers, and a forced registration drops them", async () => {
  const { stage, deployment, id } = await registered([GREETER]);
  await stage.admin("PATCH", `deployments/${id}`, { additional_headers: { "x-key": "canary" } });
  const uri = `${deployment.uri.toUpperCase().replace("HTTP", "http")}/newer`;
  const kept = await stage.admin("PATCH", `deployments/${id}`, { uri });
  expect([kept.status, kept.body["additional_headers"]]).toEqual([200, { "x-key": "***" }]);
  expect(deployment.discoveries.at(-1)).toMatchObject({ "x-key": "canary" });
  expect((await stage.admin("PATCH", `deployments/${id}`, { uri: deployment.uri })).status).toBe(200);
  expect((await stage.register(deployment.uri, { force: true })).body["id"]).toBe(id);
  expect((await stage.admin("GET", `deployments/${id}`)).body["additional_headers"]).toBeUndefined();
});

test("a forced registration is refused with META0017 while an update has left two deployments at one address", async () => {
  const { stage, id, deployment } = await registered();
  const other = await startFrameDeployment();
  other.manifest = manifestOf([GREETER, OTHER]);
  const { body: second } = await stage.register(other.uri);
  expect((await stage.admin("PUT", `deployments/${id}`, { uri: other.uri })).status).toBe(200);
  const reason = new RegExp(`${String(second["id"])}|${id}`);
  expectRefusal(await stage.register(other.uri, { force: true }), "META0017", reason);
  expectRefusal(await stage.register(other.uri), "META0004", reason);
  expect((await stage.admin("DELETE", `deployments/${id}`)).status).toBe(202);
  const forced = await stage.register(other.uri, { force: true });
  expect([forced.status, forced.body["id"]]).toEqual([200, second["id"]]);
  expect((await stage.register(deployment.uri)).status).toBe(201);
});

test("a failing invocation of a draining deployment goes on once an update repairs the code", async () => {
  const { stage, deployment, id } = await registered([GREETER]);
  deployment.script = replying(step(), error(500, "broken"));
  const invocationId = await stage.send("Greeter/greet");
  await stage.lastFailure(invocationId, "RT0007");
  const newer = await startFrameDeployment();
  await stage.register(newer.uri);
  // The index may lag.
  const shown = async () => (await stage.admin("GET", `deployments/${id}`)).body;
  await expect.poll(shown).toMatchObject({ status: "draining", pinned_invocations: 1 });
  // The attempt waits until the update has answered; otherwise it could end before the answer says "draining".
  const told = new Gate();
  const mended = await startFrameDeployment(
    (response, request) => void told.passed.then(() => HEALTHY(response, request)),
  );
  const { status, body } = await stage.admin("PUT", `deployments/${id}`, { uri: mended.uri });
  expect([status, body["status"]]).toEqual([200, "draining"]);
  told.open();
  expect(await stage.result(invocationId)).toBe("200 hello");
  expect((await stage.show(invocationId)).pinned_deployment_id).toBe(id);
  expect([newer.attempts.length, mended.attempts.length]).toEqual([0, 1]);
  await expect.poll(shown).toMatchObject({ status: "drained", pinned_invocations: 0 });
});
