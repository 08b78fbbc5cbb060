/** Counter-examples to the times of a timeline: different clocks, lost attempts, older formats, servers that were down. */
import { describe, expect, test } from "vitest";
import type { EntryBody } from "../../../../shared/api/contract/invocations.ts";
import { piecesOf } from "../../../../ui/model/timeline/bars.ts";
import { type Operation, tookText } from "../../../../ui/model/timeline/operation.ts";
import { operationsOf, type TimelineFacts } from "../../../../ui/model/timeline/operations.ts";
import { rowsOf } from "../../../../ui/model/timeline/rows.ts";
import { timeScale } from "../../../../ui/model/timeline/scale.ts";
import { at, attempt, entriesOf, factsOf, failureAt, ORIGIN_MS, timesOf } from "./sample-facts.ts";

describe("what no moment proves is shown as unknown", () => {
  const scale = timeScale({ startMs: ORIGIN_MS, endMs: ORIGIN_MS + 10_000 }, 10_000, undefined);
  const shapesOf = (entries: readonly EntryBody[], more: Partial<TimelineFacts>) => {
    const [, one] = operationsOf(factsOf(entries, more));
    const took = tookText(one!, ORIGIN_MS + 10_000);
    return [took, ...piecesOf(one!, scale, ORIGIN_MS + 10_000).map(({ shape }) => shape)];
  };

  test.each<[kind: string, more: { name?: string; target?: string; wake_at?: string }]>([
    ["Run", { name: "one" }],
    ["Call", { target: "A/b" }],
    ["Sleep", { wake_at: at(900) }],
  ])("a %s whose result was noted by a server with a slower clock has no duration", (kind, more) => {
    const entries = entriesOf([
      ["Input", 0],
      [kind, 2_000, more],
      [kind, 700, { completes: 1 }],
    ]);
    const spans = [attempt(1, 1, 5, 2_100), attempt(2, 2, 500, 800)];
    expect(shapesOf(entries, { attempt_spans: spans })).toEqual(["unknown", "unknown"]);
  });

  test("a step of an attempt that was lost with its process did not wait for all of the time up to the next attempt", () => {
    const entries = entriesOf([
      ["Input", 0],
      ["Run", 100, { name: "one" }],
      ["Run", 5_200, { completes: 1 }],
    ]);
    const spans = [attempt(1, 1, 5, 100), attempt(3, 2, 5_000, 5_300)];
    expect(shapesOf(entries, { attempt_spans: spans })).toEqual(["5.1 s", "unknown", "bound"]);
  });

  test("a call whose command has no moment of receipt began after the entries before it, and until it was stored", () => {
    const entries = entriesOf([
      ["Input", 0],
      ["Run", 100, { name: "one" }],
      ["Run", 300, { completes: 1 }],
      ["Call", 800, { target: "A/b", at_or_before: true }],
      ["Call", 900, { completes: 3 }],
    ]);
    expect(timesOf(entries, { attempt_spans: [attempt(1, 1, 5, 950)] })[1]).toEqual(["A/b", 800, 900, [300, 900]]);
  });

  test("a sleep on a server that was down at its end lasts until a server learned of it, and says when it was to wake", () => {
    const entries = entriesOf([
      ["Input", 0],
      ["Sleep", 100, { wake_at: at(600) }],
      ["Sleep", 7_000, { completes: 1 }],
    ]);
    const spans = [attempt(1, 1, 5, 110), attempt(2, 3, 7_010, 7_020)];
    const [, nap] = operationsOf(factsOf(entries, { attempt_spans: spans }));
    expect([nap!.startMs, nap!.endMs, nap!.wakeAtMs].map((ms) => ms! - ORIGIN_MS)).toEqual([100, 7_000, 600]);
  });

  test("steps that run beside each other end each with its own result, also if the results come in another order", () => {
    const entries = entriesOf([
      ["Input", 0],
      ["Run", 10, { name: "slow" }],
      ["Run", 10, { name: "quick" }],
      ["Run", 60, { completes: 2 }],
      ["Run", 300, { completes: 1 }],
    ]);
    expect(timesOf(entries, { attempt_spans: [attempt(1, 1, 5, 310)] })).toEqual([
      ["slow", 10, 300],
      ["quick", 10, 60],
    ]);
  });
});

test("a failed step of an answer that was kept back began after the last step before it, and not with the attempt", () => {
  const whole = entriesOf([
    ["Input", 0],
    ["Run", 200, { name: "one" }],
    ["Run", 200, { completes: 1 }],
  ]);
  const events = [failureAt(300, { started_at: at(5), attempt: 1, related_command: { index: 2, name: "two" } })];
  const [, , two] = operationsOf(
    factsOf(whole, { status: "backing-off", events, attempt_spans: [attempt(1, 1, 5, 300)] }),
  );
  expect(two!.tries.map(({ startMs, isBound }) => [startMs - ORIGIN_MS, isBound])).toEqual([[200, true]]);
});

test("a call that met an ended invocation keeps its own times", () => {
  const entries = entriesOf([
    ["Input", 0],
    ["Call", 500, { target: "A/b", invocation_id: "inv_2" }],
    ["Call", 540, { completes: 1 }],
  ]);
  const span = { startMs: ORIGIN_MS - 9_000, endMs: ORIGIN_MS - 8_000 };
  const children = new Map([["inv_2", { kind: "loaded", operations: [], isCut: false, span } as const]]);
  const [, row] = rowsOf("inv_1", operationsOf(factsOf(entries)), { expanded: new Set(["1"]), children, find: "" });
  const { startMs, endMs } = (row as { operation: Operation }).operation;
  expect([startMs, endMs].map((ms) => ms! - ORIGIN_MS)).toEqual([500, 540]);
});
