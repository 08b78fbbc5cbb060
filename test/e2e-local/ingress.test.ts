/** The error answers of the ingress, read from a socket: status, source, message and headers. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { INGRESS_SERVICES } from "../harness/local/ingress-services.ts";
import { openLocalStage, type LocalStage } from "../harness/local/local-stage.ts";
import { ask, type RawAnswer } from "../harness/local/raw-http.ts";

const VARY = "origin, access-control-request-method, access-control-request-headers";
const JSON_TYPE = { "content-type": "application/json" };
const NOBODY = `inv_1${"0".repeat(33)}`;

let stage: LocalStage;
beforeAll(async () => {
  stage = await openLocalStage({ services: INGRESS_SERVICES });
});
afterAll(() => stage.close());

const to = (line: string, headers?: Record<string, string>, body?: string): Promise<RawAnswer> =>
  ask(stage.ingressPort, line, headers, body);

/** Removes the headers of the connection. */
function ownHeaders({ headers }: RawAnswer): Record<string, string> {
  const { date, connection, "content-length": length, ...own } = headers;
  expect(Date.parse(date!)).not.toBeNaN();
  expect([connection, length]).toEqual(["close", expect.stringMatching(/^\d+$/)]);
  return own;
}

type Row = readonly [
  line: string,
  status: number,
  message: string,
  more?: { readonly headers?: Record<string, string>; readonly body?: string; readonly source?: "invocation" },
];

const ROWS: readonly Row[] = [
  ["POST /Nope/greet", 404, "service 'Nope' not found, make sure to register "],
  ["PUT /Nope/greet", 404, "service 'Nope' not found, make sure to register "],
  ["POST /Greeter/nope", 404, "the service 'Greeter' exists, but the handler 'nope' was not found, "],
  ["POST /Greeter", 400, "bad path: /Greeter"],
  ["POST /", 400, "bad path: /"],
  ["POST /1/2/3/4/5/6/7/8", 400, "bad path: /1/2/3/4/5/6/7/8"],
  ["POST /Counter/add", 400, "bad path, expected either /:service-name/:handler or "],
  ["POST /Greeter/greet/later", 400, "bad path, expected either /:service-name/:handler or "],
  ["POST /restate/call/Greeter", 400, "bad path, expected /restate/call/:service/:handler, "],
  ["POST /restate/scope/s", 400, "bad path, expected /restate/call/:service/:handler, "],
  ["GET /restate/invocation/x", 400, "bad path, expected either /restate/"],
  ["GET /restate/workflow/x", 400, "bad path, expected either /restate/"],
  ["POST /restate/a/x", 400, "bad path, expected either /restate/"],
  ["PATCH /restate/invocation/x/cancel", 404, "not found"],
  ["GET /restate/signal", 404, "not found"],
  ["GET /openapi/Greeter", 404, "not found"],
  ["GET /openapi", 400, "bad path: /openapi"],
  [
    "POST /Counter/%61bc/add",
    400,
    "bad path, cannot decode key: '%61' is an escaped letter or digit: write the character itself",
  ],
  ["POST /Counter/%ff/add", 400, "bad path, cannot decode key: "],
  ["POST /Greeter/hidden", 400, "the invoked service is not public"],
  ...["PUT", "DELETE", "PATCH", "REPORT", "TRACE"].map((method): Row => [
    `${method} /Greeter/greet`,
    405,
    "method not allowed",
  ]),
  ["POST /Greeter/greet", 400, "input validation error: Empty content-type", { body: "{}" }],
  [
    "POST /Greeter/greet",
    400,
    "input validation error: Content-type 'text/plain' does not match 'application/json'",
    { body: "x", headers: { "content-type": "text/plain" } },
  ],
  ["POST /Greeter/schema", 400, "input validation error: Empty body not allowed", { headers: JSON_TYPE }],
  ["POST /Greeter/greet?delay=5s", 400, "cannot use the delay query parameter with calls. "],
  ["POST /Greeter/headers/send?delay=5", 400, "bad delay query parameter, must be a ISO8601 duration: "],
  [
    "POST /Signup/w/run",
    400,
    "cannot use the idempotency key with workflow handlers. ",
    { headers: { "idempotency-key": "x" } },
  ],
  ["GET /restate/attach/bogus", 400, "bad invocation id 'bogus': bad format"],
  ["GET /restate/attach/inv_1short", 400, "bad invocation id 'inv_1short': bad length"],
  ["POST /restate/a/bogus/resolve", 400, "bad awakeable id 'bogus': bad format"],
  [`GET /restate/output/${NOBODY}`, 404, "invocation not found"],
  [`GET /restate/attach/${NOBODY}`, 404, "not found", { source: "invocation" }],
  ["GET /restate/invocation/Nope/greet/key/attach", 404, "service 'Nope' not found, "],
  ["GET /restate/workflow/Nope/w/attach", 404, "not found", { source: "invocation" }],
  ["GET /restate/workflow/Nope/w/output", 404, "invocation not found"],
  ["POST /restate/lookup", 500, "cannot read body: invalid lookup body: ", { body: "{" }],
  ["POST /restate/attach", 500, "cannot read body: invalid request body: ", { body: "{" }],
  ["POST /restate/scope/%C3%AB/call/Greeter/greet", 400, "bad scope value: "],
  [`POST /restate/scope/${"s".repeat(37)}/call/Greeter/greet`, 400, "bad scope value: "],
  ["POST /Greeter/greet?limit-key=a", 400, "limit-key requires a scope to be set"],
  ["POST /Greeter/greet?limit-key=a/b/c", 400, "invalid limit-key: "],
  ["POST /Greeter/headers", 400, "bad header", { headers: { "x-name": "Zo\xc3\xab" } }],
  ["POST /Greeter/fail", 418, "custom boom", { body: "418", headers: JSON_TYPE, source: "invocation" }],
  ["POST /Greeter/fail", 200, "custom boom", { body: "200", headers: JSON_TYPE, source: "invocation" }],
  ["POST /Greeter/crash", 500, "", { source: "invocation" }],
];

for (const [line, status, message, { headers = {}, body = "", source = "ingress" } = {}] of ROWS) {
  test(`${line} is ${status} ${message}`, async () => {
    const answer = await to(line, { origin: "https://a.example", ...headers }, body);
    const json = JSON.parse(answer.body) as Record<string, unknown>;
    expect(json).toMatchObject({ message: expect.stringContaining(message), source });
    expect(String(json["message"]).startsWith(message)).toBe(true);
    expect([answer.status, json["code"]]).toEqual([status, status]);
    const { "x-restate-id": id, ...own } = ownHeaders(answer);
    expect(own).toEqual({
      "content-type": "application/json",
      "x-restate-error-source": source,
      vary: VARY,
      "x-content-type-options": "nosniff",
      "access-control-allow-origin": "https://a.example",
      ...(status === 405 && { allow: "GET,POST,OPTIONS" }),
    });
    if (source === "ingress") expect(id).toBeUndefined();
  });
}

test("a failure is answered with its code, metadata and id; if the code is no HTTP status, the status is 500", async () => {
  const answer = await to("POST /Greeter/fail", JSON_TYPE, "1000");
  expect(answer.status).toBe(500);
  expect(JSON.parse(answer.body)).toEqual({
    code: 1000,
    message: "custom boom",
    metadata: { k1: "v1" },
    source: "invocation",
  });
  expect(answer.headers["x-restate-id"]).toMatch(/^inv_1[0-9a-zA-Z]{33}$/);
});

test("a failure after the last retry has the message of its error", async () => {
  const { body } = await to("POST /Greeter/crash");
  expect(JSON.parse(body)).toMatchObject({ message: expect.stringContaining("it broke") });
});

test("a HEAD is refused without a body", async () => {
  const { status, headers, body } = await to("HEAD /Greeter/greet");
  expect([status, headers["x-restate-error-source"], body]).toEqual([405, "ingress", ""]);
});

describe("an invocation that has not ended", () => {
  const send = async (path: string): Promise<string> => {
    const { body } = await to(`POST ${path}`, JSON_TYPE, path.includes("sleep") ? "1" : "");
    return (JSON.parse(body) as { invocationId: string }).invocationId;
  };
  const order = (id: string, what: string) => ask(stage.adminPort, `PATCH /invocations/${id}/${what}`);

  /** Resolves when a request waits for the end of this invocation: requests to the two ports may overtake each other. */
  function untilAwaited(id: string): Promise<void> {
    const { activeInvocations } = stage.local.engine;
    const { waitFor } = activeInvocations;
    return new Promise((resolve) => {
      activeInvocations.waitFor = (of, ms, signal) => {
        if (of === id) resolve();
        return waitFor.call(activeInvocations, of, ms, signal);
      };
    });
  }

  /** Waits until the invocation has begun: it is running while its exchange is open, and suspended afterwards. */
  async function untilBegun(id: string): Promise<void> {
    for (let seen: unknown; seen !== "running" && seen !== "suspended"; await sleep(5)) {
      const { body } = await ask(stage.adminPort, `GET /invocations/${id}`);
      seen = (JSON.parse(body) as { status: unknown }).status;
    }
  }

  test("has no output yet: the answer is 470", async () => {
    const id = await send("/Greeter/wait/send");
    const answer = await to(`GET /restate/invocation/${id}/output`);
    expect(JSON.parse(answer.body)).toEqual({
      code: 470,
      message: "the invocation exists but has not completed yet",
      source: "ingress",
    });
    expect([answer.status, answer.headers["x-restate-id"]]).toEqual([470, undefined]);
    await order(id, "kill");
  });

  test.each([
    ["killed", "/Greeter/wait/send", "kill", "killed"],
    ["cancelled while it runs", "/Greeter/wait/send", "cancel", "Cancelled"],
    ["cancelled before its time", "/Greeter/sleep/send?delay=1h", "cancel", "canceled"],
  ])("ends with 409 if it is %s", async (_how, path, what, message) => {
    const id = await send(path);
    const awaited = untilAwaited(id);
    const attached = to(`GET /restate/attach/${id}`);
    // An invocation that ends before its first attempt is a tombstone, and a later attach gets 404.
    await awaited;
    if (!path.includes("delay")) await untilBegun(id);
    expect((await order(id, what)).status).toBeLessThan(300);
    const answer = await attached;
    expect(JSON.parse(answer.body)).toMatchObject({ code: 409, message, source: "invocation" });
    expect([answer.status, answer.headers["x-restate-id"]]).toEqual([409, id]);
  });
});
