/** Tests that checks run in order over HTTP, and that a check that cannot run is skipped with a reason. */
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiClient } from "../../../infra/try/api-client.ts";
import { CHECKS, type Check } from "../../../infra/try/checks.ts";
import { must, Plane } from "../../../infra/try/plane.ts";
import { smokeTest } from "../../../infra/try/smoke-test.ts";

const NEVER = new AbortController().signal;
let server: Server;
let plane: Plane;

beforeAll(async () => {
  // Signing needs credentials. The server checks only that the signature names the key id `test`.
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" });
  server = createServer((request, response) => {
    const isSigned = request.headers.authorization?.startsWith("AWS4-HMAC-SHA256 Credential=test/") === true;
    response.writeHead(isSigned ? 200 : 403, { "content-type": "application/json" });
    response.end(request.url === "/services" ? '{"services":[{"name":"greeter"}]}' : "{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const ask = apiClient("https://nobody", "eu-west-1", { host: `api.localhost:${port}`, port });
  plane = new Plane(ask, ask, "run");
});

afterAll(() => void server.close());

const passing = (name: string): Check => ({ name, run: async () => `${name} was seen` });
const failing = (name: string, isNeeded: boolean): Check => ({
  name,
  ...(isNeeded && { isNeeded: true as const }),
  run: async ({ ask }) => must(404, `GET /${name}`, await ask(`/${name}`)).text,
});

test("a failed check shows the answer, and the checks after it run", async () => {
  const told: string[] = [];
  const results = await smokeTest([failing("one", false), passing("two")], plane, NEVER, ({ name }) => told.push(name));
  expect(results).toMatchObject([
    { outcome: "failed", seen: "GET /one was answered with 200: {}" },
    { outcome: "passed", seen: "two was seen" },
  ]);
  expect(told).toEqual(["one", "two"]);
});

test("after the failure of a check that the others need, all others are skipped", async () => {
  const results = await smokeTest(
    [failing("first", true), passing("two"), passing("three")],
    plane,
    NEVER,
    () => undefined,
  );
  expect(results.map(({ outcome }) => outcome)).toEqual(["failed", "skipped", "skipped"]);
  expect(results[2]!.seen).toBe("needs what failed: first");
});

test("an interruption ends the running check, and skips the rest", async () => {
  const heard = new AbortController();
  const endless: Check = { name: "endless", run: () => new Promise<string>(() => heard.abort()) };
  const results = await smokeTest([passing("one"), endless, passing("three")], plane, heard.signal, () => undefined);
  expect(results.map(({ outcome, seen }) => [outcome, seen])).toEqual([
    ["passed", "one was seen"],
    ["skipped", "interrupted"],
    ["skipped", "interrupted"],
  ]);
});

test("if services are missing, the check of the registered handlers fails, and all later checks are skipped", async () => {
  const results = await smokeTest(CHECKS, plane, NEVER, () => undefined);
  expect(results.slice(0, 4).map(({ outcome }) => outcome)).toEqual(["passed", "passed", "passed", "failed"]);
  expect(results[3]!.seen).toBe('expected ["counter","greeter","order"], and found ["greeter"]');
  expect(new Set(results.slice(4).map(({ outcome }) => outcome))).toEqual(new Set(["skipped"]));
});
