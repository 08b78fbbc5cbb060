/** Tests the events for functions and the functions' answers, with compression if Node has zstd. */
import { expect, test } from "vitest";
import { answerOfPayload, eventPayload } from "../../../shared/adapters/lambda/function-event.ts";
import { zstd } from "../../../shared/adapters/lambda/zstd.ts";
import { TransportError } from "../../../shared/engine/ports/endpoints.ts";

const REQUEST = { method: "POST", path: "/invoke/S/h", headers: { accept: "x/y" } } as const;
const ARN = "arn:aws:lambda:eu-west-1:123456789012:function:greeter:live";
const PACKING = { arn: ARN, compression: "zstd" } as const;
const LARGE_BYTES = 16 * 1024 * 1024;

interface Event {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const eventOf = (payload: Uint8Array): Event => JSON.parse(Buffer.from(payload).toString()) as Event;

test("without compression a large body is too large, however compressible", () => {
  expect(() => eventPayload(REQUEST, new Uint8Array(LARGE_BYTES), { arn: ARN })).toThrow(TransportError);
});

test("a small body stays uncompressed, and only a Node with zstd requests compressed answers", () => {
  const { headers, body } = eventOf(eventPayload(REQUEST, Buffer.from("abc"), PACKING));
  expect(Buffer.from(body, "base64").toString()).toBe("abc");
  expect(headers).toEqual(zstd === undefined ? REQUEST.headers : { ...REQUEST.headers, "accept-encoding": "zstd" });
});

test("a large body is compressed if Node has zstd, and is too large otherwise", async () => {
  const large = (): Uint8Array => eventPayload(REQUEST, new Uint8Array(LARGE_BYTES), PACKING);
  if (zstd === undefined) return expect(large).toThrow("Lambda takes at most");
  const { headers, body } = eventOf(large());
  expect(headers["content-encoding"]).toBe("zstd");
  const unpacking = zstd.unpacking();
  unpacking.end(Buffer.from(body, "base64"));
  let sizeBytes = 0;
  for await (const piece of unpacking) sizeBytes += (piece as Uint8Array).length;
  expect(sizeBytes).toBe(LARGE_BYTES);
});

test("a compressed answer is marked as such if Node has zstd, and is refused otherwise", () => {
  const packed = zstd?.compress(Buffer.from("hello")) ?? new Uint8Array([40, 181, 47, 253]);
  const body = Buffer.from(packed).toString("base64");
  const answer = { statusCode: 200, headers: { "Content-Encoding": "zstd" }, body, isBase64Encoded: true };
  const read = () => answerOfPayload(Buffer.from(JSON.stringify(answer)));
  if (zstd === undefined) return expect(read).toThrow("content-encoding is 'zstd'");
  expect(read()).toMatchObject({ packing: "zstd", body: new Uint8Array(packed) });
});

test("an answer in an encoding that was not asked for is refused", () => {
  const answer = { statusCode: 200, headers: { "content-encoding": "gzip" }, body: "AAAA", isBase64Encoded: true };
  expect(() => answerOfPayload(Buffer.from(JSON.stringify(answer)))).toThrow("content-encoding is 'gzip'");
});

test("a text body is read as text", () => {
  const answer = { statusCode: 404, headers: null, body: "grüße" };
  const { status, body } = answerOfPayload(Buffer.from(JSON.stringify(answer)));
  expect([status, Buffer.from(body).toString()]).toEqual([404, "grüße"]);
});

test("response headers whose values are not strings are dropped", () => {
  const headers = { "X-Any": "1", a: { toString: 1 }, b: ["b"], c: 1, d: true, e: null };
  const answer = { statusCode: 200, headers, body: "" };
  expect(answerOfPayload(Buffer.from(JSON.stringify(answer))).headers).toEqual({ "x-any": "1" });
});
