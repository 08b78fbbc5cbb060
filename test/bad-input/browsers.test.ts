/**
 * A page of another origin, open in a browser on this machine: the requests that it can send to a local process whose admin API
 * wants no token. `admin-door.test.ts` is about the token.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { INGRESS_SERVICES } from "../harness/local/ingress-services.ts";
import { openLocalStage, type LocalStage } from "../harness/local/local-stage.ts";
import { ask, askHttp2 } from "../harness/local/raw-http.ts";

const JSON_TYPE = { "content-type": "application/json" };
const STRANGER = "https://stranger.example";
const CORS = /^access-control-/;

let stage: LocalStage;
let before: string;
beforeAll(async () => {
  stage = await openLocalStage({ services: INGRESS_SERVICES, flags: { "admin.auth": "off" } });
  before = await registered();
});
afterAll(() => stage.close());

async function registered(): Promise<string> {
  return (await ask(stage.adminPort, "GET /deployments")).body;
}

interface ApiRoute {
  readonly line: string;
  readonly reads: boolean;
}

/** All routes in the OpenAPI document of the admin API, with ids that exist. */
async function routes(): Promise<readonly ApiRoute[]> {
  const { body } = await ask(stage.adminPort, "GET /openapi");
  const { paths } = JSON.parse(body) as { paths: Record<string, Record<string, unknown>> };
  const { deployments } = JSON.parse(before) as { deployments: [{ id: string }] };
  const own: Record<string, string> = {
    id: deployments[0].id,
    service: "Greeter",
    handler: "greet",
    operation: "kill",
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => /^(get|put|post|patch|delete)$/.test(method))
      .map((method) => ({
        line: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => own[name] ?? "x")}`,
        reads: method === "get",
      })),
  );
}

describe("a host name that DNS rebinding may have pointed at this machine", () => {
  test("reaches no route of the admin API over HTTP/1.1, and not the route of deployments over HTTP/2", async () => {
    const all = await routes();
    expect(all.length).toBeGreaterThan(30);
    for (const { line } of all) {
      const { status, body } = await ask(stage.adminPort, line, { ...JSON_TYPE, host: "rebound.example:9070" }, "{}");
      expect([line, status]).toEqual([line, 403]);
      expect(body).toMatch(/^'rebound\.example' is not a name of this server/);
    }
    const { headers } = await askHttp2(stage.adminUri, { ":authority": "rebound.example", ":path": "/deployments" });
    expect(headers[":status"]).toBe(403);
    expect(await registered()).toBe(before);
  });

  test.each([
    "127.0.0.1.nip.io",
    "localhost.stranger.example",
    "STRANGER.example.",
    "stranger.example:80",
    "0x7f.1",
    "[::1].stranger.example",
    "localhost@stranger.example",
    "stepwell.internal.example",
  ])("is refused as %s", async (host) => {
    expect((await ask(stage.adminPort, "GET /deployments", { host })).status).toBe(403);
  });

  test.each([
    "127.0.0.1:9070",
    "localhost:9070",
    "LOCALHOST",
    "localhost.",
    "[::1]:9070",
    "192.168.1.7",
    "dev.localhost",
  ])("is answered as %s, because no attacker can register that name", async (host) => {
    expect((await ask(stage.adminPort, "GET /deployments", { host })).status).toBe(200);
  });

  const nearby = [
    "stepwell:9070",
    "stepwell.shop.svc",
    "evil.local",
    "stepwell.shop.svc.cluster.local:9070",
    "host.docker.internal:9070",
  ];

  test("is refused if the server listens on a loopback address, even if the name exists only in a local network", async () => {
    for (const host of nearby) {
      expect([host, (await ask(stage.adminPort, "GET /deployments", { host })).status]).toEqual([host, 403]);
    }
  });

  test("is answered if the server listens on another address, and the name exists only in a local network", async () => {
    const other = await openLocalStage({ flags: { "admin.bind": "0.0.0.0", "admin.auth": "off" } });
    for (const host of [...nearby, "localhost", "192.168.1.7"]) {
      expect([host, (await ask(other.adminPort, "GET /deployments", { host })).status]).toEqual([host, 200]);
    }
    expect((await ask(other.adminPort, "GET /deployments", { host: "shop.example" })).status).toBe(403);
    await other.close();
  });

  test("is answered if a setting allows it", async () => {
    const flags = { "admin.allowed-hosts": "admin.shop.example", "admin.auth": "off" };
    const other = await openLocalStage({ flags });
    const asked = async (host: string) => (await ask(other.adminPort, "GET /deployments", { host })).status;
    expect([await asked("Admin.shop.example:443"), await asked("shop.example")]).toEqual([200, 403]);
    await other.close();
  });
});

describe("a request that a page may send to any origin without a preflight", () => {
  const bodies = [
    ["no content type", {}],
    ["text/plain", { "content-type": "text/plain" }],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }],
    ["a form with parts", { "content-type": "multipart/form-data; boundary=application/json" }],
    ["JSON in a parameter", { "content-type": "text/plain; x=application/json" }],
  ] as const;

  test.each(bodies)("changes nothing with %s", async (_what, headers) => {
    const posts = (await routes()).filter(({ line }) => line.startsWith("POST "));
    expect(posts.length).toBeGreaterThanOrEqual(5);
    const body = JSON.stringify({ uri: "http://127.0.0.1:1", query: "SELECT 1", invocation_ids: [], object_key: "a" });
    for (const { line } of posts) {
      const { status } = await ask(stage.adminPort, line, { ...headers, origin: STRANGER }, body);
      expect([line, status]).toEqual([line, 403]);
      // Without the header that names the page, there is a second refusal. The routes of a payload of any type, and the one without a
      // payload, need a header for which a browser first sends a preflight.
      const second = await ask(stage.adminPort, line, headers, body);
      expect([line, second.status]).toEqual([
        line,
        / \/(?:internal\/(?:services|awakeables)\/|deployments\/[^/]+\/probe$)/.test(line) ? 400 : 415,
      ]);
    }
    expect(await registered()).toBe(before);
  });

  test("is answered without a CORS header, so that the page can neither read the answer nor send more", async () => {
    for (const { line, reads } of await routes()) {
      const [method = "", path = ""] = line.split(" ");
      const preflight = { origin: STRANGER, "access-control-request-method": method };
      const asked = await ask(stage.adminPort, `OPTIONS ${path}`, preflight);
      const read = reads ? await ask(stage.adminPort, line, { origin: STRANGER }) : asked;
      for (const { headers } of [asked, read]) {
        expect(Object.keys(headers).filter((name) => CORS.test(name))).toEqual([]);
      }
    }
  });
});

test("the ingress answers pages of any origin, as clients expect, and does not serve the admin API", async () => {
  const { status, headers } = await ask(stage.ingressPort, "GET /restate/health", { origin: STRANGER });
  expect([status, headers["access-control-allow-origin"]]).toEqual([200, STRANGER]);
  for (const path of ["/deployments", "/query", "/services/Greeter", "/invocations/x"]) {
    expect((await ask(stage.ingressPort, `GET ${path}`, JSON_TYPE)).status).toBeGreaterThanOrEqual(400);
  }
});
