/** Tests the log's lines as they are written. */
import { expect, test } from "vitest";
import { PinoLog } from "../../../shared/adapters/system/pino-log.ts";
import type { PinoLogOptions } from "../../../shared/adapters/system/pino-log.ts";

function written(options: PinoLogOptions, tell: (log: PinoLog) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  tell(new PinoLog({ ...options, destination: { write: (line: string) => lines.push(line) } }));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("a line is one JSON object with level, time, message and exactly the given fields", () => {
  const [line, ...more] = written({}, (log) =>
    log.warn("lease lost", { invocation: "inv_1", attempt: 3, gone: undefined }),
  );
  expect(more).toEqual([]);
  const { time, ...rest } = line ?? {};
  expect(new Date(String(time)).toISOString()).toBe(time);
  expect(rest).toEqual({ level: "warn", message: "lease lost", invocation: "inv_1", attempt: 3 });
});

test("lines below the level are dropped", () => {
  const tell = (log: PinoLog): void => {
    log.debug("d");
    log.info("i");
    log.warn("w");
    log.error("e");
  };
  expect(written({ level: "warn" }, tell).map((line) => line["message"])).toEqual(["w", "e"]);
  expect(written({}, tell).map((line) => line["message"])).toEqual(["i", "w", "e"]);
  expect(written({ level: "silent" }, tell)).toEqual([]);
});

test("no level silences the audit lines of operators", () => {
  const tell = (log: PinoLog): void => {
    log.audit("admin call", { caller: "ada" });
    log.error("e");
  };
  for (const level of ["warn", "error", "silent"] as const) {
    const [line] = written({ level, fieldsNow: () => ({ requestId: "r1" }) }, tell);
    expect(line).toMatchObject({ level: "audit", message: "admin call", caller: "ada", requestId: "r1" });
  }
  expect(written({ level: "silent" }, tell)).toHaveLength(1);
});

test("configured fields are in every line", () => {
  const lines = written({ fields: { room: "worker" } }, (log) => log.info("x", { n: 1 }));
  expect(lines[0]).toMatchObject({ room: "worker", n: 1, message: "x" });
});

test("current fields are read for each line, and do not leak into another", () => {
  let event: { readonly requestId?: string } = {};
  const lines = written({ fieldsNow: () => event }, (log) => {
    log.info("before", { n: 1 });
    event = { requestId: "r1" };
    log.info("first", { n: 2, only: "here" });
    log.info("second");
  });
  expect(lines.map(({ time: _time, level: _level, ...rest }) => rest)).toEqual([
    { message: "before", n: 1 },
    { message: "first", n: 2, only: "here", requestId: "r1" },
    { message: "second", requestId: "r1" },
  ]);
});

test("a field named like one of the log's own does not replace it", () => {
  const [line] = written({}, (log) => log.error("real", { message: "fake", level: "fake" }));
  expect(line).toMatchObject({ message: "real", level: "error", message_: "fake", level_: "fake" });
});

test("a message with percent signs and newlines stays unchanged, on one line", () => {
  const [line] = written({}, (log) => log.info("100%s %d\n%j", {}));
  expect(line?.["message"]).toBe("100%s %d\n%j");
});

test("a destination that throws does not reach the caller", () => {
  const log = new PinoLog({
    destination: {
      write() {
        throw new Error("disk full");
      },
    },
  });
  expect(() => log.info("x")).not.toThrow();
});
