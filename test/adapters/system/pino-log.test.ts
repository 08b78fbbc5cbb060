/** Tests the log's lines as they are written. */
import { expect, test } from "vitest";
import { PinoLog, type PinoLogOptions } from "../../../shared/adapters/system/pino-log.ts";
import { LOG_EVENT_NAMES, LOG_EVENTS } from "../../../shared/engine/ports/log-events.ts";

const INFO = "process.started";
const WARN = "lease.renewal-failed";
const ERROR = "queue.read-failed";

function written(options: PinoLogOptions, tell: (log: PinoLog) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  tell(new PinoLog({ ...options, destination: { write: (line: string) => lines.push(line) } }));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("a line is one JSON object with level, time, event, message and exactly the given fields", () => {
  const [line, ...more] = written({}, (log) =>
    log.write("lease.renewal-failed", { invocation: "inv_1", attempt: 3, gone: undefined }),
  );
  expect(more).toEqual([]);
  const { time, ...rest } = line ?? {};
  expect(new Date(String(time)).toISOString()).toBe(time);
  expect(rest).toEqual({
    level: "warn",
    event: "lease.renewal-failed",
    message: "A lease could not be renewed",
    invocation: "inv_1",
    attempt: 3,
  });
});

test("lines below the level are dropped", () => {
  const tell = (log: PinoLog): void => {
    log.write(INFO);
    log.write(WARN);
    log.write(ERROR);
  };
  const events = (options: PinoLogOptions) => written(options, tell).map((line) => line["event"]);
  expect(events({ level: "error" })).toEqual([ERROR]);
  expect(events({ level: "warn" })).toEqual([WARN, ERROR]);
  expect(events({})).toEqual([INFO, WARN, ERROR]);
  expect(events({ level: "debug" })).toEqual([INFO, WARN, ERROR]);
  expect(written({ level: "silent" }, tell)).toEqual([]);
});

test("no level silences the audit lines of operators", () => {
  const tell = (log: PinoLog): void => {
    log.write("admin-call.answered", { caller: "ada" });
    log.write(ERROR);
  };
  for (const level of ["warn", "error", "silent"] as const) {
    const [line] = written({ level, fieldsNow: () => ({ requestId: "r1" }) }, tell);
    expect(line).toMatchObject({ level: "audit", event: "admin-call.answered", caller: "ada", requestId: "r1" });
  }
  expect(written({ level: "silent" }, tell)).toHaveLength(1);
});

test("configured fields are in every line", () => {
  const lines = written({ fields: { room: "worker" } }, (log) => log.write(INFO, { n: 1 }));
  expect(lines[0]).toMatchObject({ room: "worker", n: 1, event: INFO });
});

test("the current fields are read for each line, and no field of one line leaks into another line", () => {
  let event: { readonly requestId?: string } = {};
  const lines = written({ fieldsNow: () => event }, (log) => {
    log.write("process.started", { n: 1 });
    event = { requestId: "r1" };
    log.write("wake.received", { n: 2, only: "here" });
    log.write("process.stopped");
  });
  expect(lines.map(({ time: _time, level: _level, message: _message, ...rest }) => rest)).toEqual([
    { event: "process.started", n: 1 },
    { event: "wake.received", n: 2, only: "here", requestId: "r1" },
    { event: "process.stopped", requestId: "r1" },
  ]);
});

test("a field with the name of one of the log's own fields does not replace that field", () => {
  const [line] = written({}, (log) => log.write(ERROR, { message: "fake", level: "fake", event: "fake" }));
  expect(line).toMatchObject({ level: "error", event: ERROR, message: "The queue could not be read" });
  expect(line).toMatchObject({ message_: "fake", level_: "fake", event_: "fake" });
});

test("a value with percent signs and newlines stays unchanged, on one line", () => {
  const [line, ...more] = written({}, (log) => log.write(INFO, { reason: "100%s %d\n%j" }));
  expect([line?.["reason"], more]).toEqual(["100%s %d\n%j", []]);
});

test("each event is written with its level and its message from `LOG_EVENTS`", () => {
  const lines = written({}, (log) => LOG_EVENT_NAMES.forEach((event) => log.write(event)));
  expect(lines.map(({ time: _time, ...rest }) => rest)).toEqual(
    LOG_EVENT_NAMES.map((event) => ({
      level: LOG_EVENTS[event].level,
      event,
      message: LOG_EVENTS[event].message,
    })),
  );
});

test("an error that the destination throws does not reach the caller", () => {
  const log = new PinoLog({
    destination: {
      write() {
        throw new Error("disk full");
      },
    },
  });
  expect(() => log.write(INFO)).not.toThrow();
});
