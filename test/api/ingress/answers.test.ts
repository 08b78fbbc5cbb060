/** Answers of the ingress to successful requests and to failed invocations. */
import { describe, expect, test } from "vitest";
import { StoreError } from "../../../shared/engine/ports/table.ts";
import { idOf, request as bareRequest, smallWorld, textOf } from "./small-world.ts";

const EXPIRES = "2026-11-22T05:43:02.661+00:00";

function request(line: string, headers: Readonly<Record<string, string>> = {}, body: string | Uint8Array = "") {
  return bareRequest(line, { "content-type": "application/json", ...headers }, body);
}

test("a call is answered with the handler's bytes, its content type and the invocation's id", async () => {
  const bytes = new Uint8Array([0, 255, 128, 10]);
  const response = await smallWorld().app(request("POST /Greeter/echo", {}, bytes));
  expect(response).toEqual({
    status: 200,
    headers: {
      "x-restate-id": idOf("fresh 1"),
      "content-type": "application/json",
      vary: "origin, access-control-request-method, access-control-request-headers",
    },
    body: bytes,
  });
});

test("an empty output has no content type unless the handler sets one for it", async () => {
  const { app } = smallWorld();
  expect((await app(request("POST /Greeter/echo"))).headers["content-type"]).toBeUndefined();
  expect((await app(request("POST /Greeter/text"))).headers["content-type"]).toBeUndefined();
  expect((await app(request("POST /Greeter/text", {}, "x"))).headers["content-type"]).toBe("text/plain");
  expect((await app(request("POST /Greeter/typed"))).headers["content-type"]).toBe("text/plain");
});

test.each([
  "POST /Greeter/echo",
  "POST //Greeter/echo",
  "POST /Greeter/echo/",
  "POST /restate/call/Greeter/echo",
  "POST /stepwell/call/Greeter/echo",
  "POST /engine/call/Greeter/echo",
  "GET /Greeter/echo?unknown=1",
])("%s is a call", async (line) => {
  const { app, submissions } = smallWorld();
  expect((await app(request(line))).status).toBe(200);
  expect(submissions[0]!.target).toEqual({ service: "Greeter", handler: "echo" });
});

test.each([
  ["POST /Greeter/echo/send", "echo"],
  ["POST /restate/send/Greeter/echo", "echo"],
  ["POST /engine/send/Greeter/echo", "echo"],
  ["GET /Greeter/send/send", "send"],
])("%s is a send", async (line, handler) => {
  const { app, submissions } = smallWorld();
  const response = await app(request(line));
  expect([response.status, response.headers["content-type"]]).toEqual([202, "application/json"]);
  expect(JSON.parse(textOf(response))).toEqual({ invocationId: idOf("fresh 1"), status: "Accepted" });
  expect(response.headers["x-restate-id"]).toBe(idOf("fresh 1"));
  expect(submissions[0]!.target).toEqual({ service: "Greeter", handler });
});

test.each([
  ["delay=5s", "2026-11-21T05:43:07.661000000Z"],
  ["DELAY=PT0.339S", "2026-11-21T05:43:03Z"],
  ["delay=10%20sec", "2026-11-21T05:43:12.661000000Z"],
  ["delay=1h30m", "2026-11-21T07:13:02.661000000Z"],
  ["delay=P1DT2H", "2026-11-22T07:43:02.661000000Z"],
  ["delay=0ms", "2026-11-21T05:43:02.661000000Z"],
  ["delay=9999999w", "9999-12-31T23:59:59.999000000Z"],
  ["delay=9007199254740991ms", "9999-12-31T23:59:59.999000000Z"],
  ["delay=18446744073709551615ms", "9999-12-31T23:59:59.999000000Z"],
])("a send with %s shows when it will run", async (query, executionTime) => {
  const response = await smallWorld().app(request(`POST /Greeter/echo/send?${query}`));
  expect(JSON.parse(textOf(response))).toMatchObject({ executionTime, status: "Accepted" });
});

test("the answer to a repeated send has the time of the first send and the status PreviouslyAccepted", async () => {
  const { app } = smallWorld();
  const first = await app(request("POST /Greeter/echo/send?delay=5s", { "idempotency-key": "k" }));
  const second = await app(request("POST /Greeter/echo/send?delay=9s", { "idempotency-key": "k" }));
  expect(second.status).toBe(202);
  expect(JSON.parse(textOf(second))).toEqual({
    ...(JSON.parse(textOf(first)) as object),
    status: "PreviouslyAccepted",
  });
});

describe("an invocation that completed earlier", () => {
  const key = { "idempotency-key": "k" };
  const id = idOf("Greeter/text", "k");
  const described = (fields: object) => JSON.stringify({ target: "idempotentInvocation", ...fields });
  const byBody = described({ service: "Greeter", handler: "text", idempotencyKey: "k", key: null, other: 1 });

  test.each([
    ["POST /Greeter/text", ""],
    [`GET /restate/invocation/${id}/attach`, ""],
    [`GET /stepwell/invocation/${id}/output`, ""],
    [`GET /engine/attach/${id}`, ""],
    [`GET /restate/output/${id}`, ""],
    ["GET /restate/invocation/Greeter/text/k/attach", ""],
    ["GET /restate/invocation/Greeter/text/k/output", ""],
    ["POST /restate/attach", byBody],
    ["POST /engine/output", byBody],
    ["POST /restate/output", JSON.stringify({ target: "invocation", invocationId: id })],
  ])("gives its result and its expiry to %s %s", async (line, body) => {
    const { app } = smallWorld();
    expect((await app(request("POST /Greeter/text", key, "first"))).headers["idempotency-expires"]).toBeUndefined();
    const again = await app(request(line, key, body));
    expect([again.status, textOf(again)]).toEqual([200, "first"]);
    expect(again.headers).toMatchObject({
      "x-restate-id": id,
      "content-type": "text/plain",
      "idempotency-expires": EXPIRES,
    });
  });

  test("gives its failure with the expiry too", async () => {
    const { app } = smallWorld();
    const failure = JSON.stringify({ code: 409, message: "killed" });
    await app(request("POST /Greeter/fail", key, failure));
    const again = await app(request("GET /restate/invocation/Greeter/fail/k/output"));
    expect(again.status).toBe(409);
    expect(again.headers["idempotency-expires"]).toBe(EXPIRES);
  });
});

test.each([
  [418, 418],
  [200, 200],
  [500, 500],
  [599, 599],
  [600, 500],
  [700, 500],
  [999, 500],
  [99, 500],
  [1000, 500],
  [0, 500],
  [101, 500],
  [204, 500],
  [304, 500],
])("a terminal error with code %d has status %d and keeps its code", async (code, status) => {
  const response = await smallWorld().app(
    request("POST /Greeter/fail", {}, JSON.stringify({ code, message: "custom boom" })),
  );
  expect(response.status).toBe(status);
  expect(JSON.parse(textOf(response))).toEqual({ code, message: "custom boom", source: "invocation" });
  expect(response.headers["x-restate-error-source"]).toBe("invocation");
  expect(response.headers["x-restate-id"]).toBe(idOf("fresh 1"));
  expect(response.headers["content-type"]).toBe("application/json");
});

test("metadata and stack trace of a failure are shown where the failure has them", async () => {
  const failure = { code: 500, message: "m", metadata: [{ key: "k1", value: "v1" }], stacktrace: "at x" };
  const response = await smallWorld().app(request("POST /Greeter/fail", {}, JSON.stringify(failure)));
  expect(JSON.parse(textOf(response))).toEqual({ ...failure, metadata: { k1: "v1" }, source: "invocation" });
  const bare = await smallWorld().app(request("POST /Greeter/fail", {}, '{"code":500,"message":"m","metadata":[]}'));
  expect(JSON.parse(textOf(bare))).not.toHaveProperty("metadata");
});

test("a lookup computes the id of a target that was never called", async () => {
  const body = { target: "idempotentInvocation", service: "Counter", handler: "add", key: "k", idempotencyKey: "i" };
  const response = await smallWorld().app(request("POST /restate/lookup", {}, JSON.stringify(body)));
  expect([response.status, response.headers["content-type"]]).toEqual([200, "application/json"]);
  expect(JSON.parse(textOf(response))).toEqual({ invocationId: idOf("Counter/k/add", "i") });
});

test.each(["restate", "stepwell", "engine"])("/%s/health lists all services, private ones too", async (prefix) => {
  const response = await smallWorld().app(request(`GET /${prefix}/health`));
  expect(response.status).toBe(200);
  expect(JSON.parse(textOf(response))).toEqual({ services: ["Greeter", "Counter", "Signup"] });
});

test("the health does not depend on the store: without it, the services are those of the last answer", async () => {
  const { app, engine } = smallWorld();
  const { services } = engine.registry;
  const lost = async () => {
    throw new StoreError("the disk is full");
  };
  const asked = async () => JSON.parse(textOf(await app(request("GET /restate/health"))));
  Object.assign(engine.registry, { services: lost });
  expect(await asked()).toEqual({ services: [] });
  Object.assign(engine.registry, { services });
  const known = await asked();
  Object.assign(engine.registry, { services: lost });
  expect([known.services.length, await asked()]).toEqual([3, known]);
});

describe("an awakeable", () => {
  const id = `sign_1${"A".repeat(38)}`;

  test("is resolved with the unchanged bytes", async () => {
    const { app, awakeables } = smallWorld();
    const response = await app(request(`POST /restate/awakeables/${id}/resolve`, {}, "\u0000raw"));
    expect([response.status, response.body.length, response.headers["content-type"]]).toEqual([202, 0, undefined]);
    expect(awakeables).toEqual([{ id, result: { kind: "success", value: new TextEncoder().encode("\u0000raw") } }]);
  });

  test("is rejected with the body as text, also if it is not UTF-8", async () => {
    const { app, awakeables } = smallWorld();
    const body = new Uint8Array([110, 111, 0xff]);
    expect((await app(request(`POST /engine/a/${id}/reject`, {}, body))).status).toBe(202);
    expect(awakeables).toEqual([{ id, result: { kind: "failure", failure: { code: 500, message: "no\ufffd" } } }]);
  });

  test("with an id of an unsupported old protocol is accepted and ignored", async () => {
    const { app, awakeables } = smallWorld();
    expect((await app(request(`POST /restate/a/prom_1${"A".repeat(38)}/resolve`))).status).toBe(202);
    expect(awakeables).toEqual([]);
  });
});
