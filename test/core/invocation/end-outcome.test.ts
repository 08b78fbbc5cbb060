/** Tests the one word that says how an invocation ended. */
import { expect, test } from "vitest";
import type { Entry } from "../../../shared/core/invocation/entry.ts";
import { type EndOutcome, endOutcome } from "../../../shared/core/invocation/end-outcome.ts";
import { append } from "../../../shared/core/invocation/journal.ts";
import type { Result } from "../../../shared/core/model/failure.ts";
import { invocationIn, namedSignal, output, signal } from "./sample-invocation.ts";

const failure = (code: number): Result => ({ kind: "failure", failure: { code, message: "no" } });
const success: Result = { kind: "success", value: new Uint8Array(0) };

test.each<readonly [EndOutcome, string, Result, readonly Entry[], { killed?: boolean; known?: boolean }]>([
  ["succeeded", "a value", success, [], {}],
  ["succeeded", "a value in spite of a cancel", success, [signal(1)], {}],
  ["failed", "a failure", failure(500), [], {}],
  ["failed", "a failure of another code after a cancel", failure(500), [signal(1)], {}],
  ["failed", "a 409 without a cancel", failure(409), [signal(17), namedSignal("1")], {}],
  ["cancelled", "a 409 after a cancel", failure(409), [signal(1), output()], {}],
  ["cancelled", "a 409 of an invocation whose dropped journal had a cancel", failure(409), [], { known: true }],
  ["failed", "another failure of an invocation whose dropped journal had a cancel", failure(500), [], { known: true }],
  ["killed", "a kill", failure(409), [], { killed: true }],
  ["killed", "a kill after a cancel", failure(409), [signal(1)], { killed: true }],
])("%s: %s", (expected, _, result, entries, { killed = false, known = false }) => {
  const start = invocationIn("completed");
  const phase = { status: "completed", result, endedAtMs: 1, tombstone: false, killed } as const;
  expect(endOutcome({ journal: append(start.journal, entries), phase }, known)).toBe(expected);
});

test.each(["running", "suspended", "paused"] as const)("an invocation that is %s has no outcome", (status) => {
  expect(endOutcome(invocationIn(status))).toBeUndefined();
});
