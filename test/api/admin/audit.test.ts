/** The record of changes: who asked for what, and how it ended, without what is secret. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { adminFace } from "../../../shared/api/admin/admin-face.ts";
import { RecordingLog } from "../../recording-log.ts";
import { openAdminPlane } from "./admin-plane.ts";
import type { AdminPlane } from "./admin-plane.ts";
import { manifestOf, startEndpoint } from "./sample-endpoint.ts";
import type { SampleEndpoint } from "./sample-endpoint.ts";

let plane: AdminPlane;
let endpoint: SampleEndpoint;
let log: RecordingLog;

beforeEach(async () => {
  plane = await openAdminPlane();
  endpoint = await startEndpoint(manifestOf([{ name: "Greeter", ty: "SERVICE", handlers: [{ name: "greet" }] }]));
  log = new RecordingLog();
});
afterEach(async () => {
  await endpoint.close();
  await plane.close();
});

async function ask(method: string, path: string, body = "", caller?: string): Promise<number> {
  const face = adminFace({ ...plane.engine, log }, plane.surroundings);
  const { status } = await face({
    method,
    path,
    query: "",
    headers: { "content-type": "application/json" },
    body: new TextEncoder().encode(body),
    ...(caller !== undefined && { caller }),
  });
  return status;
}

const recorded = () => log.lines.filter(({ message }) => message === "admin call").map(({ fields }) => fields);

test("a call that changes something is recorded with who made it, and without the values of its headers", async () => {
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

test("what was refused is recorded too, and what cannot be read is told by its size", async () => {
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

test("what only reads leaves no record", async () => {
  for (const path of ["/deployments", "/services", "/openapi", "/ui/"]) expect(await ask("GET", path)).toBe(200);
  await ask("POST", "/v4/query", "{}");
  expect(recorded()).toEqual([]);
});
