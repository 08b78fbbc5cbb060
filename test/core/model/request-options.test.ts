/** The options that a request sets by headers: what is allowed, and what the sender of another value reads. */
import { expect, test } from "vitest";
import {
  isOptionHeader,
  optionsIn,
  readOptions,
  REQUEST_OPTIONS,
  withoutOptions,
} from "../../../shared/core/model/request-options.ts";

const read = (headers: Readonly<Record<string, string>>) => readOptions((name) => headers[name]);

test("a request without options has none", () => {
  expect(read({ "content-type": "text/plain" })).toEqual({});
  expect(optionsIn([{ key: "content-type", value: "text/plain" }])).toEqual({});
});

test.each(Object.entries(REQUEST_OPTIONS))("the example of %s is allowed", (name, { header, example }) => {
  expect(read({ "x-stepwell-singleton": "k", [header]: example })).toHaveProperty(name);
});

test.each([
  ["0", 0],
  ["9", 9],
  [" 7 ", 7],
])("the priority %j is %i", (text, priority) => expect(read({ "x-stepwell-priority": text })).toEqual({ priority }));

test.each(["", "10", "-1", "5.5", "high", "0x1", "٣", "3, 4"])("the priority %j is refused with a sentence", (text) => {
  expect(read({ "x-stepwell-priority": text })).toBe(
    `bad header 'x-stepwell-priority': '${text}' is no whole number from 0 to 9, such as '7'`,
  );
});

test("a refusal shows the first sixty characters of a long value", () => {
  expect(read({ "x-stepwell-priority": "9".repeat(1_000) })).toContain(`'${"9".repeat(60)}…'`);
});

test("a command names its options in any case, and the first of several counts", () => {
  const headers = [
    { key: "a", value: "1" },
    { key: "X-Stepwell-Priority", value: "2" },
    { key: "x-stepwell-priority", value: "8" },
  ];
  expect(optionsIn(headers)).toEqual({ priority: 2 });
  expect(withoutOptions(headers)).toEqual([{ key: "a", value: "1" }]);
});

test("a header with the same beginning, which names no option, is no option", () => {
  for (const name of ["x-stepwell-", "x-stepwell-caller", "x-stepwell-priority-of-mine", "priority"])
    expect(isOptionHeader(name)).toBe(false);
});

test.each([
  [{ "x-stepwell-on-duplicate": "attach" }, "'x-stepwell-on-duplicate': it needs a key beside it"],
  [
    { "x-stepwell-debounce": "2s" },
    "'x-stepwell-debounce': it needs a key beside it, such as 'x-stepwell-singleton: invoice-7'",
  ],
  [
    { "x-stepwell-singleton": "k", "x-stepwell-debounce": "2s", "x-stepwell-on-duplicate": "refuse" },
    "it may only be 'replace', and not 'refuse'",
  ],
  [{ "x-stepwell-singleton": "k".repeat(257) }, "is no text of 1 to 256 characters, such as 'invoice-7'"],
  [{ "x-stepwell-singleton": "" }, "'' is no text of 1 to 256 characters"],
  [
    { "x-stepwell-singleton": "k", "x-stepwell-on-duplicate": "drop" },
    "'drop' is no word of 'attach', 'refuse' and 'replace', such as 'replace'",
  ],
  [{ "x-stepwell-singleton": "k", "x-stepwell-debounce": "31d" }, "'31d' is no duration from 1ms to 30d, such as '2s'"],
  [
    { "x-stepwell-end-within": "0s" },
    "'0s' is no duration from 1ms to 3650d (or 'inherit', in a call or send of a handler)",
  ],
])("%j is refused", (headers, why) => expect(read(headers)).toContain(why));
