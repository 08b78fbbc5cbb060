/** Tests the admin API: routes, versions, methods, refusals, and requests about one invocation. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { invocationIdFromBytes, type InvocationId } from "../../../shared/core/model/ids.ts";
import type { Interruption, InvocationView } from "../../../shared/engine/ports/submission.ts";
import { openAdminPlane, type AdminPlane } from "./admin-plane.ts";

const ids = Array.from({ length: 6 }, (_, n) => invocationIdFromBytes(Uint8Array.from({ length: 24 }, () => n)));
const [SEEN, DONE, NOTED, COMPLETED, UNKNOWN, BROKEN] = ids as [
  InvocationId,
  InvocationId,
  InvocationId,
  InvocationId,
  InvocationId,
  InvocationId,
];

const VIEW: InvocationView = {
  id: SEEN,
  target: { service: "Counter", key: "a/b", handler: "add" },
  status: "backing-off",
  createdAtMs: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
  modifiedAtMs: Date.UTC(2026, 0, 2, 3, 4, 5, 7),
  attempts: 3,
  nextRetryAtMs: Date.UTC(2026, 0, 2, 3, 4, 6),
  lastFailure: { errorCode: "RT0007", code: 500, message: "boom", atMs: 0, relatedCommand: { index: 1, name: "step" } },
  entries: [
    { index: 0, type: "Command: Input", atMs: Date.UTC(2026, 0, 2) },
    { index: 1, type: "Command: Run", name: "step", atMs: Date.UTC(2026, 0, 2, 3) },
  ],
  events: [],
  entryCount: 2,
  attemptsStored: [],
  completionRetentionMs: 86_400_000,
  journalRetentionMs: 3_600_000,
};

const interruptions = new Map<string, Interruption>([
  [DONE, "done"],
  [NOTED, "noted"],
  [COMPLETED, "completed"],
]);
const interrupt = async (_engine: unknown, id: InvocationId): Promise<Interruption> => {
  if (id === BROKEN) throw new Error("a secret of the inside");
  return interruptions.get(id) ?? "unknown";
};

let plane: AdminPlane;
beforeAll(async () => {
  plane = await openAdminPlane({
    inspect: async (_engine, id) => (id === SEEN ? VIEW : undefined),
    cancel: interrupt,
    kill: interrupt,
  });
});
afterAll(() => plane.close());

describe("the admin API", () => {
  it.each(["", "/v2", "/v3", "/v4"])("is healthy under the prefix %j", async (prefix) => {
    expect(await plane.ask("GET", `${prefix}/health`)).toMatchObject({ status: 200, text: "" });
  });

  it("shows its version", async () => {
    expect((await plane.ask("GET", "/version")).json).toEqual({
      version: "1.7.12+stepwell.9.8.7",
      product: "stepwell",
      product_version: "9.8.7",
      min_admin_api_version: 2,
      max_admin_api_version: 4,
      ingress_endpoint: "http://127.0.0.1:8080/",
      runs_on: "one-process",
      features: {},
    });
  });

  it("shows its metrics", async () => {
    plane.engine.meter.count("samples_total");
    const { status, headers, text } = await plane.ask("GET", "/metrics");
    expect([status, headers["content-type"]]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    expect(text).toContain("stepwell_samples_total 1");
  });

  it.each([
    ["POST", "/vqueues/vq_1/pause", 501, /no virtual queues.*PATCH \/invocations/],
    ["POST", "/vqueues/vq_1/resume", 501, /no virtual queues/],
    ["GET", "/nowhere", 404, /no route GET \/nowhere; GET \/openapi/],
    ["GET", `/${"x".repeat(5_000)}`, 404, /^.{200,300}$/],
  ])("answers %s %s, a route that is not there, with %d and a reason as JSON", async (method, path, status, reason) => {
    const answer = await plane.ask(method, path, method === "GET" ? undefined : []);
    expect([answer.status, answer.json]).toEqual([
      status,
      { message: expect.stringMatching(reason), restate_code: null },
    ]);
  });

  it("leaves routes that are not there out of its document", async () => {
    const { json } = await plane.ask("GET", "/openapi");
    expect(Object.keys(json.paths).filter((path) => /vqueues/.test(path))).toEqual([]);
  });

  it.each([
    ["GET", "/v1/health", 400],
    ["GET", "/v5/health", 400],
    ["GET", "/health/", 404],
    ["GET", "/nowhere", 404],
    ["GET", "/", 308],
    ["GET", "/ui", 200],
    ["GET", "/ui/", 200],
    ["GET", "/cluster-health", 200],
    ["GET", "/v2/cluster-health", 200],
    ["GET", "/services/Nope", 404],
    ["GET", "/services/Nope/handlers/x", 404],
    ["GET", "/services/%E0%A4%A", 400],
    ["GET", "/deployments/nope", 400],
    ["GET", "/deployments/dp_10000000000000000000000", 404],
    ["DELETE", "/deployments/dp_10000000000000000000000", 404],
    ["DELETE", "/deployments/dp_10000000000000000000000?force=true", 404],
    ["DELETE", "/deployments/dp_10000000000000000000000?force=yes", 400],
    ["PUT", "/deployments/dp_10000000000000000000000", 404],
    ["PATCH", "/invocations/inv_nope/kill", 400],
  ])("answers %s %s with %d", async (method, path, status) => {
    expect((await plane.ask(method, path)).status).toBe(status);
  });

  it.each(["/health", "/v3/deployments", "/deployments/nope", "/nowhere"])("answers HEAD %s as GET", async (path) => {
    const { status, headers } = await plane.ask("GET", path);
    expect(await plane.ask("HEAD", path)).toMatchObject({ status, headers });
  });

  it.each([
    ["OPTIONS", "/deployments", "GET,HEAD,POST"],
    ["POST", "/v3/health", "GET,HEAD"],
    ["HEAD", "/query", "POST"],
    ["GET", `/invocations/${SEEN}/kill`, "PATCH"],
  ])("answers %s %s with 405 and the allowed methods", async (method, path, allow) => {
    expect(await plane.ask(method, path)).toMatchObject({ status: 405, text: "", headers: { allow } });
  });

  it.each<[string, unknown, Record<string, string>, number]>([
    ["that is no JSON", "{", {}, 400],
    ["of another content type", "uri=x", { "content-type": "text/plain" }, 415],
    ["without an address", {}, {}, 422],
    ["that is a list", [], {}, 422],
    ["with a flag that is a word", { uri: "http://x/", force: "yes" }, {}, 422],
    ["with headers that are numbers", { uri: "http://x/", additional_headers: { a: 1 } }, {}, 422],
  ])("answers in plain text that it refuses a registration %s", async (_name, body, headers, status) => {
    const answer = await plane.ask("POST", "/deployments", body, headers);
    expect([answer.status, answer.json]).toEqual([status, undefined]);
    expect(answer.headers["content-type"]).toContain("text/plain");
  });

  it.each<[string, object, number]>([
    ["a relative address", { uri: "host:1" }, 400],
    ["another scheme", { uri: "ftp://host/" }, 400],
    ["a header of the connection", { uri: "http://x/", additional_headers: { Host: "y" } }, 400],
    ["a header of the server's own", { uri: "http://x/", additional_headers: { "X-Restate-Service-Key": "%" } }, 400],
    [
      "a header whose value is the mask for secrets",
      { uri: "http://x/", additional_headers: { authorization: "***" } },
      400,
    ],
    ["an address with the mask for secrets", { uri: "http://x/?a=1&code=***", additional_headers: {} }, 400],
    ["a header that breaks the line", { uri: "http://x/", additional_headers: { a: "b\r\nc: d" } }, 400],
    ["a function without a version", { arn: "arn:aws:lambda:eu-west-1:123456789012:function:f" }, 400],
    ["an ARN that is not of a function", { arn: "arn:aws:s3:::bucket" }, 400],
    [
      "a function with an ARN that is not of a role",
      { arn: "arn:aws:lambda:eu-west-1:123456789012:function:f:1", assume_role_arn: "arn:aws:iam::1:user/u" },
      400,
    ],
  ])("refuses to register %s", async (_name, body, status) => {
    const answer = await plane.ask("POST", "/deployments", body);
    expect([answer.status, answer.json.restate_code]).toEqual([status, null]);
  });
});

describe("an invocation", () => {
  it("is shown with its entries and its last failure", async () => {
    expect((await plane.ask("GET", `/invocations/${SEEN}`)).json).toEqual({
      id: SEEN,
      target: "Counter/a/b/add",
      target_service_name: "Counter",
      target_service_key: "a/b",
      target_handler_name: "add",
      status: "backing-off",
      created_at: "2026-01-02T03:04:05.006000000Z",
      modified_at: "2026-01-02T03:04:05.007000000Z",
      attempts: 3,
      next_retry_at: "2026-01-02T03:04:06.000000000Z",
      last_failure: {
        error_code: "RT0007",
        code: 500,
        message: "boom",
        at: "1970-01-01T00:00:00.000000000Z",
        related_command: { index: 1, name: "step" },
      },
      completion_retention: "1d",
      journal_retention: "1h",
      entry_count: 2,
      attempt_spans: [],
      entries: [
        { index: 0, type: "Command: Input", at: "2026-01-02T00:00:00.000000000Z" },
        { index: 1, type: "Command: Run", name: "step", at: "2026-01-02T03:00:00.000000000Z" },
      ],
      events: [],
    });
    expect((await plane.ask("GET", `/invocations/${UNKNOWN}`)).status).toBe(404);
  });

  it.each(["cancel", "kill"])("answers %s according to its outcome", async (operation) => {
    const asked = [DONE, NOTED, COMPLETED, UNKNOWN].map((id) =>
      plane.ask("PATCH", `/v4/invocations/${id}/${operation}`),
    );
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status)).toEqual([200, 202, 409, 404]);
    expect(answers.map(({ json }) => json?.restate_code)).toEqual([undefined, undefined, null, null]);
  });

  it("answers an unexpected error with the id of the error alone", async () => {
    const { status, json } = await plane.ask("PATCH", `/invocations/${BROKEN}/kill`);
    expect(status).toBe(500);
    expect(json.message).toMatch(/^Internal error [0-9a-f]{16}$/);
  });
});
