/** The input rules of a handler's manifest: each rule against each kind of request. */
import { describe, expect, test } from "vitest";
import { request, smallWorld, textOf } from "./small-world.ts";

const JSON_TYPE = "application/json";

interface Row {
  readonly handler: string;
  readonly contentType?: string;
  readonly body?: string;
  /** Absent if the request passes; otherwise a part of the refusal. */
  readonly refusal?: string;
}

const ROWS: readonly Row[] = [
  { handler: "json" },
  { handler: "json", contentType: JSON_TYPE },
  { handler: "schema", contentType: JSON_TYPE, refusal: "Empty body not allowed" },
  { handler: "json", body: "{}", refusal: "Empty content-type" },
  {
    handler: "json",
    contentType: "text/plain",
    body: "x",
    refusal: "Content-type 'text/plain' does not match 'application/json'",
  },
  { handler: "json", contentType: "application/json; charset=utf-8", body: "{}" },
  { handler: "json", contentType: JSON_TYPE, body: "not json" },
  { handler: "json", contentType: "Application/JSON", body: "{}", refusal: "does not match" },
  { handler: "schema" },
  { handler: "schema", contentType: JSON_TYPE, body: '{"any":"shape"}' },
  { handler: "needed", refusal: "Empty content-type" },
  { handler: "needed", contentType: JSON_TYPE },
  { handler: "none" },
  { handler: "none", contentType: JSON_TYPE, refusal: "" },
  { handler: "none", body: "x", refusal: "" },
  { handler: "echo" },
  { handler: "echo", contentType: "text/plain", body: "x" },
  { handler: "images", contentType: "image/png", body: "x" },
  { handler: "images", contentType: "text/plain", body: "x", refusal: "does not match" },
];

describe("a request passes the input rule of its handler or is refused with the reason", () => {
  for (const { handler, contentType, body, refusal } of ROWS) {
    test(`${handler}: ${contentType ?? "no content type"}, ${body ?? "no body"} ${refusal ?? "passes"}`, async () => {
      const { app, submissions } = smallWorld();
      const headers = contentType === undefined ? {} : { "content-type": contentType };
      const response = await app(request(`POST /Greeter/${handler}`, headers, body));
      if (refusal === undefined) {
        expect([response.status, textOf(response)]).toEqual([200, body ?? ""]);
        return;
      }
      expect(response.status).toBe(400);
      const { message } = JSON.parse(textOf(response)) as { message: string };
      expect(message).toMatch(/^input validation error: /);
      expect(message).toContain(refusal);
      expect(submissions).toHaveLength(0);
    });
  }
});

test("a GET without a body is an ordinary call", async () => {
  const response = await smallWorld().app(request("GET /Greeter/echo"));
  expect([response.status, textOf(response)]).toEqual([200, ""]);
});
