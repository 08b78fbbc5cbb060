/**
 * Every input that takes an address: a hostile address is refused, not connected to, and not stored.
 */
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminApp } from "../../shared/api/admin/admin-app.ts";
import type { HttpRequest } from "../../shared/api/http/message.ts";
import { HttpsEndpoints } from "../../shared/adapters/https/https-endpoints.ts";
import { HOSTILE_URLS, NO_WAY } from "../adapters/https/hostile-urls.ts";
import { startServer, type Peer } from "../harness/https/peer.ts";
import { openAdminPlane, type AdminPlane } from "../api/admin/admin-plane.ts";
import { manifestOf, startEndpoint, type SampleEndpoint } from "../api/admin/sample-endpoint.ts";
import { openLocalStage } from "../harness/local/local-stage.ts";
import { ask } from "../harness/local/raw-http.ts";

let plane: AdminPlane;
let endpoint: SampleEndpoint;
/** Counts connections to this machine. */
let canary: Peer;
let registered: string;
/** As on AWS, where only public addresses are allowed. */
let strict: HttpsEndpoints;
let before: string;

beforeAll(async () => {
  plane = await openAdminPlane();
  endpoint = await startEndpoint(manifestOf([{ name: "Greeter", ty: "SERVICE", handlers: [{ name: "greet" }] }]));
  canary = await startServer(createServer((socket) => socket.destroy()));
  registered = (await plane.ask("POST", "/deployments", { uri: endpoint.uri })).json.id as string;
  strict = new HttpsEndpoints();
  before = (await plane.ask("GET", "/deployments")).text;
});
afterAll(async () => {
  strict.close();
  await canary.stop();
  await endpoint.close();
  await plane.close();
});

async function asked(method: string, path: string, body: object): Promise<{ status: number; text: string }> {
  const app = adminApp({ ...plane.engine, endpoints: strict }, plane.deps);
  const request: HttpRequest = {
    method,
    path,
    query: "",
    headers: { "content-type": "application/json" },
    body: new TextEncoder().encode(JSON.stringify(body)),
  };
  const response = await app(request);
  return { status: response.status, text: new TextDecoder().decode(response.body) };
}

const INPUTS: readonly (readonly [input: string, method: string, path: () => string, more: object])[] = [
  ["a registration", "POST", () => "/deployments", {}],
  ["a registration over HTTP/1.1", "POST", () => "/deployments", { use_http_11: true }],
  ["a registration by force", "POST", () => "/v2/deployments", { force: true, breaking: true }],
  ["a dry run", "POST", () => "/deployments", { dry_run: true }],
  ["an update", "PUT", () => `/deployments/${registered}`, {}],
  ["a change of address", "PATCH", () => `/deployments/${registered}`, {}],
  ["a change with all services", "PATCH", () => `/v3/deployments/${registered}`, { overwrite: true }],
];

describe.each(INPUTS)("by %s", (input, method, path, more) => {
  test("no address of the corpus is reached", async () => {
    expect(HOSTILE_URLS.length).toBeGreaterThanOrEqual(120);
    for (const [trick, uri] of HOSTILE_URLS) {
      const { status, text } = await asked(method, path(), { uri, ...more });
      // An address that is not absolute is refused before the address guard judges it.
      const told =
        status === 400 ? /not an absolute address/ : /META0003.*is a forbidden address|cannot be reached: Invalid URL/;
      expect([trick, uri, text]).toEqual([trick, uri, expect.stringMatching(told)]);
    }
    // The server retries some addresses of `NO_WAY` for a while, so only the first input is tested with them.
    for (const uri of input === INPUTS[0]![0] ? NO_WAY : []) {
      expect([uri, (await asked(method, path(), { uri, ...more })).status >= 400]).toEqual([uri, true]);
    }
    const port = `:${canary.port}`;
    for (const host of ["127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]", "ada@127.0.0.1"]) {
      expect((await asked(method, path(), { uri: `http://${host}${port}/`, ...more })).status).toBeGreaterThanOrEqual(
        400,
      );
    }
    expect(canary.connections()).toBe(0);
    expect((await plane.ask("GET", "/deployments")).text).toBe(before);
  });
});

test("a deployment that was registered while its address was allowed is not reached once it is forbidden", async () => {
  const askedBefore = endpoint.asked.length;
  const { status, text } = await asked("PUT", `/deployments/${registered}`, {});
  expect([status, text]).toEqual([
    500,
    expect.stringMatching(/META0003.*127\.0\.0\.1 is a forbidden address \(loopback\)/),
  ]);
  expect(endpoint.asked).toHaveLength(askedBefore);
});

test("a function ARN without a version or of an invalid form is refused, and so is a role ARN of an invalid form", async () => {
  const arns = [
    "arn:aws:lambda:eu-west-1:123456789012:function:f",
    "arn:aws:lambda:eu-west-1.evil.example:123456789012:function:f:1",
    "arn:aws:lambda:eu-west-1@evil.example:123456789012:function:f:1",
    "arn:aws:lambda:evil.example/x-1:123456789012:function:f:1",
    "arn:evil:lambda:eu-west-1:123456789012:function:f:1",
    "arn:aws:lambda:eu-west-1:123456789012:function:../f:1",
    "arn:aws:lambda:eu-west-1:123456789012:function:f:1?x",
    "arn:aws:states:eu-west-1:123456789012:function:f:1",
    "arn:aws:lambda:eu-west-1:123456789012:function:f:1\n",
  ];
  for (const arn of arns) {
    const { status, text } = await asked("POST", "/deployments", { arn });
    expect([arn, status]).toEqual([arn, 400]);
    expect(text).toContain("'arn' is invalid");
  }
  const arn = "arn:aws:lambda:eu-west-1:123456789012:function:f:1";
  for (const role of [
    "arn:aws:iam::123456789012:user/u",
    "arn:aws:iam::1:role/r",
    "xarn:aws:iam::123456789012:role/r",
    "x",
    "arn:aws:iam::123456789012:role/r\n",
  ]) {
    const { status, text } = await asked("POST", "/deployments", { arn, assume_role_arn: role });
    expect([role, status]).toEqual([role, 400]);
    expect(text).toContain("'assume_role_arn' is invalid");
  }
});

test("no address of a subscription or of a Kafka cluster is connected to", async () => {
  const bodies = [
    { source: `http://127.0.0.1:${canary.port}/t`, sink: "service://Greeter/greet" },
    { source: "kafka://k/t", sink: `http://127.0.0.1:${canary.port}/x` },
  ];
  for (const body of bodies) expect((await asked("POST", "/subscriptions", body)).status).toBeGreaterThanOrEqual(400);
  const properties = { "bootstrap.servers": `127.0.0.1:${canary.port}` };
  expect((await asked("POST", "/kafka-clusters", { name: "k", properties })).status).toBe(201);
  expect(canary.connections()).toBe(0);
});

test("the local process refuses the metadata services of clouds and other link-local or unspecified addresses", async () => {
  const stage = await openLocalStage({});
  const hosts = [
    "169.254.169.254",
    "[fd00:ec2::254]",
    "[fd20:ce::254]",
    "168.63.129.16",
    "100.100.100.200",
    "169.254.170.2",
    "0.0.0.0",
  ];
  for (const host of hosts) {
    const body = JSON.stringify({ uri: `http://${host}:1/` });
    const answer = await ask(stage.adminPort, "POST /deployments", { "content-type": "application/json" }, body);
    expect([host, answer.status, answer.body]).toEqual([host, 500, expect.stringContaining("forbidden address")]);
  }
  await stage.close();
});
