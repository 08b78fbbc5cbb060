/** The two OpenAPI documents: of the admin API itself, and of one service at the ingress. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { ROUTES } from "../../../shared/api/admin/admin-app.ts";
import { openAdminPlane, type AdminPlane } from "./admin-plane.ts";
import { manifestOf, startEndpoint, type SampleEndpoint } from "./sample-endpoint.ts";

let plane: AdminPlane;
let endpoint: SampleEndpoint;

const FLOW = {
  name: "Flow",
  ty: "WORKFLOW",
  documentation: "about it",
  metadata: { team: "one" },
  handlers: [
    {
      name: "run",
      ty: "WORKFLOW",
      input: { required: true, contentType: "application/json", jsonSchema: { type: "number" } },
      output: { contentType: "text/plain" },
    },
    { name: "peek", ty: "SHARED", ingressPrivate: true },
  ],
};

beforeEach(async () => {
  plane = await openAdminPlane();
  endpoint = await startEndpoint(manifestOf([FLOW, { name: "Greeter", ty: "SERVICE", handlers: [{ name: "greet" }] }]));
});
afterEach(async () => {
  await endpoint.close();
  await plane.close();
});

/** All references in the document. */
function referencesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === "$ref" && typeof inner === "string" ? [inner] : referencesIn(inner),
  );
}

test("the document of the admin API has paths with their methods and parameters, and each of its references exists", async () => {
  const { status, json } = await plane.ask("GET", "/openapi");
  expect([status, json.openapi, json.info.version]).toEqual([200, "3.1.0", "9.8.7"]);
  expect(Object.keys(json.paths["/deployments/{id}"]).sort()).toEqual(["delete", "get", "patch", "put"]);
  expect(
    json.paths["/services/{service}/handlers/{handler}"].get.parameters.map((one: { name: string }) => one.name),
  ).toEqual(["service", "handler"]);
  expect(json.paths["/invocations/{id}/kill"].patch).toBeDefined();
  const references = referencesIn(json);
  expect(references.length).toBeGreaterThan(20);
  for (const reference of references) {
    const name = reference.replace("#/components/schemas/", "");
    expect(json.components.schemas[name], reference).toMatchObject({});
  }
});

test("the document has the summary of every operation", async () => {
  const { json } = await plane.ask("GET", "/openapi");
  for (const { method, pattern, operation } of ROUTES) {
    const path = pattern.replaceAll(/:(\w+)/g, "{$1}");
    expect(json.paths[path]?.[method.toLowerCase()]?.summary, `${method} ${pattern}`).toBe(operation?.summary);
  }
});

test("the document describes every route, apart from itself, the pages of the web UI and the state of a key", () => {
  const without = ROUTES.filter(({ operation }) => operation === undefined).map(({ pattern }) => pattern);
  const state = "/services/:service/state";
  expect(without).toEqual(["/", "/ui", "/ui/", "/ui/:file", "/ui/:page/:id", "/openapi", state, state]);
});

test("the document describes the body of a registration, by address or by ARN", async () => {
  const { json } = await plane.ask("GET", "/v4/openapi");
  const { oneOf } = json.paths["/deployments"].post.requestBody.content["application/json"].schema;
  const bodies = oneOf.map(({ $ref }: { $ref: string }) => json.components.schemas[$ref.split("/").at(-1)!]);
  expect(bodies.map(({ required }: { required: string[] }) => required)).toEqual([["uri"], ["arn"]]);
  expect(Object.keys(bodies[1].properties).sort()).toEqual([
    "additional_headers",
    "arn",
    "assume_role_arn",
    "breaking",
    "dry_run",
    "force",
    "metadata",
  ]);
  expect((await plane.ask("POST", "/deployments", { uri: endpoint.uri })).status).toBe(201);
});

test("the document describes the answer to a batch with the members that the server writes", async () => {
  const { json } = await plane.ask("GET", "/openapi");
  const { properties, required } = json.components.schemas.InvocationBatchOutcome;
  expect(Object.keys(properties)).toEqual(["succeeded", "failed", "noted"]);
  expect(required).toEqual(["succeeded", "failed"]);
});

test("the list of invocations accepts the filters of the document, and answers with its schema", async () => {
  const { json } = await plane.ask("GET", "/openapi");
  const { get } = json.paths["/invocations"];
  const names: string[] = get.parameters.map(({ name }: { name: string }) => name);
  const query =
    "status=open&outcome=failed&service=S&handler=h&key=k&scope=t&limit_key=a&deployment=dp_x&cause=0123456789ab&created_after=2026-11-24T12:00:00Z" +
    "&created_before=2026-11-24T13:00:00Z&order=oldest&details=false&waits=true&limit=5&after=1.inv_1";
  expect([...new URLSearchParams(query).keys()]).toEqual(names);
  const list = await plane.ask("GET", `/invocations?${query}`);
  expect(list.status).toBe(200);
  const { $ref } = get.responses["200"].content["application/json"].schema;
  const { required, properties } = json.components.schemas[$ref.split("/").at(-1)];
  expect(Object.keys(list.json)).toEqual(required);
  expect(Object.keys(properties)).toEqual(["invocations", "next"]);
});

test("the document of a service shows how it is called, and leaves out private handlers", async () => {
  await plane.ask("POST", "/deployments", { uri: endpoint.uri });
  const { json } = await plane.ask("GET", "/services/Flow/openapi");
  expect(json.info).toEqual({
    title: "Flow",
    version: "1",
    description: "about it",
    "x-restate-extensions": { team: "one" },
  });
  expect(json.servers).toEqual([{ url: "http://127.0.0.1:8080/" }]);
  expect(Object.keys(json.paths)).toEqual([
    "/restate/call/Flow/{key}/run",
    "/restate/send/Flow/{key}/run",
    "/restate/workflow/Flow/{key}/attach",
    "/restate/workflow/Flow/{key}/output",
  ]);
  const { post } = json.paths["/restate/call/Flow/{key}/run"];
  expect(post.requestBody).toEqual({
    required: true,
    content: { "application/json": { schema: { $ref: "#/components/schemas/runRequest" } } },
  });
  expect(json.components.schemas.runRequest).toEqual({ type: "number" });
  expect(post.responses["200"].content).toEqual({ "text/plain": {} });
  const greeter = (await plane.ask("GET", "/v2/services/Greeter/openapi")).json;
  expect(Object.keys(greeter.paths)).toEqual([
    "/restate/call/Greeter/greet",
    "/restate/send/Greeter/greet",
    "/restate/invocation/Greeter/greet/{idempotencyKey}/attach",
    "/restate/invocation/Greeter/greet/{idempotencyKey}/output",
    "/restate/invocation/{invocation_id}/attach",
    "/restate/invocation/{invocation_id}/output",
  ]);
  expect((await plane.ask("GET", "/services/Nope/openapi")).status).toBe(404);
});
