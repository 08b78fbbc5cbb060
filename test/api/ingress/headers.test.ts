/** The headers that reach the handler, those that never reach the journal, and those of every response. */
import { expect, test } from "vitest";
import { request, smallWorld } from "./small-world.ts";

const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

test("the handler gets the request path first, then the other headers in their order", async () => {
  const { app, submissions } = smallWorld();
  const headers = {
    "user-agent": "curl",
    "content-type": "text/plain",
    "content-length": "1",
    "x-forwarded-for": "10.0.0.1",
    "x-restate-id": "given",
    traceparent: TRACEPARENT,
  };
  await app(request("POST //Greeter/echo?a=b%20c", headers, "x"));
  expect(submissions[0]!.headers).toEqual([
    { key: "x-restate-ingress-path", value: "//Greeter/echo?a=b%20c" },
    ...Object.entries(headers).map(([key, value]) => ({ key, value })),
  ]);
});

test("credentials, and headers of the connection or of the gateway, are not submitted", async () => {
  const { app, submissions } = smallWorld();
  const dropped = {
    connection: "close",
    host: "localhost",
    "idempotency-key": "k",
    "idempotency-expires": "never",
    authorization: "Bearer secret",
    "proxy-authorization": "Basic secret",
    cookie: "session=secret \u00eb",
    "x-amz-security-token": "secret",
    "x-amzn-oidc-data": "secret",
    "x-restate-signature-scheme": "secret",
    "x-restate-jwt-v1": "secret",
    "keep-alive": "timeout=5",
    "proxy-connection": "close",
    te: "trailers",
    trailer: "x-a",
    "transfer-encoding": "chunked",
    upgrade: "h2c",
  };
  await app(request("POST /Greeter/echo", dropped));
  expect(submissions[0]!.headers).toEqual([{ key: "x-restate-ingress-path", value: "/Greeter/echo" }]);
  expect(JSON.stringify(submissions)).not.toContain("secret");
});

test("only the headers that the settings name are submitted, if they name any, and those with credentials that they forward", async () => {
  const { app, submissions } = smallWorld({
    journaledHeaders: ["content-type", "x-tenant-*"],
    forwardHeaders: ["x-api-key"],
  });
  const headers = {
    "content-type": "text/plain",
    "x-tenant-id": "7",
    "x-tenant-token": "t",
    "x-other": "o",
    "x-api-key": "k",
  };
  await app(request("POST /Greeter/echo", headers, "x"));
  expect(submissions[0]!.headers.slice(1).map(({ key }) => key)).toEqual(["content-type", "x-tenant-id", "x-api-key"]);
});

test("a caller can neither forge its path header nor remove a proxy's headers", async () => {
  const { app, submissions } = smallWorld();
  const spoofed = {
    "x-restate-ingress-path": "/Admin/all",
    connection: "x-forwarded-for",
    "x-forwarded-for": "1.2.3.4",
  };
  await app(request("POST /Greeter/echo", spoofed));
  expect(submissions[0]!.headers).toEqual([
    { key: "x-restate-ingress-path", value: "/Greeter/echo" },
    { key: "x-forwarded-for", value: "1.2.3.4" },
  ]);
});

test.each([
  ["X-Amz-Security-Token=secret&a=b%20c&X-Amz-Signature=secret", "?a=b%20c"],
  ["x%2DAMZ-Credential=secret", ""],
  ["access_token=secret&access_token=secret", ""],
  ["%61ccess_token=secret&x=1", "?x=1"],
  ["token=secret&api_key=secret&sig=secret&a=1", "?a=1"],
  ["sv=2024&se=2026&sp=r&sig=secret", "?sv=2024&se=2026&sp=r"],
  ["apiKey=secret&idToken=secret&client_secret=secret&page_token=3", "?page_token=3"],
  ["a=X-Amz-Signature&%ff=x-amz-", "?a=X-Amz-Signature&%ff=x-amz-"],
])("credentials in the query %s are removed from the path header", async (query, shown) => {
  const { app, submissions } = smallWorld();
  await app(request(`POST /Greeter/echo?${query}`));
  expect(submissions[0]!.headers).toEqual([{ key: "x-restate-ingress-path", value: `/Greeter/echo${shown}` }]);
});

test("headers that the settings name are submitted, even credentials, but never the headers that are meant for the ingress", async () => {
  const { app, submissions } = smallWorld({
    forwardHeaders: ["authorization", "x-amzn-*", "host", "idempotency-key"],
  });
  const headers = {
    host: "localhost",
    "idempotency-key": "k",
    authorization: "Bearer wanted",
    cookie: "a=b",
    "x-amz-date": "today",
    "x-amzn-trace-id": "1",
  };
  await app(request("POST /Greeter/echo", headers));
  expect(submissions[0]!.headers.slice(1)).toEqual([
    { key: "authorization", value: "Bearer wanted" },
    { key: "x-amzn-trace-id", value: "1" },
  ]);
});

test("the idempotency key is part of the submission, even if it is empty", async () => {
  const { app, submissions } = smallWorld();
  await app(request("POST /Greeter/echo", { "idempotency-key": "" }));
  await app(request("POST /Greeter/echo"));
  expect(submissions[0]!.idempotencyKey).toBe("");
  expect(submissions[1]).not.toHaveProperty("idempotencyKey");
});

test("a valid trace context is submitted, and an invalid one is dropped", async () => {
  const { app, submissions } = smallWorld();
  await app(request("POST /Greeter/echo", { traceparent: TRACEPARENT }));
  await app(request("POST /Greeter/echo", { traceparent: "nonsense" }));
  expect(submissions[0]!.traceparent).toBe(TRACEPARENT);
  expect(submissions[1]).not.toHaveProperty("traceparent");
});

test("every response has the CORS headers for its origin, refusals too, and credentials for the named origins alone", async () => {
  for (const line of ["POST /Greeter/echo", "POST /Nope/echo", "GET /", "OPTIONS /Greeter/echo"])
    for (const [origin, isNamed] of [
      ["https://a.example", true],
      ["https://evil.example", false],
      ["https://a.example.evil.example", false],
      ["null", false],
    ] as const) {
      const { app } = smallWorld({ credentialedOrigins: ["https://a.example"] });
      const { headers } = await app(request(line, { origin }));
      expect(headers).toMatchObject({
        vary: "origin, access-control-request-method, access-control-request-headers",
        "access-control-allow-origin": origin,
      });
      expect([origin, headers["access-control-allow-credentials"]]).toEqual([origin, isNamed ? "true" : undefined]);
    }
});

test("a preflight gets the permissions that it asks for and reaches no handler", async () => {
  const { app, submissions } = smallWorld();
  const asked = {
    origin: "https://a.example",
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type, idempotency-key",
  };
  for (const path of ["/Greeter/echo", "/", "/Nope/x", "*"]) {
    const { status, headers, body } = await app(request(`OPTIONS ${path}`, asked));
    expect([status, body.length]).toEqual([200, 0]);
    expect(headers).toMatchObject({
      "access-control-allow-origin": "https://a.example",
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": "content-type, idempotency-key",
    });
  }
  expect(submissions).toEqual([]);
});

test("a client that has gone leaves no error in the log", async () => {
  const { app, logged } = smallWorld();
  const gone = AbortSignal.abort();
  expect((await app({ ...request("POST /Greeter/break"), signal: gone })).status).toBe(499);
  expect(logged).toEqual([]);
});
