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
  expect(read({ [header]: example })).toHaveProperty(name);
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
