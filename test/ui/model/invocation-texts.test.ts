/** Texts of the page of an invocation: chains of waits, costs, and words for a shell. */
import { describe, expect, test } from "vitest";
import type { WaitBody } from "../../../shared/api/contract/invocations.ts";
import { waitText } from "../../../shared/api/wire/wait-words.ts";
import { costLines, millionText, usdText } from "../../../ui/model/timeline/cost.ts";
import { curlLine } from "../../../ui/model/invocation-actions.ts";
import { shellWord } from "../../../shared/api/wire/quoted-words.ts";
import { waitChains } from "../../../ui/model/why.ts";

const SINCE = "2026-11-24T12:00:00.000000000Z";
const wait = (kind: WaitBody["kind"], below: readonly WaitBody[] = []): WaitBody => ({
  kind,
  since: SINCE,
  ...(below.length > 0 && { waits_for: below }),
});
const kinds = (waits: readonly WaitBody[]) => waitChains(waits).map(({ hops }) => hops.map(({ kind }) => kind));

describe("the chain of causes", () => {
  test("has one line for each wait without a further cause", () => {
    const waits = [wait("timer"), wait("call", [wait("retry"), wait("awakeable")])];
    expect(kinds(waits)).toEqual([["timer"], ["call", "retry"], ["call", "awakeable"]]);
  });

  test("has at most five hops, and ends with the wait that has no further cause", () => {
    let deepest = wait("awakeable");
    for (let left = 7; left > 0; left--) deepest = wait("call", [deepest]);
    const [chain] = waitChains([deepest]);
    expect([chain!.hops.length, chain!.isCut, chain!.hops.at(-1)!.kind]).toEqual([5, true, "awakeable"]);
  });
});

test.each<[Partial<WaitBody> & Pick<WaitBody, "kind">, string]>([
  [
    { kind: "key", place: 2, target: "Cart/1/x", invocation_id: "inv_1" },
    "its key: number 2; Cart/1/x inv_1 has the key",
  ],
  [
    { kind: "place", name: "acme", place: 12, waiting: 40, places: 5, taken: 5, oldest_since: SINCE },
    "a place of acme (5 of 5 taken): number 12 of 40, the oldest SINCE",
  ],
  [{ kind: "start", name: "service:Mail", place: 1, waiting: 1, oldest_since: SINCE }, "a start in service:Mail: next"],
  [{ kind: "retry", attempt: 6, until: SINCE }, "attempt 6 AT"],
  [{ kind: "timer", until: SINCE }, "a timer UNTIL"],
  [{ kind: "call", target: "A/b", invocation_id: "inv_2", status: "paused" }, "A/b inv_2 (paused)"],
  [{ kind: "resume" }, "an order to resume"],
])("a wait of the kind %j reads well", (members, text) => {
  expect(waitText({ since: SINCE, ...members }, { at: () => "AT", until: () => "UNTIL", since: () => "SINCE" })).toBe(
    text,
  );
});

describe("costs", () => {
  const prices = {
    region: "us-east-1",
    compiledOn: "2026-11-21",
    writeUnitUsd: 0.625e-6,
    functionCallUsd: 0.2e-6,
    functionGbSecondUsd: 13.3334e-6,
  };

  test("are writes, exchanges and their time, each at its price", () => {
    const usage = { items: 3, bytes: 900, write_units: 3, exchanges: 1, exchange_ms: 1_000 };
    const sum = costLines(usage, prices).reduce((all, { usd }) => all + usd, 0);
    expect(millionText(sum)).toBe("$8.74");
    expect(costLines(usage, prices).map(({ amount }) => amount)).toEqual(["3", "1", "1 s"]);
  });

  test.each([
    [0, "$0"],
    [0.0000019, "$0.0000019"],
    [0.00123, "$0.0012"],
    [1.5, "$1.50"],
    [10_900.4, "$10,900"],
  ])("%d dollars are written as %s", (usd, text) => {
    expect(usdText(usd)).toBe(text);
  });
});

test.each([
  ["inv_1", "inv_1"],
  ["a b", "'a b'"],
  ["it's", `'it'\\''s'`],
  ["", "''"],
  ["$(rm)", "'$(rm)'"],
  [String.raw`a\b`, String.raw`'a\b'`],
])("the word %j goes into a shell as %s", (word, text) => {
  expect(shellWord(word)).toBe(text);
});

test("a curl line has the method and the header that it needs", () => {
  expect(curlLine("GET", "http://localhost:9070/x")).toBe("curl http://localhost:9070/x");
  expect(curlLine("POST", "http://localhost:9070/x?a=1", "x-a: 1")).toBe(
    "curl -X POST -H 'x-a: 1' 'http://localhost:9070/x?a=1'",
  );
});
