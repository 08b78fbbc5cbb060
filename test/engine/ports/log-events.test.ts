/** Tests that the names of log events are well formed, and that each event is used. */
import { expect, test } from "vitest";
import {
  LOG_EVENT_NAMES,
  LOG_EVENTS,
  type LogEvent,
  type LogEventEntry,
} from "../../../shared/engine/ports/log-events.ts";
import { readSourceTree, ROOT } from "../../architecture/source-tree.ts";

test.each(LOG_EVENT_NAMES.map((name) => [name, LOG_EVENTS[name] as LogEventEntry] as const))(
  "%s has the form `noun.verb`, and its message reads as a sentence",
  (name, { message, remedy }) => {
    expect(name).toMatch(/^[a-z-]+\.[a-z-]+$/);
    expect(message).toMatch(/^[A-Z][^%\n]*[^.]$/);
    if (remedy !== undefined) expect(remedy).toMatch(/^[A-Z].*\.$/);
  },
);

test("warnings and errors have a remedy", () => {
  const without = LOG_EVENT_NAMES.filter((name) => {
    const { level, remedy }: LogEventEntry = LOG_EVENTS[name];
    return (level === "warn" || level === "error") && remedy === undefined;
  });
  expect(without).toEqual([]);
});

test("each event is used in shared or functions", () => {
  const sources = [...readSourceTree(ROOT)]
    .filter(([path]) => /^(shared|functions)\//.test(path) && path !== "shared/engine/ports/log-events.ts")
    .map(([, text]) => text);
  expect(LOG_EVENT_NAMES.filter((name) => !sources.some((text) => text.includes(`"${name}"`)))).toEqual([]);
});

test("a name outside of the table does not compile", () => {
  // @ts-expect-error The table has no such name.
  const unknown: LogEvent = "attempt.forgotten";
  expect(LOG_EVENT_NAMES).not.toContain(unknown);
});
