/** Tests the audit lines of changes and of statements: the caller, the request and the outcome, without secrets. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { adminApp } from "../../../shared/api/admin/admin-app.ts";
import type { HttpRequest } from "../../../shared/api/http/message.ts";
import { invocationIdFromBytes, type InvocationId } from "../../../shared/core/model/ids.ts";
import type { InvocationUseCases } from "../../../shared/api/admin/requests/use-cases.ts";
import { RecordingLog } from "../../recording-log.ts";
import { openAdminPlane, type AdminPlane } from "./admin-plane.ts";
import { manifestOf, startEndpoint, type SampleEndpoint } from "./sample-endpoint.ts";

let plane: AdminPlane;
let endpoint: SampleEndpoint;
let log: RecordingLog;

let refused: ReadonlySet<string>;

const idOf = (n: number): InvocationId => {
  return invocationIdFromBytes(
    Uint8Array.from({ length: 24 }, (_, at) => (at === 23 ? n % 256 : at === 22 ? n >> 8 : 1)),
  );
};
const unused = (): never => {
  throw new Error("no test reads it");
};
const invocations: InvocationUseCases = {
  inspect: unused,
  cancel: unused,
  kill: async (_engine, id) => (refused.has(id) ? "completed" : "done"),
  pause: unused,
  purge: unused,
  purgeJournal: unused,
  restart: unused,
  resume: unused,
};

beforeEach(async () => {
  refused = new Set();
  plane = await openAdminPlane();
  endpoint = await startEndpoint(manifestOf([{ name: "Greeter", ty: "SERVICE", handlers: [{ name: "greet" }] }]));
  log = new RecordingLog();
});
afterEach(async () => {
  await endpoint.close();
  await plane.close();
});

async function ask(
  method: string,
  path: string,
  body = "",
  caller?: string,
  more: Partial<HttpRequest> = {},
): Promise<number> {
  const app = adminApp({ ...plane.engine, log }, { ...plane.deps, invocations });
  const { status } = await app({
    method,
    path,
    query: "",
    headers: { "content-type": "application/json" },
    body: new TextEncoder().encode(body),
    ...(caller !== undefined && { caller }),
    ...more,
  });
  return status;
}

const recorded = () => log.lines.filter(({ level }) => level === "audit").map(({ fields }) => fields);
const unsaid = (caller: string) => ({ method: "POST", path: "/query", status: 400, caller });

test("a change is recorded with its caller, and without the values of its headers", async () => {
  const body = { uri: endpoint.uri, additional_headers: { authorization: "Bearer hidden" } };
  expect(await ask("POST", "/v3/deployments", JSON.stringify(body), "arn:aws:iam::1:user/ada")).toBe(201);
  expect(recorded()).toEqual([
    {
      method: "POST",
      path: "/v3/deployments",
      status: 201,
      caller: "arn:aws:iam::1:user/ada",
      body: JSON.stringify({ uri: endpoint.uri, additional_headers: { authorization: "***" } }),
    },
  ]);
  expect(JSON.stringify(log.lines)).not.toContain("hidden");
});

test("a refused change is recorded too, and an unreadable body by its size", async () => {
  expect(await ask("DELETE", "/deployments/dp_10000000000000000000000")).toBe(404);
  expect(await ask("POST", "/kafka-clusters", '{"properties":{"sasl.password":"hidden"}}')).toBe(422);
  expect(await ask("POST", "/subscriptions", "{hidden")).toBe(400);
  expect(recorded().map(({ status, body }) => [status, body])).toEqual([
    [404, undefined],
    [422, '{"properties":{"sasl.password":"***"}}'],
    [400, "7 bytes"],
  ]);
  expect(JSON.stringify(log.lines)).not.toContain("hidden");
});

test("a request that only reads leaves no record", async () => {
  for (const path of ["/deployments", "/services", "/openapi", "/ui/"]) expect(await ask("GET", path)).toBe(200);
  expect(recorded()).toEqual([]);
});

test("a statement is recorded with its caller; a long one is cut, and the line gives its length", async () => {
  const long = `select '${"x".repeat(5_000)}'`;
  for (const query of ["select 1", long]) await ask("POST", "/query", JSON.stringify({ query }), "ada");
  await ask("POST", "/query", "{}", "ada");
  expect(recorded()).toEqual([
    { ...unsaid("ada"), status: 503, statement: "select 1", statementCharacters: 8 },
    { ...unsaid("ada"), status: 503, statement: long.slice(0, 2_048), statementCharacters: long.length },
    { ...unsaid("ada"), status: 503, body: "2 bytes" },
  ]);
});

test("a kill of four hundred invocations records every id, and which kills were refused", async () => {
  const ids = Array.from({ length: 400 }, (_, at) => idOf(at));
  refused = new Set(ids.slice(0, 50));
  const path = "/internal/invocations_batch_operations/kill";
  expect(await ask("POST", path, JSON.stringify({ invocation_ids: ids }), "ada")).toBe(200);
  const lines = recorded();
  expect(lines.map(({ line, inLine }) => [line, inLine])).toEqual([
    [1, 100],
    [2, 100],
    [3, 100],
    [4, 50],
    [5, 50],
  ]);
  for (const fields of lines) {
    expect(fields).toMatchObject({ path, caller: "ada", doneCount: 350, refusedCount: 50, lines: 5 });
    expect(JSON.stringify(fields).length).toBeLessThan(8_000);
  }
  const idsIn = (name: string) => lines.flatMap((fields) => String(fields[name] ?? "").split(" ")).filter((id) => id);
  expect(idsIn("done").sort()).toEqual(ids.slice(50).sort());
  expect(idsIn("refused").sort()).toEqual(ids.slice(0, 50).sort());
});

test("the caller in an event that bypassed the gateway is recorded as a claim, and never as the caller", async () => {
  await ask("DELETE", "/deployments/dp_1", "", undefined, { claimedCaller: "arn:aws:iam::1:root" });
  await ask("DELETE", "/deployments/dp_1", "", "ada", { gatewayRequestId: "abc=" });
  expect(recorded()).toMatchObject([
    { caller: "not known", claimedCaller: "arn:aws:iam::1:root" },
    { caller: "ada", gatewayRequestId: "abc=" },
  ]);
});

test("a body with more members than any real request has is recorded only by its size", async () => {
  const body = `{"new_state":{${Array.from({ length: 280_000 }, (_, at) => `"${at}":[]`).join()}}}`;
  await ask("POST", "/services/o/state", body);
  expect(recorded()).toMatchObject([{ body: `${body.length} bytes` }]);
});

test("a change of rules has a line for each rule with its limits, beside the line of the request", async () => {
  const rules = [
    { pattern: "acme", limits: { concurrency: 3, rate: "5/1s" } },
    { pattern: "*", disabled: true },
  ];
  expect(await ask("PUT", "/limits/rules", JSON.stringify(rules), "an operator")).toBe(200);
  expect(await ask("POST", "/limits/rules/bulk-delete", '[{"pattern":"acme"}]', "another")).toBe(200);
  const fieldsOf = (name: string) => log.lines.filter(({ event }) => event === name).map(({ fields }) => fields);
  expect(fieldsOf("rule.changed")).toEqual([
    { pattern: "acme", caller: "an operator", version: 1, disabled: false, concurrency: 3, rate: "5/1s", burst: 5 },
    { pattern: "*", caller: "an operator", version: 1, disabled: true },
  ]);
  expect(fieldsOf("rule.deleted")).toMatchObject([{ pattern: "acme", caller: "another", concurrency: 3 }]);
});
