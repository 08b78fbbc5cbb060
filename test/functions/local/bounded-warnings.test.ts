/** A flood of warnings writes a bounded number of lines and one line that counts the rest. No other line is omitted. */
import { expect, it } from "vitest";
import { BoundedWarnings, WARNINGS_MAX } from "../../../functions/local/bounded-log.ts";
import { RecordingLog } from "../../recording-log.ts";

it("a thousand failing calls in a second write twenty lines, and one line with the number of omitted lines", () => {
  const log = new RecordingLog();
  const bounded = new BoundedWarnings(log);
  for (let at = 0; at < 1_000; at++) bounded.write("attempt.failed", { attempt: at });
  expect(log.lines.map(({ fields }) => fields!["attempt"])).toEqual(
    Array.from({ length: WARNINGS_MAX }, (_, at) => at),
  );
  bounded.flush();
  expect(log.lines.slice(WARNINGS_MAX)).toEqual([
    { event: "warning.omitted", level: "warn", fields: { of: "attempt.failed", count: 1_000 - WARNINGS_MAX } },
  ]);
  bounded.write("attempt.failed", { attempt: 1_000 });
  expect(log.lines.at(-1)).toMatchObject({ event: "attempt.failed", fields: { attempt: 1_000 } });
  bounded.flush();
  expect(log.lines).toHaveLength(WARNINGS_MAX + 2);
});

it("an event in a flood hides no other event, and every line of audit, errors and information is written", () => {
  const log = new RecordingLog();
  const bounded = new BoundedWarnings(log);
  const all = [
    "attempt.failed",
    "attempt.stalled",
    "admin-call.answered",
    "admin-request.failed",
    "circuit.closed",
  ] as const;
  for (let at = 0; at < 50; at++) for (const event of all) bounded.write(event);
  bounded.flush();
  const lines = (event: string): number => log.lines.filter((line) => line.event === event).length;
  expect([...all, "warning.omitted"].map(lines)).toEqual([WARNINGS_MAX, WARNINGS_MAX, 50, 50, 50, 2]);
});

it("after a flood, the line that counts the omitted lines comes without a flush", async () => {
  const log = new RecordingLog();
  const bounded = new BoundedWarnings(log);
  for (let at = 0; at <= WARNINGS_MAX; at++) bounded.write("attempt.failed");
  await expect.poll(() => log.lines.at(-1)?.event).toBe("warning.omitted");
});
