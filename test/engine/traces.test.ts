/** A Lambda function exports its spans before it replies, because Lambda freezes the process of the function after the reply. */
import { expect, test } from "vitest";
import { ActiveInvocations } from "../../shared/engine/local/active-invocations.ts";
import type { Span } from "../../shared/engine/ports/tracer.ts";
import { withinTime } from "../../shared/engine/consume/time-budget.ts";
import { SteppedClock } from "../stepped-clock.ts";

const SPAN: Span = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  kind: "server",
  name: "ingress S/h",
  startedAtMs: 1,
  endedAtMs: 2,
  attributes: {},
};

test.each([
  ["an event that succeeds", () => Promise.resolve("done"), "done"],
  ["an event that fails", () => Promise.reject(new Error("boom")), "boom"],
])("the spans of %s are sent before the reply, within a bounded time", async (_what, work, outcome) => {
  const clock = new SteppedClock();
  const seen: (string | number)[] = [];
  const tracer = {
    record: (span: Span) => void seen.push(span.name),
    flush: async (waitMaxMs: number) => {
      await Promise.resolve();
      seen.push(waitMaxMs);
    },
  };
  const answered = withinTime(
    { clock, activeInvocations: new ActiveInvocations(clock, "p"), tracer },
    clock.nowMs() + 60_000,
    () => {
      tracer.record(SPAN);
      return work();
    },
  );
  expect(await answered.catch((error: Error) => error.message)).toBe(outcome);
  expect(seen).toEqual([SPAN.name, 500]);
});
