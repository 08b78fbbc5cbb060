/** Tests how the web UI writes durations, moments, sizes, payloads and text from outside, such as names of services. */
import { expect, test } from "vitest";
import { payloadLabel, shownBytes, shownText } from "../../../ui/model/payload-text.ts";
import { sizeText } from "../../../ui/model/size-text.ts";
import { ageText, durationText, momentOf, momentText, zoneText } from "../../../ui/model/time-text.ts";
import { shortened, visibleLine, visibleText } from "../../../ui/model/visible-text.ts";

test.each([
  [0, "0 ms"],
  [380, "380 ms"],
  [1_240, "1.24 s"],
  [2_000, "2 s"],
  [12_340, "12.3 s"],
  [60_000, "1 m"],
  [8_040_000, "2 h 14 m"],
  [90_000_000, "1 d 1 h"],
  [-1_500, "-1.5 s"],
])("a duration of %i ms is written as %s", (ms, text) => expect(durationText(ms)).toBe(text));

test("an age has one unit, and the text for a future moment begins with `in`", () => {
  expect(ageText(0, 500)).toBe("now");
  expect(ageText(0, 185_000)).toBe("3 m ago");
  expect(ageText(12_900, 0)).toBe("in 12 s");
});

test("a moment is written with its year only if the present year is another", () => {
  const at = Date.UTC(2026, 10, 22, 14, 3, 7, 123);
  expect(momentText(at, at, true)).toBe("11-22 14:03:07.123");
  expect(momentText(at, Date.UTC(2027, 0, 1), true)).toBe("2026-11-22 14:03:07.123");
  expect(zoneText(at, true)).toBe("UTC");
  expect(momentOf("no moment")).toBeUndefined();
});

test.each([
  [312, "312 B"],
  [4_300, "4.2 KB"],
  [31 * 1_024 * 1_024, "31 MB"],
])("%i bytes are written as %s", (bytes, text) => expect(sizeText(bytes)).toBe(text));

test("characters that cannot be seen or turn the direction of writing become escapes", () => {
  expect(visibleText("a\u0000b\u202ec\u200bd\ne")).toBe("a\\u{0}b\\u{202e}c\\u{200b}d\ne");
  expect(visibleLine("a\nb\tc")).toBe("a\\nb\\tc");
});

test("a long text loses its middle, and a pair of surrogates stays whole", () => {
  expect(shortened("abcdefghij", 5)).toBe("ab…ij");
  expect(shortened("short", 5)).toBe("short");
  expect(shortened("😀".repeat(100), 5)).toBe("😀😀…😀😀");
});

test("JSON is indented with each number as it came, and other texts stay", () => {
  expect(shownText('{"a":12345678901234567890,"b":[]}')).toEqual({
    kind: "json",
    text: '{\n  "a": 12345678901234567890,\n  "b": []\n}',
  });
  expect(shownText("not json").kind).toBe("text");
  expect(shownText("").kind).toBe("empty");
});

test("the beginning of JSON is indented and labelled as cut JSON", () => {
  expect(shownText('{"a":[1,2],"b":"x \\" y', true)).toEqual({
    kind: "json",
    text: '{\n  "a": [\n    1,\n    2\n  ],\n  "b": "x \\" y',
  });
  for (const text of ["[", '{"a', "[1,tru", '[{"b":-1.5e'])
    expect([text, shownText(text, true).kind]).toEqual([text, "json"]);
  for (const text of ["plain", "{a: 1}", "[1}, 2", "{} and more", "[oops, 1"])
    expect([text, shownText(text, true).kind]).toEqual([text, "text"]);
  expect(payloadLabel("json", { here: 16_384, bytes: 1_048_576, isCut: true })).toBe(
    "JSON, cut: the first 16 KB of 1 MB",
  );
  expect(payloadLabel("json", { here: 20, bytes: 20, isCut: false })).toBe("JSON · 20 B");
  expect(payloadLabel("empty", { here: 0, bytes: 1_048_576, isCut: true })).toBe("too large to show: 1 MB");
});

test("JSON that is too large to be indented is still labelled as JSON", () => {
  expect(shownText(`["${"x".repeat(300_000)}"]`).kind).toBe("json");
});

test("bytes that are not UTF-8 are shown in hexadecimal", () => {
  expect(shownBytes(Uint8Array.of(0xff, 0x00))).toEqual({ kind: "binary", text: "ff 00" });
});
