/** Tests which notifications satisfy an await, and when a suspended invocation wakes. */
import { describe, expect, test } from "vitest";
import { advance } from "../../../shared/core/invocation/advance.ts";
import type { NotificationEntry } from "../../../shared/core/invocation/entry.ts";
import type { Arrival } from "../../../shared/core/invocation/event.ts";
import type { Invocation } from "../../../shared/core/invocation/invocation.ts";
import type { Consumption } from "../../../shared/core/invocation/segment.ts";
import type { Await, Combinator } from "../../../shared/core/model/await-tree.ts";
import {
  arrival,
  attemptEnded,
  awaiting,
  cancelArrived,
  completion,
  completionArrived,
  invocationIn,
  poll,
  namedSignal,
  NOW_MS,
  run,
  signal,
  sleep,
  taken,
} from "./sample-invocation.ts";

function suspendedOn(tree: Await, { sent = [] }: { sent?: Consumption[] } = {}): Invocation {
  const event = attemptEnded({ kind: "suspended", awaiting: tree }, { sent });
  return advance(invocationIn("running"), event).next;
}

const stepOf = (invocation: Invocation, arrivals: readonly Arrival[] = []) => advance(invocation, poll(arrivals)).step;

describe("an await", () => {
  test("is not satisfied by a notification that the suspended attempt had received", () => {
    const invocation = suspendedOn(awaiting(1), { sent: [taken("c1", completion(1))] });
    expect(stepOf(invocation)).toEqual({ kind: "park", status: "suspended" });
  });

  test("is satisfied at once by a completion in the segment that suspends", () => {
    const event = attemptEnded({ kind: "suspended", awaiting: awaiting(2) }, { entries: [run(2), completion(2)] });
    const { next } = advance(invocationIn("running"), event);
    expect(stepOf(next)).toEqual({ kind: "attempt", take: [], dueSleeps: [] });
  });

  test("is not satisfied by a CANCEL that was consumed, but by a second CANCEL", () => {
    const invocation = suspendedOn(awaiting(4), { sent: [taken("xfirst", signal(1))] });
    expect(stepOf(invocation).kind).toBe("park");
    expect(stepOf(invocation, [cancelArrived("xsecond")])).toMatchObject({
      kind: "attempt",
      take: [{ key: "xsecond" }],
    });
  });

  test("a named signal that is awaited again needs a second sending", () => {
    const tree: Await = { completions: [], signals: [], namedSignals: ["go"], nested: [], combinator: "unknown" };
    const invocation = suspendedOn(tree, { sent: [taken("xa", namedSignal("go"))] });
    expect(stepOf(invocation).kind).toBe("park");
    expect(stepOf(invocation, [arrival("xb", namedSignal("went"))]).kind).toBe("park");
    expect(stepOf(invocation, [arrival("xb", namedSignal("go"))]).kind).toBe("attempt");
  });

  test("is not satisfied by an arrival that it does not list", () => {
    expect(stepOf(suspendedOn(awaiting(1)), [completionArrived(9)]).kind).toBe("park");
  });

  test("a resumed attempt gets all arrivals, awaited or not", () => {
    const step = stepOf(suspendedOn(awaiting(1)), [completionArrived(9), completionArrived(1)]);
    expect(step).toMatchObject({ kind: "attempt", take: [{ key: "c1" }, { key: "c9" }] });
  });
});

describe("an await whose exchange stayed open", () => {
  const suspended = (carried: readonly NotificationEntry[], more: Parameters<typeof attemptEnded>[1] = {}) =>
    advance(
      invocationIn("running"),
      attemptEnded({ kind: "suspended", awaiting: awaiting(1, 2) }, { carried, ...more }),
    );

  test.each([
    ["the awaited completion", completion(1)],
    ["one of two awaited completions", completion(2)],
    ["an awaited signal", signal(1)],
  ])("leads to an attempt at once if the exchange carried %s, which the handler may not have read", (_, entry) => {
    const { next, step, segment } = suspended([entry]);
    expect([next.phase.status, step.kind, segment]).toEqual(["running", "poll", undefined]);
    expect(stepOf(next).kind).toBe("attempt");
  });

  test("leads to a segment with the entries of the attempt and the notifications that were sent to the attempt", () => {
    const sent = [taken("c1", completion(1))];
    const { next, segment } = suspended([completion(1)], { sent, entries: [run(2)] });
    expect(segment).toMatchObject({ consumed: sent, entries: [run(2)], after: { kind: "running" } });
    expect(stepOf(next)).toMatchObject({ kind: "attempt", take: [] });
  });

  test("suspends the invocation if it names nothing that the exchange carried", () => {
    const { next } = suspended([completion(3)]);
    expect(next.phase.status).toBe("suspended");
    expect(stepOf(next).kind).toBe("park");
  });
});

/** Sleeps 11, 12 and 13 end 10, 20 and 30 seconds after NOW_MS. */
function sleeping(combinator: Combinator, more: Partial<Await> = {}): Invocation {
  const tree: Await = { completions: [11, 12, 13], signals: [], namedSignals: [], nested: [], combinator, ...more };
  const entries = [sleep(12, NOW_MS + 20_000), sleep(11, NOW_MS + 10_000), sleep(13, NOW_MS + 30_000)];
  return advance(invocationIn("running"), attemptEnded({ kind: "suspended", awaiting: tree }, { entries })).next;
}

describe("the wake of a suspended invocation", () => {
  const cases: readonly [Combinator, number][] = [
    ["unknown", 10_000],
    ["first-completed", 10_000],
    ["first-succeeded-or-all-failed", 10_000],
    ["all-completed", 30_000],
    ["all-succeeded-or-first-failed", 30_000],
  ];
  test.each(cases)("for %s of three sleeps is after %i ms", (combinator, ms) => {
    expect(stepOf(sleeping(combinator))).toEqual({ kind: "park", status: "suspended", wakeAtMs: NOW_MS + ms });
  });

  test("is at the end of the first sleep that satisfies a nested await", () => {
    const nested: Await = {
      completions: [11, 12],
      signals: [],
      namedSignals: [],
      nested: [],
      combinator: "all-completed",
    };
    const invocation = sleeping("first-completed", { completions: [13], nested: [nested] });
    expect(stepOf(invocation)).toMatchObject({ wakeAtMs: NOW_MS + 20_000 });
  });

  test("takes account of arrivals", () => {
    const invocation = sleeping("all-completed", { completions: [7, 11] });
    expect(stepOf(invocation)).toEqual({ kind: "park", status: "suspended" });
    expect(stepOf(invocation, [completionArrived(7)])).toMatchObject({ wakeAtMs: NOW_MS + 10_000 });
  });

  test("is absent if no sleep can satisfy the await", () => {
    expect(stepOf(sleeping("first-completed", { completions: [7] }))).toEqual({ kind: "park", status: "suspended" });
  });
});

test("a sleep that is over at a poll satisfies the await without an arrival", () => {
  const invocation = sleeping("first-completed");
  const before = advance(invocation, poll([], NOW_MS + 9_999)).step;
  expect(before).toMatchObject({ kind: "park", wakeAtMs: NOW_MS + 10_000 });
  const after = advance(invocation, poll([], NOW_MS + 10_000)).step;
  expect(after).toEqual({ kind: "attempt", take: [], dueSleeps: [11] });
});

test("a sleep whose end is in the journal never completes again", () => {
  const over = taken("c11", completion(11));
  const resumed = advance(sleeping("first-completed"), poll([], NOW_MS + 10_000)).next;
  const again = attemptEnded({ kind: "suspended", awaiting: awaiting(13) }, { sent: [over], atMs: NOW_MS + 10_000 });
  const { next } = advance(resumed, again);
  expect(advance(next, poll([], NOW_MS + 30_000)).step).toMatchObject({ kind: "attempt", dueSleeps: [12, 13] });
});
