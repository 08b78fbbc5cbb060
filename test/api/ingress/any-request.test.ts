/** The ingress answers any request: it never throws, and its answer is well-formed HTTP. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { idOf, smallWorld } from "./small-world.ts";

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

const WORDS = [
  "Greeter",
  "Counter",
  "Signup",
  "Nope",
  "echo",
  "fail",
  "json",
  "break",
  "add",
  "run",
  "send",
  "restate",
  "stepwell",
  "engine",
  "openapi",
  "call",
  "scope",
  "invocation",
  "attach",
  "output",
  "lookup",
  "workflow",
  "a",
  "awakeables",
  "resolve",
  "reject",
  "health",
  "",
  "%",
  "%ff",
  "%2F",
  "__proto__",
  idOf("x"),
  `sign_1${"A".repeat(38)}`,
];
const segment = fc.oneof(fc.constantFrom(...WORDS), fc.string({ unit: "binary", maxLength: 8 }));
const path = fc.array(segment, { maxLength: 9 }).map((segments) => `/${segments.join("/")}`);
const names = fc.constantFrom(
  "origin",
  "content-type",
  "idempotency-key",
  "traceparent",
  "x-restate-limit-key",
  "cookie",
  "x-any",
  "access-control-request-method",
  "access-control-request-headers",
);
const requests = fc.record({
  method: fc.constantFrom("GET", "POST", "OPTIONS", "HEAD", "PUT", "DELETE", "X"),
  path: fc.oneof(path, fc.string({ unit: "binary" })),
  query: fc.oneof(
    fc.constant(""),
    fc.string({ unit: "binary" }),
    fc.string({ maxLength: 12 }).map((text) => `delay=${text}`),
    fc.string({ maxLength: 12 }).map((text) => `limit-key=${text}`),
  ),
  headers: fc.dictionary(names, fc.oneof(fc.constant("application/json"), fc.string({ unit: "binary" })), {
    noNullPrototype: true,
  }),
  body: fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.json().map((text) => new TextEncoder().encode(text)),
    fc
      .record({
        target: fc.constantFrom("invocation", "workflow", "idempotentInvocation", "other"),
        invocationId: fc.string(),
        service: fc.string(),
        handler: fc.oneof(fc.string(), fc.integer()),
        idempotencyKey: fc.string(),
        code: fc.oneof(fc.integer(), fc.double()),
        message: fc.string({ unit: "binary" }),
      })
      .map((value) => new TextEncoder().encode(JSON.stringify(value))),
  ),
});

test("any request gets a well-formed response", async () => {
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const response = await smallWorld().app(request);
      expect(Number.isInteger(response.status)).toBe(true);
      expect(response.status).toBeGreaterThanOrEqual(200);
      expect(response.status).toBeLessThanOrEqual(599);
      expect(response.body).toBeInstanceOf(Uint8Array);
      for (const [name, value] of Object.entries(response.headers)) {
        expect(name).toMatch(HEADER_NAME);
        expect(value).toMatch(HEADER_VALUE);
      }
      const source = response.headers["x-restate-error-source"];
      if (source === undefined) return;
      const body = JSON.parse(new TextDecoder().decode(response.body)) as Record<string, unknown>;
      expect(body).toMatchObject({ source });
      if (source === "ingress") expect(body["code"]).toBe(response.status);
    }),
    { numRuns: 2000 },
  );
});
