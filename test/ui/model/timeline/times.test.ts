/** The times of a timeline are those that the journal shows; what the journal does not show is a bound. */
import { describe, expect, test } from "vitest";
import { costLines, openWaits } from "../../../../ui/model/timeline/cost.ts";
import { busySpans } from "../../../../ui/model/timeline/activity.ts";
import { piecesOf } from "../../../../ui/model/timeline/bars.ts";
import { exchangeParts } from "../../../../ui/model/timeline/exchanges.ts";
import { failedCount, tookText } from "../../../../ui/model/timeline/operation.ts";
import { operationsOf, type TimelineFacts } from "../../../../ui/model/timeline/operations.ts";
import { gapsOf, timeScale } from "../../../../ui/model/timeline/scale.ts";
import { at, attempt, entriesOf, factsOf, failureAt, ORIGIN_MS, timesOf } from "./sample-facts.ts";

describe("on an open exchange", () => {
  test("a compensation begins after the failure of the call that it compensates", () => {
    const entries = entriesOf([
      ["Input", 0],
      ["Run", 10, { name: "reserve" }],
      ["Run", 60, { completes: 1 }],
      ["Call", 62, { target: "Card/charge" }],
      ["Call", 700, { completes: 3, failed: true }],
      ["Run", 702, { name: "release" }],
      ["Run", 760, { completes: 5 }],
    ]);
    expect(timesOf(entries, { attempt_spans: [attempt(1, 1, 5, 770)] })).toEqual([
      ["reserve", 10, 60],
      ["Card/charge", 62, 700],
      ["release", 702, 760],
    ]);
  });

  test("each call of a fan-out ends when its own result came", () => {
    const calls = Array.from({ length: 50 }, (_, one) => ["Call", 20, { target: `Part/${one}` }] as const);
    const results = calls.map((_, one) => ["Call", 3_000 + 40 * one, { completes: one + 1 }] as const);
    const times = timesOf(entriesOf([["Input", 0], ...calls, ...results]), {
      attempt_spans: [attempt(1, 1, 5, 5_100)],
    });
    expect(times).toEqual(calls.map(([, ms, { target }], one) => [target, ms, 3_000 + 40 * one]));
  });

  test("a step whose command and result came within milliseconds took at most the time since the entry before", () => {
    const entries = entriesOf([
      ["Input", 0],
      ["Run", 100, { name: "slow" }],
      ["Run", 400, { completes: 1 }],
      ["Run", 402, { name: "quick" }],
      ["Run", 403, { completes: 3 }],
    ]);
    expect(timesOf(entries, { attempt_spans: [attempt(1, 1, 90, 404)] })).toEqual([
      ["slow", 100, 400],
      ["quick", 400, 403, [400, 403]],
    ]);
  });

  test("the running step lasts until now", () => {
    const entries = entriesOf([
      ["Input", 0],
      ["Run", 100, { name: "slow" }],
    ]);
    expect(timesOf(entries, { status: "running" })).toEqual([["slow", 100, undefined]]);
  });
});

describe("in an answer that came in one piece", () => {
  const answer = entriesOf([
    ["Input", 0],
    ["SetState", 300, { key: "k" }],
    ["Run", 300, { name: "one" }],
    ["Run", 300, { completes: 2 }],
    ["Run", 300, { name: "two" }],
    ["Run", 300, { completes: 4 }],
    ["Call", 300, { target: "A/b" }],
    ["Call", 900, { completes: 6 }],
    ["Run", 1_400, { name: "three" }],
    ["Run", 1_400, { completes: 8 }],
    ["Output", 1_400],
  ]);
  const attempts = { attempt_spans: [attempt(1, 1, 56, 300), attempt(2, 8, 950, 1_400)] };

  test("steps are bounded by the attempt, and stand behind each other in their order", () => {
    const [state, one, two, call, three, output] = timesOf(answer, attempts);
    expect(state).toEqual(["set k", 56, 56, [56, 300]]);
    expect(one).toEqual(["one", 56, 178, [56, 300]]);
    expect(two).toEqual(["two", 178, 300, [56, 300]]);
    // The server began the call when the answer came.
    expect(call).toEqual(["A/b", 300, 900]);
    expect(three).toEqual(["three", 950, 1_400, [950, 1_400]]);
    expect(output!.slice(1, 3)).toEqual([1_400, 1_400]);
  });

  test("the duration of a step says that it is a bound, and its bar shows it", () => {
    const [, , one] = operationsOf(factsOf(answer, attempts));
    expect(tookText(one!, 0)).toBe("≤ 244 ms");
    const scale = timeScale({ startMs: ORIGIN_MS, endMs: ORIGIN_MS + 1_400 }, 1_400, undefined);
    expect(piecesOf(one!, scale, 0).map(({ shape }) => shape)).toEqual(["bound"]);
  });

  test("steps that ran side by side stand side by side", () => {
    const entries = entriesOf([
      ["Input", 0],
      ["Run", 200, { name: "a" }],
      ["Run", 200, { name: "b" }],
      ["Run", 200, { completes: 2 }],
      ["Run", 200, { completes: 1 }],
    ]);
    expect(timesOf(entries, { attempt_spans: [attempt(1, 1, 100, 200)] })).toEqual([
      ["a", 100, 200, [100, 200]],
      ["b", 100, 150, [100, 200]],
    ]);
  });
});

test("entries without a moment of receipt bound a step by the entries that were stored before", () => {
  const unknown = { at_or_before: true } as const;
  const entries = entriesOf([
    ["Input", 0],
    ["Run", 510, { name: "one", ...unknown }],
    ["Run", 900, { completes: 1, ...unknown }],
  ]);
  expect(timesOf(entries, { attempt_spans: [attempt(1, 1, 10, 900)] })).toEqual([["one", 10, 900, [10, 900]]]);
});

describe("a failed attempt", () => {
  const entries = entriesOf([
    ["Input", 0],
    ["Run", 20, { name: "one" }],
    ["Run", 320, { completes: 1 }],
    ["Run", 322, { name: "two" }],
  ]);
  const command = { index: 2 };

  test("begins with its own step, and not with the attempt", () => {
    const events = [failureAt(400, { started_at: at(5), related_command: command })];
    const facts = factsOf(entries, { status: "backing-off", events, attempt_spans: [attempt(1, 1, 5, 400)] });
    const [, one, two] = operationsOf(facts);
    expect([one!.endMs, two!.startMs].map((ms) => ms! - ORIGIN_MS)).toEqual([320, 322]);
    expect(two!.tries.map(({ startMs, endMs, isBound }) => [startMs - ORIGIN_MS, endMs - ORIGIN_MS, isBound])).toEqual([
      [322, 400, undefined],
    ]);
  });

  test("counts, also if it failed as the one before: the first and the last have times, the others lie between", () => {
    const last = { attempt: 15, started_at: at(9_000), at: at(9_050) };
    const events = [
      failureAt(400, { started_at: at(5), related_command: command, times: 14, last: { ...last, attempt: 14 } }),
      failureAt(9_900, { started_at: at(9_800), related_command: command, message: "other" }),
    ];
    const facts = factsOf(entries, { status: "backing-off", events, attempt_spans: [attempt(1, 1, 5, 400)] });
    const two = operationsOf(facts)[2]!;
    expect(failedCount(two)).toBe(15);
    const scale = timeScale({ startMs: ORIGIN_MS, endMs: ORIGIN_MS + 10_000 }, 10_000, undefined);
    const pieces = piecesOf(two, scale, ORIGIN_MS + 10_000);
    expect(pieces.map(({ shape, fromPx, widthPx }) => [shape, fromPx, fromPx + widthPx])).toEqual([
      ["failed", 322, 400],
      ["repeated", 400, 9_000],
      ["failed", 9_000, 9_050],
      ["back-off", 9_050, 9_800],
      ["failed", 9_800, 9_900],
      ["back-off", 9_900, 10_000],
    ]);
  });

  test("of a replay began after the attempt, which does not say when", () => {
    const events = [
      failureAt(400, { started_at: at(5), related_command: command }),
      failureAt(1_300, { started_at: at(1_000), related_command: command, message: "other" }),
    ];
    const two = operationsOf(
      factsOf(entries, { status: "backing-off", events, attempt_spans: [attempt(1, 1, 5, 400)] }),
    )[2]!;
    expect(two.tries.map(({ startMs, isBound }) => [startMs - ORIGIN_MS, isBound])).toEqual([
      [322, undefined],
      [1_000, true],
    ]);
  });
});

describe("a wait on an open exchange", () => {
  const entries = entriesOf([
    ["Input", 0],
    ["Run", 100, { name: "publish" }],
    ["Run", 1_000, { completes: 1 }],
  ]);
  const waits = [{ kind: "awakeable" as const, since: at(1_000), awakeable_id: "sign_1" }];
  const spans = { attempt_spans: [attempt(1, 1, 50, 1_000)] };
  const collapsed = (facts: TimelineFacts, endMs: number) =>
    gapsOf(timeScale({ startMs: ORIGIN_MS, endMs: ORIGIN_MS + endMs }, 900, busySpans(facts, ORIGIN_MS + endMs))).map(
      ({ fromMs, toMs }) => [fromMs - ORIGIN_MS, toMs - ORIGIN_MS],
    );

  test("counts as a wait and not as work, so that the axis collapses it", () => {
    const running = factsOf(entries, { status: "running", waits_for: waits, ...spans });
    expect(collapsed(running, 60_000)).toEqual([[1_000, 60_000]]);
    const suspended = factsOf(entries, {
      status: "suspended",
      waits_for: waits,
      attempt_spans: [attempt(1, 1, 50, 61_000)],
    });
    expect(collapsed(suspended, 113_000)).toEqual([[1_000, 113_000]]);
  });

  test("is no wait while a run is open, or while the handler may compute", () => {
    const open = factsOf(entries.slice(0, 2), { status: "running", waits_for: waits, ...spans });
    expect(collapsed(open, 60_000)).toEqual([]);
    const computing = factsOf(entries, {
      status: "running",
      waits_for: [{ kind: "attempt", since: at(50), attempt: 1 }],
      ...spans,
    });
    expect(collapsed(computing, 60_000)).toEqual([]);
  });
});

test("on AWS a wait ends the exchange, so its time costs nothing and one exchange more follows", () => {
  const entries = entriesOf([
    ["Input", 0],
    ["Run", 100, { name: "publish" }],
    ["Run", 1_000, { completes: 1 }],
    ["Sleep", 1_000],
    ["Sleep", 52_000, { completes: 3 }],
    ["Output", 52_100],
  ]);
  const facts = factsOf(entries, { completed_at: at(52_100), attempt_spans: [attempt(1, 1, 50, 52_100)] });
  const waits = openWaits(exchangeParts(facts, -Infinity));
  expect(waits).toEqual({ count: 1, ms: 51_000 });
  // The suspension itself takes a moment, but ends the exchange.
  const suspended = factsOf(entries.slice(0, 3), { status: "suspended", attempt_spans: [attempt(1, 1, 50, 1_002)] });
  expect(openWaits(exchangeParts(suspended, -Infinity))).toEqual({ count: 0, ms: 2 });
  const usage = { items: 3, bytes: 900, write_units: 6, exchanges: 1, exchange_ms: 52_050 };
  const prices = {
    region: "r",
    compiledOn: "c",
    writeUnitUsd: 1,
    functionCallUsd: 10,
    functionGbSecondUsd: 1_000,
  };
  expect(costLines(usage, prices, waits).map(({ usd }) => usd)).toEqual([6, 20, 1.05 * 0.5 * 1_000]);
  expect(costLines(usage, prices).map(({ usd }) => usd)).toEqual([6, 10, 52.05 * 0.5 * 1_000]);
});
