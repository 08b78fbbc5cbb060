/** Tests the refusals of the ingress: each row names a request, and the status, source and message of its refusal. */
import { describe, expect, test } from "vitest";
import { bodyTooLargeResponse } from "../../../shared/api/ingress/answers.ts";
import { UNFINISHED_ID, idOf, request, smallWorld, textOf } from "./small-world.ts";

interface Row {
  readonly line: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly status: number;
  readonly source?: "ingress" | "invocation";
  /** The methods of the Allow header. */
  readonly allow?: string;
  /** The message. If it ends with an ellipsis, it is only the beginning of the message. */
  readonly message: string;
}

const PLAIN = "bad path, expected either /:service-name/:handler or ...";
const CALL = "bad path, expected /restate/call/:service/:handler, ...";
const RESERVED = "bad path, expected either /restate/...";
const UNKNOWN_SERVICE = "service 'Nope' not found, make sure to register ...";
const UNKNOWN_HANDLER = "the service 'Greeter' exists, but the handler 'nope' was not found, ...";
const ID = idOf("nobody");
/** A question that names an invocation by its target and its idempotency key. */
function asked(question: string, named: object, status: number, message: string): Row {
  const body = JSON.stringify({ target: "idempotentInvocation", ...named, idempotencyKey: "k" });
  return { line: `POST /restate/${question}`, body, status, message };
}

const AWAKEABLE = `sign_1${"A".repeat(38)}`;

const PATHS: readonly Row[] = [
  { line: "POST /Nope/greet", status: 404, message: UNKNOWN_SERVICE },
  { line: "PUT /Nope/greet", status: 404, message: UNKNOWN_SERVICE },
  { line: "POST /Nope/a/b/c/d", status: 404, message: UNKNOWN_SERVICE },
  { line: "POST /restate/call/Nope", status: 404, message: UNKNOWN_SERVICE },
  { line: "POST /constructor/toString", status: 404, message: "service 'constructor' not found, ..." },
  { line: "POST /Greeter/nope", status: 404, message: UNKNOWN_HANDLER },
  { line: "POST /Greeter/nope/send", status: 404, message: UNKNOWN_HANDLER },
  { line: "POST /restate/send/Greeter/nope", status: 404, message: UNKNOWN_HANDLER },
  { line: "POST /", status: 400, message: "bad path: /" },
  { line: "POST /Greeter", status: 400, message: "bad path: /Greeter" },
  { line: "POST /Greeter/", status: 400, message: "bad path: /Greeter" },
  { line: "POST /1/2/3/4/5/6/7/8", status: 400, message: "bad path: /1/2/3/4/5/6/7/8" },
  { line: "GET /openapi", status: 400, message: "bad path: /openapi" },
  { line: "GET /openapi/Greeter", status: 404, message: "not found" },
  { line: "POST /Counter/add", status: 400, message: PLAIN },
  { line: "POST /Counter/add/", status: 400, message: PLAIN },
  { line: "POST /Greeter/echo/later", status: 400, message: PLAIN },
  { line: "POST /Greeter/echo/send/send", status: 400, message: PLAIN },
  { line: "POST /Counter/k/add/later", status: 400, message: PLAIN },
  { line: "POST /restate/call", status: 400, message: CALL },
  { line: "POST /restate/call/Greeter", status: 400, message: CALL },
  { line: "POST /restate/call/Greeter/echo/send", status: 400, message: CALL },
  { line: "POST /restate/send/Counter/add", status: 400, message: CALL },
  { line: "POST /restate/scope/s", status: 400, message: CALL },
  { line: "POST /restate/scope/s/ask/Greeter/echo", status: 400, message: CALL },
  { line: "GET /restate/invocation/x", status: 400, message: RESERVED },
  { line: "GET /restate/invocation/Greeter/echo/attach", status: 400, message: RESERVED },
  { line: "GET /restate/invocation/Nope/greet/attach", status: 404, message: UNKNOWN_SERVICE },
  { line: "GET /restate/invocation/Greeter/echo/key/more/attach", status: 404, message: "not found" },
  { line: "GET /restate/invocation/Counter/add/key/output", status: 400, message: RESERVED },
  { line: "GET /restate/attach/a/b", status: 400, message: RESERVED },
  { line: "GET /restate/workflow/Signup/k", status: 400, message: RESERVED },
  { line: "POST /restate/awakeables/x", status: 400, message: RESERVED },
  { line: "PATCH /restate/invocation/x/cancel", status: 404, message: "not found" },
  { line: "GET /restate/workflow/Signup/k/cancel", status: 404, message: "not found" },
  { line: "POST /restate/a/x/drop", status: 404, message: "not found" },
  { line: "GET /restate/x", status: 404, message: "not found" },
  { line: "GET /engine/health/x", status: 404, message: "not found" },
  { line: "POST /Counter/%ff/add", status: 400, message: "bad path, cannot decode key: ..." },
  { line: "GET /restate/workflow/Signup/%c3%28/attach", status: 400, message: "bad path, cannot decode key: ..." },
  { line: "POST /Greeter/hidden", status: 400, message: "the invoked service is not public" },
];

const METHODS: readonly Row[] = [
  ["PUT /Greeter/echo", "GET,POST,OPTIONS"],
  ["DELETE /Counter/k/add", "GET,POST,OPTIONS"],
  ["HEAD /Greeter/echo", "GET,POST,OPTIONS"],
  [`POST /restate/invocation/${ID}/attach`, "GET,OPTIONS"],
  [`PUT /restate/output/${ID}`, "GET,OPTIONS"],
  ["GET /restate/attach", "POST,OPTIONS"],
  ["GET /restate/lookup", "POST,OPTIONS"],
  [`GET /restate/awakeables/${AWAKEABLE}/resolve`, "POST,OPTIONS"],
  ["POST /restate/health", "GET,OPTIONS"],
].map(([line = "", allow = ""]) => ({ line, status: 405, message: "method not allowed", allow }));

const PARAMETERS: readonly Row[] = [
  {
    line: "POST /Greeter/echo?delay=1s",
    status: 400,
    message: "cannot use the delay query parameter with calls. ...",
  },
  ...["", "5", "-1s", "PT", "P1M", "P1Y", "1y", "soon"].map((delay) => ({
    line: `POST /Greeter/echo/send?delay=${delay}`,
    status: 400,
    message: "bad delay query parameter, must be a ISO8601 duration: ...",
  })),
  {
    line: "POST /Signup/k/run",
    headers: { "idempotency-key": "x" },
    status: 400,
    message: "cannot use the idempotency key with workflow handlers. ...",
  },
  { line: "POST /restate/scope//call/Greeter/echo", status: 400, message: "bad scope value: ..." },
  { line: "POST /restate/scope/a%20b/call/Greeter/echo", status: 400, message: "bad scope value: ..." },
  { line: `POST /restate/scope/${"a".repeat(37)}/send/Greeter/echo`, status: 400, message: "bad scope value: ..." },
  { line: "POST /engine/scope/a%2Fb/call/Counter/k/add", status: 400, message: "bad scope value: ..." },
  {
    line: "POST /restate/scope/s/call/Signup/k/run",
    headers: { "idempotency-key": "x" },
    status: 400,
    message: "cannot use the ...",
  },
  { line: "POST /restate/scope/s/call/Greeter/echo?limit-key=a//b", status: 400, message: "invalid limit-key: ..." },
  { line: "POST /Greeter/echo?Limit-Key=a", status: 400, message: "limit-key requires a scope to be set" },
  { line: "POST /Greeter/echo?limit-key=a/b/c", status: 400, message: "invalid limit-key: ..." },
  {
    line: "POST /Greeter/echo?limit-key=a/b/c",
    headers: { "x-restate-limit-key": "a/b" },
    status: 400,
    message: "limit-key requires a scope to be set",
  },
  { line: "POST /Greeter/echo", headers: { "x-name": "Zo\u00eb" }, status: 400, message: "bad header ..." },
  { line: "POST /Greeter/echo", headers: { "idempotency-key": "\u00eb" }, status: 400, message: "bad header ..." },
];

const QUESTIONS: readonly Row[] = [
  { line: "GET /restate/invocation/bogus/attach", status: 400, message: "bad invocation id 'bogus': bad format" },
  { line: "GET /restate/output/inv_1x", status: 400, message: "bad invocation id 'inv_1x': bad length" },
  {
    line: "GET /restate/attach/inv_2x",
    status: 400,
    message: "bad invocation id 'inv_2x': unrecognized codec version",
  },
  ...[
    ["bogus", "bad format"],
    ["foo_1x", "bad format"],
    [ID, "bad format"],
    ["sign_2x", "unrecognized codec version"],
    ["sign_1x", "bad length"],
    [`sign_1${"!".repeat(38)}`, "base64 decode error"],
  ].map(([id, why]) => ({
    line: `POST /restate/a/${id}/reject`,
    status: 400,
    message: `bad awakeable id '${id}': ${why}`,
  })),
  { line: `GET /restate/invocation/${ID}/output`, status: 404, message: "invocation not found" },
  { line: `GET /restate/attach/${ID}`, status: 404, source: "invocation", message: "not found" },
  { line: "GET /restate/invocation/Nope/greet/key/attach", status: 404, message: UNKNOWN_SERVICE },
  { line: "GET /restate/workflow/Nope/k/attach", status: 404, source: "invocation", message: "not found" },
  { line: "GET /restate/workflow/Nope/k/output", status: 404, message: "invocation not found" },
  { line: "GET /restate/workflow/Greeter/k/attach", status: 404, source: "invocation", message: "not found" },
  { line: "GET /restate/invocation/Greeter/nope/key/output", status: 404, message: UNKNOWN_HANDLER },
  ...["lookup", "attach", "output"].flatMap((question) => [
    asked(question, { service: "Nope", handler: "echo" }, 404, UNKNOWN_SERVICE),
    asked(question, { service: "Greeter", handler: "nope" }, 404, UNKNOWN_HANDLER),
    asked(question, { service: "Greeter", handler: "hidden" }, 400, "the invoked service is not public"),
  ]),
  {
    line: "POST /restate/lookup",
    body: '{"target":"workflow","workflowName":"Nope","workflowKey":"k"}',
    status: 404,
    message: UNKNOWN_SERVICE,
  },
  { line: "POST /restate/lookup", body: "{", status: 500, message: "cannot read body: invalid lookup body: ..." },
  { line: "POST /restate/attach", body: "[]", status: 500, message: "cannot read body: invalid request body: ..." },
  {
    line: "POST /restate/output",
    body: '{"target":"idempotentInvocation","service":"Greeter","handler":3}',
    status: 500,
    message: "cannot read body: invalid request body: ...",
  },
  {
    line: "POST /restate/lookup",
    body: '{"target":"invocation","invocationId":"bogus"}',
    status: 400,
    message: "bad invocation id 'bogus': bad format",
  },
  {
    line: "POST /restate/attach",
    body: '{"target":"workflow","workflowName":"Signup","workflowKey":"k","scope":"s"}',
    status: 404,
    source: "invocation",
    message: "not found",
  },
  {
    line: "POST /restate/lookup",
    body: '{"target":"workflow","workflowName":"Signup","workflowKey":"k","scope":""}',
    status: 400,
    message: "bad scope value: ...",
  },
  {
    line: "POST /restate/output",
    body: '{"target":"idempotentInvocation","service":"Greeter","handler":"echo","idempotencyKey":"k","scope":"s"}',
    status: 404,
    message: "invocation not found",
  },
  { line: "POST /Greeter/break", status: 500, message: "internal error abababababababab" },
  { line: "POST /Greeter/break-store", status: 503, message: "the store did not answer, ..." },
];

describe("a refusal has its status, its source and its message", () => {
  for (const row of [...PATHS, ...METHODS, ...PARAMETERS, ...QUESTIONS]) {
    const { line, headers, body, status, source = "ingress", message, allow } = row;
    test(`${line} ${body ?? ""} is ${status} ${message}`, async () => {
      const response = await smallWorld().app(request(line, headers, body));
      const json = JSON.parse(textOf(response)) as { code: number; message: string; source: string };
      const wanted = message.endsWith("...") ? expect.stringContaining(message.slice(0, -3)) : message;
      expect(json).toEqual({ code: status, message: wanted, source });
      expect(json.message.startsWith(message.replace(/\.\.\.$/, ""))).toBe(true);
      expect([response.status, response.headers["allow"]]).toEqual([status, allow]);
      expect(response.headers["content-type"]).toBe("application/json");
      expect(response.headers["x-restate-error-source"]).toBe(source);
      if (source === "ingress") expect(response.headers["x-restate-id"]).toBeUndefined();
    });
  }
});

test("the answer to an attach to an unknown invocation has the requested id in a header", async () => {
  const response = await smallWorld().app(request(`GET /restate/attach/${ID}`));
  expect(response.headers["x-restate-id"]).toBe(ID);
});

test("the output of an invocation without a result is 470", async () => {
  const { app } = smallWorld();
  const { headers } = await app(request("POST /Greeter/stuck/send"));
  const response = await app(request(`GET /restate/output/${headers["x-restate-id"]}`));
  expect(response.status).toBe(470);
  expect(response.headers["x-restate-id"]).toBeUndefined();
  expect(JSON.parse(textOf(response))).toEqual({
    code: 470,
    message: "the invocation exists but has not completed yet",
    source: "ingress",
  });
});

test.each([
  ["stopping", 503, "the server is stopping; "],
  ["out-of-time", 504, "the invocation takes longer than a request may wait"],
] as const)(
  "an invocation that is unfinished (%s) is answered with %i and the path to wait for its result",
  async (why, status, words) => {
    const { headers, ...response } = await smallWorld({ unfinished: why }).app(request("POST /Greeter/break-off"));
    expect(response.status).toBe(status);
    expect(headers).toMatchObject({
      "x-restate-id": UNFINISHED_ID,
      "x-restate-error-source": "ingress",
      "retry-after": "1",
    });
    const body = JSON.parse(textOf({ headers, ...response })) as { message: string };
    expect(body).toMatchObject({ code: status, source: "ingress" });
    expect(body.message).toContain(words);
    expect(body.message).toContain(`/restate/invocation/${UNFINISHED_ID}/attach`);
  },
);

test("the detail of an unexpected error is only in the log", async () => {
  const { app, logged } = smallWorld();
  const response = await app(request("POST /Greeter/break"));
  expect(textOf(response)).not.toContain("fire");
  expect(JSON.stringify(logged)).toContain("the disk is on fire");
  expect(JSON.stringify(logged)).toContain("abababababababab");
});

test("a body that is too large is refused in one way if its length was declared, and in another if not", () => {
  const declared = bodyTooLargeResponse(true);
  expect([declared.status, textOf(declared)]).toEqual([413, "length limit exceeded"]);
  expect(declared.headers["x-restate-error-source"]).toBeUndefined();
  const chunked = bodyTooLargeResponse(false);
  expect(chunked.status).toBe(413);
  expect(JSON.parse(textOf(chunked))).toEqual({
    code: 413,
    message: "cannot read body: LengthLimitError",
    source: "ingress",
  });
});
