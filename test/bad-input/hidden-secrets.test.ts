/** Secrets of operators and callers appear in no output; the secrets for a deployment or a collector still reach it. */
import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { TABLE_SHAPES } from "../../shared/core/query/table-shapes.ts";
import { variableOf } from "../../shared/config/setting-names.ts";
import { readSettings } from "../../shared/config/settings.ts";
import { startServer } from "../harness/https/peer.ts";
import { manifestOf } from "../api/admin/sample-endpoint.ts";
import { removeDirectory, temporaryDirectory } from "../contracts/temporary-directory.ts";
import { end, GREETER, output, replying } from "../errors/frame-deployment.ts";
import { openStage, type ErrorStage } from "../errors/stage.ts";
import { SEEN_WITHIN } from "../patience.ts";
import { fetch } from "../harness/local/admin-access.ts";

/** All secrets contain this word, except the private key that a test generates. */
const SECRET = "canary";

let dir: string;
beforeEach(async () => {
  dir = await temporaryDirectory();
  // These run after what a hook returns, and the last one first: what the test started in the directory ends before.
  onTestFinished(() => removeDirectory(dir));
});

interface Guarded {
  readonly uri: string;
  isOpen: boolean;
  /** The received requests with their credentials. */
  readonly got: { readonly url: string; readonly authorization: string; readonly body: string }[];
}

/** A deployment that answers 403 while it is not open, and records the credentials of each request. */
async function startGuarded(): Promise<Guarded> {
  const server = createServer((request, response) => {
    const { url = "", headers } = request;
    const { authorization = "" } = headers;
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      guarded.got.push({ url, authorization, body: Buffer.concat(pieces).toString("latin1") });
      if (!guarded.isOpen) return void response.writeHead(403).end();
      if (!url.startsWith("/discover")) return replying(output("hello"), end())(response, request);
      response.writeHead(200, { "content-type": "application/vnd.restate.endpointmanifest.v4+json" });
      response.end(JSON.stringify(manifestOf([GREETER], { protocolMode: "REQUEST_RESPONSE" })));
    });
  });
  const peer = await startServer(server);
  onTestFinished(() => peer.stop());
  const guarded: Guarded = { uri: peer.uri, isOpen: true, got: [] };
  return guarded;
}

/** The answers to all GET requests that the admin API's own document lists, and the rows of every table. */
async function everythingTold(stage: ErrorStage, own: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { adminUrl } = stage.local;
  const { paths } = (await (await fetch(`${adminUrl}openapi`)).json()) as { paths: Record<string, object> };
  const readable = Object.entries(paths).filter(([, methods]) => "get" in methods);
  const told: string[] = [];
  for (const [path] of readable) {
    const filled = path
      .slice(1)
      .replaceAll(/\{(\w+)\}/g, (_all, name: string) => own[`${path.split("/")[1]}.${name}`] ?? own[name] ?? "x");
    const response = await fetch(`${adminUrl}${filled}${path.endsWith("/state") ? "?object_key=a" : ""}`);
    told.push(`GET /${filled} ${response.status} ${await response.text()}`);
  }
  for (const table of TABLE_SHAPES.map(({ name }) => name)) {
    const response = await fetch(`${adminUrl}query`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ query: `SELECT * FROM ${table} LIMIT 100` }),
    });
    told.push(`${table} ${response.status} ${await response.text()}`);
  }
  return told;
}

function expectHidden(told: readonly string[]): void {
  expect(told.flatMap((one) => one.match(new RegExp(`.{0,200}${SECRET}.{0,40}`, "gs")) ?? [])).toEqual([]);
}

test("no output shows a secret of a deployment, a caller, a cluster or a key, also when requests fail", async () => {
  const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const key = pem.split("\n")[1]!;
  const file = join(dir, "key.pem");
  writeFileSync(file, pem, { mode: 0o600 });
  const stage = await openStage({
    "request-identity-private-key-pem-file": file,
    "default-retry-policy.max-attempts": "3",
  });
  const deployment = await startGuarded();
  const headers = { additional_headers: { authorization: `Bearer ${SECRET}-header` } };
  const uri = `${deployment.uri}/?code=${SECRET}-query&${SECRET}-bare`;
  const answers: string[] = [];
  const register = async (...asked: Parameters<ErrorStage["register"]>) => {
    const answer = await stage.register(...asked);
    answers.push(`registration ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  };

  const http1 = { ...headers, use_http_11: true };
  const { status, body } = await register(uri, http1);
  expect([status, deployment.got]).toEqual([
    201,
    [{ url: `/discover?code=${SECRET}-query&${SECRET}-bare`, authorization: `Bearer ${SECRET}-header`, body: "" }],
  ]);
  expect((await register(uri, http1)).body.restate_code).toBe("META0004");
  for (const hidden of [`http://ada:${SECRET}-password@127.0.0.1:1/`, `ada:${SECRET}-password@127.0.0.1`]) {
    expect((await register(hidden, http1)).status).toBe(400);
  }
  deployment.isOpen = false;
  expect((await register(uri, { ...http1, force: true })).body.restate_code).toBe("META0003");
  expect((await register(`http://127.0.0.1:1/?code=${SECRET}-query`, http1)).body.restate_code).toBe("META0003");
  const { status: put, body: putBody } = await stage.admin("PUT", `deployments/${String(body["id"])}`);
  answers.push(`update ${put} ${JSON.stringify(putBody)}`);

  const id = await stage.send(`Greeter/greet`);
  await stage.shows(id, (shown) => (shown.status === "paused" ? true : undefined));
  deployment.isOpen = true;
  const credentials = {
    authorization: SECRET,
    cookie: `a=${SECRET}`,
    "x-amz-security-token": SECRET,
    "x-restate-jwt-v1": SECRET,
  };
  const query = `?access_token=${SECRET}-caller&X-Amz-Signature=${SECRET}-caller`;
  const called = await fetch(`${stage.local.ingressUrl}Greeter/greet${query}`, {
    method: "POST",
    headers: credentials,
  });
  expect([called.status, await called.text()]).toEqual([200, "hello"]);
  const properties = {
    "bootstrap.servers": "a:1",
    "sasl.password": SECRET,
    "sasl.jaas.config": SECRET,
    "basic.auth.user.info": SECRET,
  };
  answers.push(JSON.stringify(await stage.admin("POST", "kafka-clusters", { name: "k", properties })));
  const subscription = {
    source: "kafka://k/t",
    sink: "service://Greeter/greet",
    options: { "ssl.key.password": SECRET },
  };
  answers.push(JSON.stringify(await stage.admin("POST", "subscriptions", subscription)));

  const own = {
    "deployments.id": String(body["id"]),
    "invocations.id": id,
    service: "Greeter",
    handler: "greet",
    name: "k",
  };
  const told = await everythingTold(stage, own);
  expect(told.filter((one) => one.includes(String(body["id"]))).length).toBeGreaterThan(4);
  expect(told.join("\n")).toContain('"authorization":"***"');
  expect(told.join("\n")).toContain("/?code=***&***");
  expect(deployment.got.at(-1)!.url).toBe(`/invoke/Greeter/greet?code=${SECRET}-query&${SECRET}-bare`);
  expectHidden(deployment.got.filter(({ url }) => url.startsWith("/invoke")).map((one) => one.body));
  const logged = stage.log.lines.map((line) => JSON.stringify(line));
  expect(logged.length).toBeGreaterThan(10);
  expectHidden([...answers, ...told, ...logged]);
  for (const one of [...answers, ...told, ...logged]) expect(one).not.toContain(key);
});

test("a masked value is refused when it is sent back, so that it replaces no secret", async () => {
  const stage = await openStage();
  const deployment = await startGuarded();
  const more = { use_http_11: true, additional_headers: { authorization: `Bearer ${SECRET}` } };
  const { body } = await stage.register(`${deployment.uri}/?code=${SECRET}`, more);
  const path = `deployments/${String(body["id"])}`;
  const shown = (await stage.admin("GET", path)).body;
  const { uri, additional_headers } = shown;
  for (const method of ["PUT", "PATCH"]) {
    expect((await stage.admin(method, path, { additional_headers })).status).toBe(400);
    expect((await stage.admin(method, path, { uri })).status).toBe(400);
    expect((await stage.admin(method, path, {})).status).toBe(200);
  }
  expect((await stage.register(String(uri), { ...more, force: true })).status).toBe(400);
  // A registration replaces everything, so only an update can keep stored values.
  const again = await stage.register(deployment.uri, { use_http_11: true, additional_headers, force: true });
  expect(JSON.stringify(again.body)).toContain("give the real value, or, in an update, omit all headers");
  expect(await stage.result(await stage.send("Greeter/greet"))).toBe("200 hello");
  expect(deployment.got.at(-1)).toMatchObject({
    url: `/invoke/Greeter/greet?code=${SECRET}`,
    authorization: `Bearer ${SECRET}`,
  });
});

test("the credentials of a trace collector are sent to it, and appear in no output while it refuses them", async () => {
  const got: string[] = [];
  const server = createServer((request, response) => {
    got.push(`${request.headers.authorization ?? ""} ${String(request.headers["x-key"])}`);
    response.writeHead(401, { "content-type": "text/plain" }).end(`who is ${String(request.headers["x-key"])}?`);
  });
  const collector = await startServer(server);
  onTestFinished(() => collector.stop());
  vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", `x-key=${SECRET}-key`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const endpoint = `${collector.uri.replace("//", `//ada:${SECRET}-password@`)}/v1/traces?token=${SECRET}-token`;
  const stage = await openStage({ "tracing-endpoint": endpoint });
  const deployment = await startGuarded();
  await stage.register(deployment.uri, { use_http_11: true });
  expect(await stage.result(await stage.send("Greeter/greet"))).toBe("200 hello");
  await vi.waitFor(() => expect(got[0]).toContain(`${SECRET}-key`), SEEN_WITHIN);
  await vi.waitFor(() => expect(JSON.stringify(stage.log.lines)).toContain("span.export-failed"), SEEN_WITHIN);
  expectHidden(stage.log.lines.map((line) => JSON.stringify(line)));
  expectHidden(await everythingTold(stage, {}));
});

test.each([
  ["tracing-endpoint", `ftp://ada:${SECRET}@collector.example/`],
  ["tracing-endpoint", `ada:${SECRET}@collector.example`],
  ["request-identity-private-key-pem-file", `-----BEGIN PRIVATE KEY-----\n${SECRET}\n-----END PRIVATE KEY-----`],
] as const)("a start that is refused for %s does not show the value", async (path, value) => {
  const opening = async () => void (await openStage({ [path]: value, "data-dir": join(dir, "data") }));
  const error: unknown = await opening().catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: "RT0002", message: expect.stringContaining(path) });
  expect(String((error as Error).message)).not.toContain(SECRET);
  const variable = { [variableOf(path)]: value };
  const file = { path: "stepwell.toml", text: `${path} = """${value}"""` };
  for (const sources of [{ environment: variable }, { file, environment: {} }]) {
    let told = "";
    try {
      readSettings({ ...sources, flags: {} });
    } catch (caught) {
      told = String((caught as Error).message);
    }
    expect(told).toMatch(/is not (an address|the path of a file)/);
    expect(told).not.toContain(SECRET);
  }
});
