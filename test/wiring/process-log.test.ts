/** The log in a terminal: one line for each entry, whatever control characters its values contain. */
import { expect, test } from "vitest";
import { prettyLine } from "../../shared/wiring/process-log.ts";

const line = (message: string, fields: object = {}): string =>
  prettyLine(JSON.stringify({ time: "2026-11-21T12:34:56.789Z", level: "warn", message, ...fields }));

test("time, level, message and fields are in one line", () => {
  expect(line(`a "quoted" C:\\path`, { uri: "http://a.example/", n: 1, text: "two words" })).toBe(
    `12:34:56.789 WARN  a "quoted" C:\\path uri=http://a.example/ n=1 text="two words"\n`,
  );
});

test("a command can be pasted, quotes included", () => {
  expect(line("A handler can be called", { command: `curl -d '"Ada"' http://a/`, n: 1 })).toBe(
    `12:34:56.789 WARN  A handler can be called: curl -d '"Ada"' http://a/ n=1\n`,
  );
});

test.each([
  ["line ends", "\r\n12:34:56.789 INFO  forged"],
  ["colours and cursors", "\u001b[2J\u001b]0;title\u0007"],
  ["8-bit control codes", "\u009b2J\u009d0;title\u009c"],
  ["characters that reverse text", "\u202egnp.exe\u2066"],
  ["other line ends", "\u2028\u2029\u0085"],
])("%s in foreign values are shown as escapes", (_what, words) => {
  const shown = [line("m", { words }), line(`m ${words}`), line("m", { list: [words] }), line("m", { command: words })];
  for (const one of shown) {
    expect(one).toMatch(/^12:34:56\.789 WARN  m[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*\n$/u);
    expect(one).toMatch(/\\[ur]/);
  }
});
