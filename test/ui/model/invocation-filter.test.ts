/** Tests how filters of the list are read, written, kept in the address and asked of the API. */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  apiQuery,
  filterIn,
  filterText,
  type InvocationFilter,
  isOpenOnly,
  listHref,
  NO_FILTER,
  readFilter,
} from "../../../ui/model/invocation-filter.ts";
import { parseRoute } from "../../../ui/model/route.ts";
import { OUTCOME_WORDS, STATUS_WORDS } from "../../../shared/api/wire/status-words.ts";

const ID = "inv_1eO5S2qk3h3m5J0h8vSddGqotar0aBcDeF";

function filterOf(text: string): InvocationFilter {
  const read = readFilter(text);
  if (read.kind !== "filter") throw new Error(`${text}: ${JSON.stringify(read)}`);
  return read.filter;
}

test("names and values are read, and a quoted value keeps its spaces and quotes", () => {
  expect(filterOf(String.raw`status:paused,open service:Cart key:"a \"b\""`)).toEqual({
    ...NO_FILTER,
    status: ["paused", "open"],
    service: ["Cart"],
    key: ['a "b"'],
  });
});

test.each([
  ["failed", { outcome: ["failed"] }],
  ["status:failed,killed", { outcome: ["failed", "killed"] }],
  ["paused", { status: ["paused"] }],
  ["age:1h", { age: [">1h"] }],
  ["age:<10m", { age: ["<10m"] }],
  ['key:""', { key: [""] }],
  ["created-before:2026-11-24T13:00:00Z", { "created-before": ["2026-11-24T13:00:00Z"] }],
  ["created-before:1h", { "created-before": ["1h"] }],
  ["service:A service:B", { service: ["A", "B"] }],
])("%s is read", (text, expected) => expect(filterOf(text)).toEqual({ ...NO_FILTER, ...expected }));

test.each([ID, `id:${ID}`])("an id leads to its page: %s", (text) =>
  expect(readFilter(text)).toEqual({ kind: "id", id: ID }),
);

test.each([
  ["Cart", /name:value/],
  ["status:gone", /'gone' is none of open/],
  ["age:soon", /age:>1h/],
  ["created-before:soon", /created-before:1h/],
  ["service:", /no value/],
  ["id:inv_", /no id/],
  ["failed paused", /one after the other/],
  ["cause:unknown", /'unknown' is no cause/],
])("%s is unclear, and the reader sees why", (text, why) =>
  expect(readFilter(text)).toMatchObject({ kind: "unclear", why: expect.stringMatching(why) as string }),
);

const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.-]{0,12}$/);
const names = fc.uniqueArray(name, { maxLength: 3 });
const key = fc.array(
  fc.string({ unit: "binary" }).filter((text) => !/\p{Surrogate}/u.test(text)),
  { maxLength: 1 },
);
const anyFilter = fc.record({
  status: fc.uniqueArray(fc.constantFrom(...STATUS_WORDS), { maxLength: 3 }),
  outcome: fc.constant<readonly string[]>([]),
  service: names,
  handler: names,
  deployment: fc.constant<readonly string[]>([]),
  cause: fc.constant<readonly string[]>([]),
  scope: names,
  "limit-key": names,
  key,
  "created-before": fc.array(fc.constantFrom("2026-11-24T13:00:00Z", "7d"), { maxLength: 1 }),
  age: fc.array(fc.constantFrom(">1h", "<10m", ">7d"), { maxLength: 1 }),
});

test("each filter comes back from its text and from its address", () => {
  fc.assert(
    fc.property(anyFilter, (filter) => {
      expect(filterOf(filterText(filter))).toEqual(filter);
      const route = parseRoute(listHref(filter));
      expect(filterIn(route!.query)).toEqual(filter);
    }),
  );
});

test("any text is read without an error", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => readFilter(text).kind !== undefined));
});

test("the API gets an age, which counts by the clock of the server, and a filter by deployment matches ended ones too", () => {
  expect(Object.fromEntries(apiQuery(filterOf("age:>1h key:,a")))).toEqual({
    key: ",a",
    created_before: "1h",
  });
  expect(Object.fromEntries(apiQuery(filterOf("deployment:dp_1 age:<10m")))).toEqual({
    deployment: "dp_1",
    created_after: "10m",
  });
  expect(apiQuery(filterOf("created-before:1d age:>1h")).getAll("created_before")).toEqual(["1d", "1h"]);
});

test("a filter by outcome may match completed invocations; a filter by an open status matches open ones only", () => {
  expect(OUTCOME_WORDS.map((word) => isOpenOnly(filterOf(word)))).not.toContain(true);
  expect([filterOf("paused"), filterOf("deployment:dp_1")].map(isOpenOnly)).toEqual([true, false]);
  expect(isOpenOnly(NO_FILTER)).toBe(false);
});
