import { describe, expect, test } from "vitest";
import { advance } from "../../../shared/core/invocation/advance.ts";
import type { AttemptEnded, AttemptOutcome } from "../../../shared/core/invocation/event.ts";
import type { Invocation } from "../../../shared/core/invocation/invocation.ts";
import { exhausted, retryDelayMs } from "../../../shared/core/invocation/retry.ts";
import {
  attemptEnded,
  awaiting,
  completion,
  failing,
  invocationIn,
  poll,
  NOW_MS,
  run,
  taken,
  UNLIMITED,
} from "./sample-invocation.ts";

/** Ends the running attempt, and begins the next one when it is due. */
function after(invocation: Invocation, ending: AttemptOutcome, more: Partial<AttemptEnded> = {}): Invocation {
  const { next } = advance(invocation, attemptEnded(ending, more));
  return next.phase.status === "backing-off" ? advance(next, poll([], next.phase.retryAtMs)).next : next;
}

const start = invocationIn("running", { retries: { policyAttempts: 0, sinceEntry: 0 } });

describe("the two retry counters", () => {
  test("both count a plain failure", () => {
    const twice = after(after(start, failing()), failing());
    expect(twice.retries).toEqual({ policyAttempts: 2, sinceEntry: 2 });
  });

  test("a stored command resets the count since the last entry, but not the policy's", () => {
    const twice = after(after(start, failing()), failing(), { entries: [run(2)] });
    expect(twice.retries).toEqual({ policyAttempts: 2, sinceEntry: 1 });
  });

  test("a stored run result is no command and resets nothing", () => {
    const twice = after(after(start, failing()), failing(), { entries: [completion(1)] });
    expect(twice.retries).toEqual({ policyAttempts: 2, sinceEntry: 2 });
  });

  test("arrivals that the attempt sent to the deployment reset nothing", () => {
    const twice = after(after(start, failing()), failing(), { sent: [taken("c1", completion(1))] });
    expect(twice.retries).toEqual({ policyAttempts: 2, sinceEntry: 2 });
  });

  test("a delay that the handler chose uses no attempt of the policy", () => {
    const policy = { ...UNLIMITED, maxAttempts: 2 };
    let invocation = start;
    for (let i = 0; i < 5; i++) invocation = after(invocation, failing({ nextRetryDelayMs: 3 }), { policy });
    expect(invocation.phase.status).toBe("running");
    expect(invocation.retries).toEqual({ policyAttempts: 0, sinceEntry: 5 });
  });

  test.each([
    [
      "a failure under a policy without intervals",
      {},
      { policy: { ...UNLIMITED, initialIntervalMs: 0, maxIntervalMs: 0 } },
    ],
    ["a failure whose handler asks for a delay of 0 ms", { nextRetryDelayMs: 0 }, {}],
  ])("%s is retried at once three times, and then every 50 ms", (_what, told, more) => {
    let invocation = start;
    const delays: number[] = [];
    for (let count = 0; count < 6; count++) {
      const { next } = advance(invocation, attemptEnded(failing(told), more));
      if (next.phase.status === "backing-off") delays.push(next.phase.retryAtMs - NOW_MS);
      invocation = after(invocation, failing(told), more);
    }
    expect(delays).toEqual([0, 0, 0, 50, 50, 50]);
  });

  test("a failure that is unrelated to the handler's progress counts only for the policy", () => {
    expect(after(start, failing({ countsSinceEntry: false })).retries).toEqual({ policyAttempts: 1, sinceEntry: 0 });
  });

  test("a suspension resets both", () => {
    const failed = after(start, failing());
    expect(after(failed, { kind: "suspended", awaiting: awaiting(1) }).retries).toEqual({
      policyAttempts: 0,
      sinceEntry: 0,
    });
  });

  test("a pause resets both", () => {
    const paused = after(after(start, failing()), failing({ behavior: "pause" }), { entries: [run(2)] });
    expect(paused.retries).toEqual({ policyAttempts: 0, sinceEntry: 0 });
  });

  test("the policy counts the first attempt too", () => {
    const policy = { ...UNLIMITED, maxAttempts: 3 };
    const second = after(start, failing(), { policy });
    const third = after(second, failing(), { policy });
    expect([second.phase.status, third.phase.status]).toEqual(["running", "running"]);
    expect(after(third, failing(), { policy }).phase.status).toBe("paused");
  });
});

describe("the delay of a retry", () => {
  const policy = { ...UNLIMITED, initialIntervalMs: 100, factor: 2, maxIntervalMs: 1_000 };

  test("grows from the initial interval by the factor up to the maximum", () => {
    const delays = [1, 2, 3, 4, 5, 6, 60, 6_000].map((failed) => retryDelayMs(policy, failed, 0));
    expect(delays).toEqual([100, 200, 400, 800, 1_000, 1_000, 1_000, 1_000]);
  });

  test("grows by up to three tenths through jitter", () => {
    expect(retryDelayMs(policy, 1, 0.5)).toBe(115);
    expect(retryDelayMs(policy, 1, 1)).toBe(130);
    expect(retryDelayMs(policy, 9, 1)).toBe(1_300);
  });

  test("is the initial interval after a failure whose delay the handler chose", () => {
    const { next } = advance(
      after(start, failing({ nextRetryDelayMs: 3 }), { policy }),
      attemptEnded(failing(), { policy }),
    );
    expect(next.phase).toEqual({ status: "backing-off", retryAtMs: NOW_MS + 100 });
  });

  test("counts from the end of the attempt, with its jitter", () => {
    const { next } = advance(start, attemptEnded(failing(), { policy, jitter: 1 }));
    expect(next.phase).toEqual({ status: "backing-off", retryAtMs: NOW_MS + 130 });
  });

  test("is exactly the delay that the handler chose, without jitter", () => {
    const { next, step } = advance(start, attemptEnded(failing({ nextRetryDelayMs: 42 }), { policy, jitter: 1 }));
    expect(next.phase).toEqual({ status: "backing-off", retryAtMs: NOW_MS + 42 });
    expect(step).toEqual({ kind: "park", status: "backing-off", wakeAtMs: NOW_MS + 42 });
  });
});

test("a policy with zero attempts allows the first attempt, and a policy without a limit allows any number", () => {
  expect(exhausted({ ...UNLIMITED, maxAttempts: 0 }, 0)).toBe(false);
  expect(exhausted({ ...UNLIMITED, maxAttempts: 0 }, 1)).toBe(true);
  expect(exhausted(UNLIMITED, 1_000_000)).toBe(false);
});
