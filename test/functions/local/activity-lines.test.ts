/** Tests the lines about invocations that end: one for each, one that counts the rest of a flood, and cuts of long texts. */
import { expect, it } from "vitest";
import { ActivityLines, LINES_MAX } from "../../../functions/local/bounded-log.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { RecordingLog } from "../../recording-log.ts";

const ID = "inv_1" as InvocationId;
const END = {
  id: ID,
  target: { service: "S", handler: "h", key: "secret" },
  outcome: "succeeded",
  durationMs: 12,
} as const;

it("a line has the target without its key, the outcome, the duration and the id", () => {
  const log = new RecordingLog();
  const lines = new ActivityLines(log);
  lines.ended(END);
  lines.ended({ ...END, outcome: "failed", reason: "no" });
  lines.flush();
  const fields = { target: "S/h", outcome: "succeeded", durationMs: 12, invocationId: ID };
  expect(log.lines).toEqual([
    { event: "invocation.ended", level: "info", fields },
    { event: "invocation.ended", level: "info", fields: { ...fields, outcome: "failed", reason: "no" } },
  ]);
});

it("a flood becomes a bounded number of lines, and one line that counts the others", () => {
  const log = new RecordingLog();
  const lines = new ActivityLines(log);
  for (let ended = 0; ended < 1_000; ended++)
    lines.ended({ ...END, outcome: ended % 10 === 0 ? "failed" : "succeeded" });
  expect(log.lines).toHaveLength(LINES_MAX);
  lines.flush();
  expect(log.lines.slice(LINES_MAX)).toMatchObject([
    { event: "invocation.omitted", fields: { count: 1_000 - LINES_MAX, notSucceeded: 98 } },
  ]);
  lines.ended(END);
  lines.flush();
  expect(log.lines).toHaveLength(LINES_MAX + 2);
});

it("after a flood, the line that counts the omitted lines comes without a flush", async () => {
  const log = new RecordingLog();
  const lines = new ActivityLines(log);
  for (let ended = 0; ended <= LINES_MAX; ended++) lines.ended(END);
  await expect.poll(() => log.lines.at(-1)?.event).toBe("invocation.omitted");
});

it("long texts are cut", () => {
  const log = new RecordingLog();
  const long = "x".repeat(100_000);
  new ActivityLines(log).ended({ ...END, target: { service: long, handler: long }, outcome: "failed", reason: long });
  expect(JSON.stringify(log.lines).length).toBeLessThan(1_000);
});
