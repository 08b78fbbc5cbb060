/** Requests and responses between an HTTP API and a function. */
import { expect, test } from "vitest";
import { requestOf, resultOf, type GatewayEvent, type GatewayResult } from "../../../functions/lambda/gateway-event.ts";
import { emptyResponse, textResponse } from "../../../shared/api/http/message.ts";

const EVENT: GatewayEvent = {
  rawPath: "/greeter/greet",
  rawQueryString: "delay=1s&x=%20",
  headers: { "content-type": "application/json", host: "a.example" },
  requestContext: { http: { method: "post" } },
  body: '"Ada"',
  isBase64Encoded: false,
};
const keepNothing = () => emptyResponse(599);

test("an event becomes the request that the client sent", () => {
  expect(requestOf(EVENT)).toEqual({
    method: "POST",
    path: "/greeter/greet",
    query: "delay=1s&x=%20",
    headers: { "content-type": "application/json", host: "a.example" },
    body: new TextEncoder().encode('"Ada"'),
  });
});

test("a decoded path is encoded again, so that the ingress decodes what the client meant", () => {
  const { path } = requestOf({ ...EVENT, rawPath: "/counter/a key with 100% ü/add" });
  expect(path).toBe("/counter/a%20key%20with%20100%25%20%C3%BC/add");
  expect(path.split("/").map(decodeURIComponent)).toEqual(["", "counter", "a key with 100% ü", "add"]);
});

/**
 * The forms in which an HTTP API of AWS passes on each sent path, from events captured in July 2026 (docs/operating/aws.md, limits).
 */
test.each([
  ["a%20b", "a b", "a b"],
  ["a%23b", "a#b", "a#b"],
  ["%CE%BB", "λ", "λ"],
  // The client's key cannot be recovered from these paths.
  ["a%2Fb", "a/b", "a/b"],
  ["a%3Fb", "a", "a"],
  ["a%252Fb", "a/b", "a/b"],
  ["a%253Fb", "a?b", "a?b"],
  ["a%2525b", "a%b", "a%b"],
])("a path that AWS decoded is read unchanged: %s", (_sent, decoded, meant) => {
  const { path } = requestOf({ ...EVENT, rawPath: `/counter/${decoded}` });
  expect(path.split("/").slice(2).map(decodeURIComponent).join("/")).toBe(meant);
});

test("bytes that are not text travel in base64, both ways, and come back unchanged", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
  const body = Buffer.from(bytes).toString("base64");
  expect(requestOf({ ...EVENT, body, isBase64Encoded: true }).body).toEqual(bytes);
  expect(resultOf({ status: 200, headers: {}, body: bytes }, keepNothing)).toEqual({
    statusCode: 200,
    headers: { "x-content-type-options": "nosniff" },
    body,
    isBase64Encoded: true,
  });
});

test("text travels unchanged, a byte order mark included", () => {
  const result = resultOf(textResponse(470, "\uFEFFgrüß"), keepNothing);
  expect(result).toMatchObject({ statusCode: 470, body: "\uFEFFgrüß", isBase64Encoded: false });
});

test("an event without body, query and headers is a request with empty ones", () => {
  const { rawPath, requestContext } = EVENT;
  expect(requestOf({ rawPath, requestContext })).toMatchObject({ query: "", headers: {}, body: new Uint8Array(0) });
});

test("a status that the gateway does not pass becomes a 500", () => {
  expect(resultOf(emptyResponse(999), keepNothing).statusCode).toBe(500);
});

/** A body of this size fits into a result, whatever its bytes are: base64 makes four bytes of three. */
const ANY_MAX_BYTES = 4_700_000;

test.each([
  ["a mebibyte of zeros", 1024 * 1024, "\0"],
  ["3.3 MB of quotes", 3_300_000, '"'],
  ["4.4 MB that are no text", 4_400_000, "\xc8"],
  ["4.7 MB of zeros, as much as always fits", ANY_MAX_BYTES, "\0"],
  ["4.7 MB of quotes", ANY_MAX_BYTES, '"'],
  ["4.7 MB that are no text", ANY_MAX_BYTES, "\xc8"],
  ["6 MB of letters, which JSON leaves as they are", 6_000_000, "a"],
])("an answer that fits into the result as text or as base64 is returned: %s", (_, bytes, letter) => {
  const body = new Uint8Array(Buffer.alloc(bytes, letter, "latin1"));
  const result = resultOf({ status: 200, headers: {}, body }, keepNothing);
  expect(result.statusCode).toBe(200);
  expect(bodyOf(result).equals(body)).toBe(true);
});

test("4,320,001 bytes of JSON are returned, though they are longer as a JSON string than as base64", () => {
  const body = new TextEncoder().encode(JSON.stringify(Array.from({ length: 1_080_000 }, () => "a")));
  expect(body.length).toBe(4_320_001);
  const result = resultOf({ status: 200, headers: { "content-type": "application/json" }, body }, keepNothing);
  expect(result).toMatchObject({ statusCode: 200, isBase64Encoded: true });
  expect(bodyOf(result).equals(body)).toBe(true);
});

/** The body as the gateway gives it to the client. */
function bodyOf({ body, isBase64Encoded }: GatewayResult): Buffer {
  return Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
}

test.each([
  ["text", "a"],
  ["text that JSON makes longer", '"'],
  ["bytes", "\xff"],
])("an answer that is too large for a function is replaced: %s", (_, letter) => {
  const body = new Uint8Array(Buffer.alloc(6 * 1024 * 1024, letter, "latin1"));
  const told = resultOf({ status: 200, headers: {}, body }, ({ body: { length } }) => textResponse(500, `${length}`));
  expect(told).toMatchObject({ statusCode: 500, body: String(body.length) });
});
