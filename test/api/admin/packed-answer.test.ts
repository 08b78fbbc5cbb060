/** Tests which answers of the admin API are compressed, and which are answered by 304. */
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HttpResponse } from "../../../shared/api/http/message.ts";
import { codingFor, packedAnswer } from "../../../shared/api/admin/requests/packed-answer.ts";
import { answerPacking } from "../../../shared/wiring/answer-packing.ts";
import { openAdminPlane, type AdminPlane } from "./admin-plane.ts";

let plane: AdminPlane;
beforeAll(async () => {
  plane = await openAdminPlane();
});
afterAll(() => plane.close());

const OPEN_API = "/openapi";

test("a long answer is compressed as the client accepts it, and stays the same answer", async () => {
  const plain = await plane.respond("GET", OPEN_API, {});
  const [gzip, brotli] = await Promise.all(
    ["gzip, deflate", "gzip, br"].map((accepted) => plane.respond("GET", OPEN_API, { "accept-encoding": accepted })),
  );
  expect(plain.headers["content-encoding"]).toBeUndefined();
  expect([gzip!.headers["content-encoding"], brotli!.headers["content-encoding"]]).toEqual(["gzip", "br"]);
  expect(gunzipSync(gzip!.body)).toEqual(Buffer.from(plain.body));
  expect(brotliDecompressSync(brotli!.body)).toEqual(Buffer.from(plain.body));
  for (const one of [plain, gzip!, brotli!]) expect(one.headers["vary"]).toBe("accept-encoding");
});

test("a client that has the answer gets 304 without it, and a changed answer again", async () => {
  const { headers } = await plane.respond("GET", OPEN_API, { "accept-encoding": "gzip" });
  const same = await plane.respond("GET", OPEN_API, { "if-none-match": `"other", ${headers["etag"]}` });
  expect([same.status, same.body.length, same.headers["etag"]]).toEqual([304, 0, headers["etag"]]);
  expect((await plane.respond("GET", OPEN_API, { "if-none-match": 'W/"other"' })).status).toBe(200);
});

test("a short answer, an answer to HEAD and a failure stay as they are", async () => {
  const accepted = { "accept-encoding": "gzip, br" };
  for (const [method, path] of [
    ["GET", "/version"],
    ["HEAD", OPEN_API],
    ["GET", `/invocations/${"x".repeat(2_000)}`],
  ] as const) {
    const { headers } = await plane.respond(method, path, accepted);
    expect([method, path.slice(0, 12), headers["content-encoding"]]).toEqual([method, path.slice(0, 12), undefined]);
  }
});

describe("an answer with confidential values is not compressed, so that its length tells nothing about them", () => {
  const long: HttpResponse = {
    status: 200,
    headers: { "content-type": "application/json" },
    body: new TextEncoder().encode(JSON.stringify("a".repeat(5_000))),
  };
  const packed = async (path: string, query: string) => {
    const request = { method: "GET", path, query, headers: { "accept-encoding": "gzip" }, body: new Uint8Array(0) };
    return (await packedAnswer(answerPacking(), request, long)).headers["content-encoding"];
  };

  test.each([
    ["/invocations/inv_1", "", "gzip"],
    ["/services/Cart", "key=state", "gzip"],
    ["/invocations/inv_1", "values=true", undefined],
    ["/invocations/inv_1", "limit=1&v%61lues=true", undefined],
    ["/services/Cart/state", "key=a", undefined],
    ["/v3/services/Cart/state", "", undefined],
  ])("%s?%s: %s", async (path, query, coding) => expect(await packed(path, query)).toBe(coding));
});

test("of many answers at once a few are compressed, and the others are sent as they are", async () => {
  const packing = answerPacking();
  const bytes = new TextEncoder().encode("a".repeat(100_000));
  const all = await Promise.all(Array.from({ length: 20 }, () => packing.compress(bytes, "gzip")));
  const done = all.filter((one) => one !== undefined).length;
  expect([done > 0, done < 20]).toEqual([true, true]);
  expect(await packing.compress(bytes, "gzip")).toBeDefined();
});

test.each([
  [undefined, undefined],
  ["", undefined],
  ["identity, *", undefined],
  ["gzip;q=0, br;q=0.0", undefined],
  ["gzip;q=1.0, br;q=0.5", "gzip"],
  ["gzip, deflate, br", "br"],
  ["GZIP ; q=0.3", "gzip"],
  [`${"x,".repeat(100_000)}gzip`, undefined],
])("%s: %s", (accepted, coding) => expect(codingFor(accepted?.slice(0, 300_000))).toBe(coding));
