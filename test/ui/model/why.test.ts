/** Tests the words for the reason of the status of an invocation. */
import { expect, test } from "vitest";
import type { WaitBody } from "../../../shared/api/contract/invocations.ts";
import { errorHead, soon, waitText, whyText } from "../../../ui/model/why.ts";

const NOW_MS = Date.UTC(2026, 10, 24, 13, 0, 0);
const since = "2026-11-24T12:00:00Z";
const until = "2026-11-24T13:00:42.500Z";

test.each<[Partial<WaitBody> & Pick<WaitBody, "kind">, string]>([
  [{ kind: "timer", until }, "sleeps, wakes in 42 s"],
  [{ kind: "key", place: 3 }, "waits for its key, place 3"],
  [{ kind: "call", target: "Greeter/greet" }, "waits for the call of Greeter/greet"],
  [{ kind: "awakeable", awakeable_id: "sign_1" }, "waits for the awakeable sign_1"],
  [{ kind: "promise", name: "verified" }, "waits for the promise verified"],
  [{ kind: "attempt", attempt: 2 }, "attempt 2 runs"],
  [
    { kind: "attempt", attempt: 2, step: { name: "chunk 94", since: "2026-11-24T12:59:57Z", others: 1 } },
    "runs chunk 94, and 1 more, 3 s",
  ],
  [{ kind: "attempt", silent_since: "2026-11-24T12:58:00Z" }, "handler silent for 2 m"],
  [{ kind: "circuit", name: "RT0001 refused" }, "circuit open: RT0001 refused"],
  [{ kind: "command", type: "Run" }, "waits for Run"],
  [{ kind: "unheard-of" as WaitBody["kind"] }, "waits for unheard-of"],
])("a wait of the kind $kind is described in words", (wait, words) => {
  expect(waitText({ since, ...wait }, NOW_MS)).toBe(words);
});

test("the row names the next attempt and the error", () => {
  const error = { code: "RT0007", message: "never well\nat line 3" };
  expect(whyText({ status: "backing-off", error, next_retry_at: until }, NOW_MS)).toBe(
    "next attempt in 42 s · RT0007 never well",
  );
  const end = { status: "completed" as const, error: { code: "409", message: "cancelled" } };
  expect(whyText({ ...end, outcome: "failed" }, NOW_MS)).toBe("409 cancelled");
  expect(whyText({ ...end, outcome: "cancelled" }, NOW_MS)).toBe("");
  expect(whyText({ status: "suspended", wake_at: until }, NOW_MS)).toBe("wakes in 42 s");
});

test("several waits are counted", () => {
  const waits = [
    { kind: "timer" as const, since, until },
    { kind: "promise" as const, since, name: "p" },
  ];
  expect(whyText({ status: "suspended", waits_for: waits }, NOW_MS)).toBe("sleeps, wakes in 42 s, and 1 more");
});

test("a message that begins with its code shows it once", () => {
  expect(errorHead({ code: "RT0005", message: "[RT0005] locked" })).toBe("[RT0005] locked");
});

test("a moment that has passed is due", () => expect(soon(NOW_MS - 90_000, NOW_MS)).toBe("due 1 m 30 s ago"));
