/** Indented JSON has the tokens of the given JSON, even those that a parser would change. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { prettyJson } from "../../../shared/api/wire/pretty-json.ts";

describe("prettyJson", () => {
  it.each([
    ['{"a":12345678901234.5678,"b":-0,"c":1E400}', '{\n  "a": 12345678901234.5678,\n  "b": -0,\n  "c": 1E400\n}'],
    ['{"a":1, "a" :2}', '{\n  "a": 1,\n  "a": 2\n}'],
    ['{"2":1,"1":2,"__proto__":3}', '{\n  "2": 1,\n  "1": 2,\n  "__proto__": 3\n}'],
    ["[9007199254740993,\r\n\t1.0]", "[\n  9007199254740993,\n  1.0\n]"],
    [String.raw`["\u00e4\"\\","{[,:]}"]`, String.raw`[` + "\n" + String.raw`  "\u00e4\"\\",` + '\n  "{[,:]}"\n]'],
    ['[[ ],{ },[{}],""]', '[\n  [],\n  {},\n  [\n    {}\n  ],\n  ""\n]'],
    [' "a" ', '"a"'],
    ["null", "null"],
  ])("of %s changes nothing but white space", (json, shown) => expect(prettyJson(json)).toBe(shown));

  it("formats as JSON.stringify does, if JSON.stringify would not change the value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value);
        fc.pre(json.length < 10_000);
        const written = JSON.stringify(JSON.parse(json), null, 2);
        expect(prettyJson(json)).toBe(written);
        expect(prettyJson(written)).toBe(written);
      }),
    );
  });

  it.each(["", "{", "{'a':1}", "[1,]", "text"])("leaves the text %j, which is no JSON", (text) =>
    expect(prettyJson(text)).toBe(text),
  );

  it("leaves values that are very deep or very long", () => {
    const deep = "[".repeat(10_000) + "]".repeat(10_000);
    const long = `[${"1,".repeat(3_000_000)}1]`;
    expect([prettyJson(deep) === deep, prettyJson(long) === long]).toEqual([true, true]);
  });
});
