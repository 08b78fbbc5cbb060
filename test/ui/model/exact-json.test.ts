/** Tests that JSON keeps all digits of its numbers when it is read and written. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ExactNumber, numberOf, parseExact, stringifyExact } from "../../../ui/model/exact-json.ts";

test("an integer beyond 2^53 keeps its digits", () => {
  const parsed = parseExact('{"rows":[{"partition_key":16809740010480572976,"n":1}]}') as {
    rows: { partition_key: ExactNumber; n: number }[];
  };
  expect(parsed.rows[0]!.partition_key.text).toBe("16809740010480572976");
  expect(parsed.rows[0]!.n).toBe(1);
});

test("digits within a text are no number, whatever characters surround them", () => {
  for (const text of ["12345678901234567890", '"12345678901234567890', "\\12345678901234567890", "\ue000", "\\ue000"]) {
    const json = JSON.stringify([text, 1]).replace("1]", "12345678901234567890]");
    expect((parseExact(json) as unknown[])[0]).toBe(text);
  }
});

test("a text that is no JSON is refused as by JSON.parse", () => {
  for (const text of ["", "12345678901234567890-", "[12345678901234567890", "01234567890123456"]) {
    expect(() => parseExact(text)).toThrow(SyntaxError);
  }
});

test("a number becomes a double if the double has the same text, and otherwise an ExactNumber", () => {
  expect(numberOf("1.5")).toBe(1.5);
  expect(numberOf("9007199254740993")).toEqual(new ExactNumber("9007199254740993"));
});

test("any JSON comes back as it was", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.bigInt(), (value, big) => {
      const json = JSON.stringify([value, 0]).replace(/0\]$/, `${big}]`);
      const written = stringifyExact(parseExact(json));
      expect(written).toContain(String(big));
      expect(JSON.parse(written)).toEqual(JSON.parse(json));
    }),
  );
});
