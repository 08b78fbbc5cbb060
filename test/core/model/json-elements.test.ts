/** JSON from outside is counted before it is parsed, at every place that takes some. */
import { afterEach, expect, test, vi } from "vitest";
import { answerOfPayload } from "../../../shared/adapters/lambda/function-event.ts";
import { readJsonBody } from "../../../shared/api/admin/requests/json-body.ts";
import { QUERY_ROUTE } from "../../../shared/api/admin/sql/query-route.ts";
import type { AdminRequest } from "../../../shared/api/admin/requests/admin-request.ts";
import { exceedsElements, parseJsonFromOutside } from "../../../shared/core/model/json-elements.ts";
import { parseManifest } from "../../../shared/core/protocol/manifest.ts";
import { request, smallWorld, textOf } from "../../api/ingress/small-world.ts";
import { TYPE } from "../protocol/sample-manifest.ts";
import * as z from "zod";

afterEach(() => vi.restoreAllMocks());

/** Some three bytes an element: a megabyte of it would become a hundred megabytes of arrays. */
const BOMB = `{"target":"invocation","services":[${"[],".repeat(300_000)}[]]}`;
const JSON_TYPE = { "content-type": "application/json" };

test.each([
  ["[]", 1],
  ["[1]", 1],
  ["[1,2,3]", 3],
  ['{"a":1,"b":[{}]}', 6],
  ['"[[[,,,:::"', 0],
  ['["\\"[[[,,,", 1]', 2],
])("%s counts as %i commas, colons and brackets", (text, count) => {
  expect(exceedsElements(Buffer.from(text), count)).toBe(false);
  expect(count > 0 && exceedsElements(Buffer.from(text), count - 1)).toBe(count > 0);
});

test("bytes that are no JSON in UTF-8 are refused", () => {
  for (const bytes of [Buffer.from("{"), Uint8Array.of(0x22, 0xff, 0x22)])
    expect(() => parseJsonFromOutside(bytes, 9)).toThrow();
  expect(parseJsonFromOutside(Buffer.from('{"a":["b"]}'), 9)).toEqual({ a: ["b"] });
});

const asked = { deps: { statements: {} }, request: request("POST /query", JSON_TYPE, BOMB) } as unknown as AdminRequest;
const DOORS: readonly (readonly [what: string, ask: () => unknown])[] = [
  ...["lookup", "attach", "output"].map((word): [string, () => unknown] => [
    `the ingress's ${word} by a description`,
    async () => textOf(await smallWorld().app(request(`POST /restate/${word}`, JSON_TYPE, BOMB))),
  ]),
  ["the admin API", () => readJsonBody(request("POST /deployments", JSON_TYPE, BOMB), z.object({}))],
  ["a statement", () => QUERY_ROUTE.target(asked)],
  ["discovery", () => parseManifest(TYPE, Buffer.from(BOMB))],
  ["an answer of a function", () => answerOfPayload(Buffer.from(BOMB))],
];

test.each(DOORS)("%s counts first", async (_what, ask) => {
  const parse = vi.spyOn(JSON, "parse");
  const told = await Promise.resolve()
    .then(ask)
    .catch((error: Error) => error.message);
  expect(parse).not.toHaveBeenCalled();
  expect(String(told)).toMatch(/has more than \d+ elements/);
});
