/** Registration over the admin API: outcomes, refusals, and the shown result. */
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAdminPlane, type AdminPlane } from "./admin-plane.ts";
import { manifestOf, startEndpoint, type SampleEndpoint } from "./sample-endpoint.ts";

const GREETER = { name: "Greeter", ty: "SERVICE", handlers: [{ name: "greet" }, { name: "wave" }] };
const TUNED = {
  name: "Tuned",
  ty: "VIRTUAL_OBJECT",
  documentation: "about it",
  metadata: { team: "one" },
  inactivityTimeout: 20_000,
  journalRetention: 864_000_000,
  retryPolicyMaxAttempts: 4,
  handlers: [
    {
      name: "add",
      ty: "EXCLUSIVE",
      input: { required: true, contentType: "application/json", jsonSchema: { title: "Amount" } },
    },
    {
      name: "get",
      ty: "SHARED",
      input: {},
      output: { contentType: "text/plain" },
      abortTimeout: 15_500,
      ingressPrivate: true,
    },
  ],
};

let plane: AdminPlane;
let endpoint: SampleEndpoint;

beforeEach(async () => {
  plane = await openAdminPlane();
  endpoint = await startEndpoint(manifestOf([GREETER]));
});
afterEach(async () => {
  await endpoint.close();
  await plane.close();
});

const offer = (...services: object[]) => (endpoint.answer = { body: JSON.stringify(manifestOf(services)) });

describe("a registration", () => {
  it("takes null metadata, headers and flags as absent, but refuses a null inside the metadata and names its key", async () => {
    const nulls = { metadata: null, additional_headers: null, force: null, breaking: null, use_http_11: null };
    const refused = await plane.ask("POST", "/deployments", { uri: endpoint.uri, metadata: { sha: null } });
    expect([refused.status, refused.text]).toEqual([422, expect.stringMatching(/metadata.*sha/)]);
    expect(endpoint.asked).toEqual([]);
    offer({ ...GREETER, metadata: null, handlers: [{ name: "greet", metadata: null }] });
    const { status, json } = await plane.ask("POST", "/deployments", { uri: endpoint.uri, ...nulls });
    expect(status).toBe(201);
    const shown = await plane.ask("GET", `/deployments/${json.id}`);
    expect(shown.json).not.toHaveProperty("metadata");
    expect(shown.json).not.toHaveProperty("additional_headers");
    expect(shown.json.services[0]).not.toHaveProperty("metadata");
  });

  it("creates a deployment, which is then listed and shown", async () => {
    const answer = await plane.ask("POST", "/deployments", {
      uri: endpoint.uri,
      metadata: { sha: "1" },
      additional_headers: { "X-Token": "t" },
    });
    expect(answer.status).toBe(201);
    const { id } = answer.json;
    expect(id).toMatch(/^dp_1[0-9a-zA-Z]{22}$/);
    expect(answer.headers["location"]).toBe(`deployments/${id}`);
    expect(answer.json).toMatchObject({
      min_protocol_version: 5,
      max_protocol_version: 7,
      sdk_version: "sample-sdk/1.0",
    });
    expect(endpoint.asked[0]).toMatchObject({ "x-token": "t", "x-restate-cluster-name": "stepwell" });
    expect(endpoint.asked[0]!.accept).toContain("endpointmanifest.v4+json");

    const listed = await plane.ask("GET", "/v3/deployments");
    expect(listed.json.deployments).toEqual([
      {
        id,
        uri: `${endpoint.uri}/`,
        protocol_type: "BidiStream",
        http_version: "HTTP/2.0",
        additional_headers: { "x-token": "***" },
        metadata: { sha: "1" },
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/),
        min_protocol_version: 5,
        max_protocol_version: 7,
        sdk_version: "sample-sdk/1.0",
        status: "active",
        health: { state: "unknown" },
        services: [{ name: "Greeter", revision: 1 }],
      },
    ]);
    const shown = await plane.ask("GET", `/deployments/${id}`);
    expect(shown.json.services[0]).toMatchObject({
      name: "Greeter",
      ty: "Service",
      deployment_id: id,
      handlers: [{ name: "greet" }, { name: "wave" }],
    });
  });

  it("of a registered address is refused unless it is forced, and a dry run answers with the registered deployment", async () => {
    const first = await plane.ask("POST", "/deployments", { uri: endpoint.uri });
    offer({ ...GREETER, handlers: [{ name: "greet" }] });
    const asked = endpoint.asked.length;
    const dry = await plane.ask("POST", "/deployments", { uri: `${endpoint.uri}/`, dry_run: true });
    expect([dry.status, dry.json]).toEqual([200, first.json]);
    for (const prefix of ["", "/v2", "/v3", "/v4"]) {
      const again = await plane.ask("POST", `${prefix}/deployments`, { uri: endpoint.uri, force: false });
      expect([again.status, again.json.restate_code]).toEqual([409, "META0004"]);
      expect(again.json.message).toContain(first.json.id);
    }
    expect(endpoint.asked.length).toBe(asked);

    const forced = await plane.ask("POST", "/deployments", { uri: endpoint.uri, force: true });
    expect([forced.status, forced.json.id, forced.json.services[0].revision]).toEqual([200, first.json.id, 2]);
  });

  it("under /v2 replaces the deployment by default, and is refused with `force: false`", async () => {
    await plane.ask("POST", "/v2/deployments", { uri: endpoint.uri });
    const replaced = await plane.ask("POST", "/v2/deployments", { uri: endpoint.uri });
    expect([replaced.status, replaced.json.services[0].revision]).toEqual([201, 2]);
    const kept = await plane.ask("POST", "/v2/deployments", { uri: endpoint.uri, force: false });
    expect([kept.status, kept.json.restate_code]).toEqual([409, "META0004"]);
  });

  it("as a dry run stores nothing", async () => {
    expect((await plane.ask("POST", "/deployments", { uri: endpoint.uri, dry_run: true })).status).toBe(201);
    expect((await plane.ask("GET", "/deployments")).json).toEqual({ deployments: [] });
  });

  it("creates routes that take effect at once, even if the registry was read before", async () => {
    const { registry } = plane.engine;
    expect(await registry.route("Greeter", "greet")).toEqual({ found: false, missing: "service" });
    const { json } = await plane.ask("POST", "/deployments", { uri: endpoint.uri });
    const routing = await registry.route("Greeter", "greet");
    expect(routing).toMatchObject({
      found: true,
      route: { deployment: { id: json.id }, settings: { abortTimeoutMs: 600_000 } },
    });
    expect(await registry.route("Greeter", "bow")).toEqual({ found: false, missing: "handler" });
    expect(await registry.routeOn(json.id, "Greeter", "wave")).toMatchObject({ handler: { name: "wave" } });
  });

  it("that runs at the same time as another one gives its service a different revision", async () => {
    const other = await startEndpoint(manifestOf([GREETER]));
    const answers = await Promise.all([endpoint, other].map(({ uri }) => plane.ask("POST", "/deployments", { uri })));
    await other.close();
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(new Set(answers.map(({ json }) => json.services[0].revision))).toEqual(new Set([1, 2]));
  });

  it("retries a deployment that is busy", async () => {
    const ready = endpoint.answer as object;
    endpoint.answer = (asked) => (asked < 3 ? { status: 503 } : ready);
    expect((await plane.ask("POST", "/deployments", { uri: endpoint.uri })).status).toBe(201);
    expect(endpoint.asked.length).toBe(3);
  });
});

describe("a service", () => {
  it("shows its effective settings, and each handler shows its own", async () => {
    offer(TUNED);
    await plane.ask("POST", "/deployments", { uri: endpoint.uri });
    const { json } = await plane.ask("GET", "/services/Tuned");
    expect(json).toMatchObject({
      ty: "VirtualObject",
      documentation: "about it",
      metadata: { team: "one" },
      public: true,
      idempotency_retention: "1d",
      journal_retention: "2d",
      inactivity_timeout: "20s",
      abort_timeout: "10m",
      enable_lazy_state: false,
      retry_policy: {
        initial_interval: "500ms",
        exponentiation_factor: 2,
        max_attempts: 4,
        max_interval: "1m",
        on_max_attempts: "Pause",
      },
      info: [{ code: "RT0022" }],
    });
    expect(json.handlers).toEqual([
      {
        name: "add",
        ty: "Exclusive",
        public: true,
        input_description: "JSON 'Amount'",
        input_content_type: "application/json",
        output_description: "application/json",
        input_json_schema: { title: "Amount" },
        retry_policy: { max_attempts: null },
      },
      {
        name: "get",
        ty: "Shared",
        abort_timeout: "15s 500ms",
        public: false,
        input_description: "none",
        output_description: "text/plain",
        retry_policy: { max_attempts: null },
      },
    ]);
    expect((await plane.ask("GET", "/services/Tuned/handlers/get")).json).toEqual(json.handlers[1]);
    expect((await plane.ask("GET", "/services/Tuned/handlers")).json).toEqual({ handlers: json.handlers });
    expect((await plane.ask("GET", "/services")).json).toEqual({ services: [json] });
  });

  it("has a warning that its inactivity timeout has no effect in request-response mode", async () => {
    endpoint.answer = { body: JSON.stringify(manifestOf([TUNED], { protocolMode: "REQUEST_RESPONSE" })) };
    const { json } = await plane.ask("POST", "/deployments", { uri: endpoint.uri });
    expect(json.services[0].inactivity_timeout).toBe("0s");
    expect(json.services[0].info.map((info: { code: string }) => info.code)).toEqual(["RT0021", "RT0022"]);
  });
});

describe("a discovery fails", () => {
  it.each<[string, object, number, string | null]>([
    ["on an error status", { status: 404, body: "nothing here" }, 500, "META0003"],
    ["on another content type", { contentType: "text/html", body: "<html>" }, 500, "META0013"],
    ["on a body that is not JSON", { body: "{" }, 500, "META0013"],
    [
      "on unsupported protocol versions",
      { body: JSON.stringify(manifestOf([GREETER], { minProtocolVersion: 1, maxProtocolVersion: 3 })) },
      500,
      "META0012",
    ],
    [
      "on a handler type that the service cannot have",
      { body: JSON.stringify(manifestOf([{ ...GREETER, handlers: [{ name: "x", ty: "WORKFLOW" }] }])) },
      400,
      null,
    ],
    ["on a reserved name", { body: JSON.stringify(manifestOf([{ ...GREETER, name: "restateX" }])) }, 400, "META0005"],
  ])("%s", async (_name, answer, status, code) => {
    endpoint.answer = answer;
    const refused = await plane.ask("POST", "/deployments", { uri: endpoint.uri });
    expect([refused.status, refused.json.restate_code]).toEqual([status, code]);
    expect(refused.json.message.length).toBeGreaterThan(10);
    expect((await plane.ask("GET", "/deployments")).json).toEqual({ deployments: [] });
  });

  it("on an address without a listener", async () => {
    const gone = await startEndpoint({});
    await gone.close();
    const refused = await plane.ask("POST", "/deployments", { uri: gone.uri });
    expect([refused.status, refused.json.restate_code]).toEqual([500, "META0003"]);
    expect(refused.json.message).toContain(gone.uri);
  });

  it("over HTTP/2 with a server that speaks only HTTP/1.1, and the error names a remedy", async () => {
    const body = JSON.stringify(manifestOf([GREETER]));
    const server = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/vnd.restate.endpointmanifest.v3+json" }).end(body);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const refused = await plane.ask("POST", "/deployments", { uri });
    expect([refused.status, refused.json.restate_code]).toEqual([500, "META0014"]);
    const told = await plane.ask("POST", "/deployments", { uri, use_http_11: true });
    expect(told.status).toBe(201);
    expect((await plane.ask("GET", `/deployments/${told.json.id}`)).json.http_version).toBe("HTTP/1.1");
    server.closeAllConnections();
    server.close();
  });
});

describe("a conflict", () => {
  it("with the latest revision is refused unless breaking changes are allowed", async () => {
    await plane.ask("POST", "/deployments", { uri: endpoint.uri });
    const other = await startEndpoint(manifestOf([{ ...GREETER, handlers: [{ name: "greet" }] }]));
    const refused = await plane.ask("POST", "/deployments", { uri: other.uri });
    expect([refused.status, refused.json.restate_code]).toEqual([409, "META0006"]);
    const meant = await plane.ask("POST", "/deployments", { uri: other.uri, breaking: true });
    expect([meant.status, meant.json.services[0].revision]).toEqual([201, 2]);
    await other.close();
  });
});
