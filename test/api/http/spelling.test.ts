/** Tests that needless escapes in a path are found, and that the escapes which clients write are accepted. */
import { expect, test } from "vitest";
import { needlessEscape } from "../../../shared/api/http/spelling.ts";

const EVERY = Array.from({ length: 256 }, (_, code) => code);
const escapeOf = (code: number): string => `%${code.toString(16).padStart(2, "0")}`;

test("only escapes of ASCII letters and digits are needless, whether the escape is in upper or lower case", () => {
  const needless = EVERY.filter((code) => /[a-z0-9]/i.test(String.fromCharCode(code)) && code < 128);
  expect(needless).toHaveLength(62);
  for (const escape of [escapeOf, (code: number) => escapeOf(code).toUpperCase()]) {
    expect(EVERY.filter((code) => needlessEscape(`a${escape(code)}b`) !== undefined)).toEqual(needless);
  }
});

test("the escapes that clients write for any key are accepted", () => {
  const key = EVERY.map((code) => String.fromCharCode(code)).join("");
  expect(needlessEscape(encodeURIComponent(key))).toBeUndefined();
  // Java's `URLEncoder` writes a space as a plus, and another encoder escapes all characters but letters and digits.
  expect(needlessEscape("a%2Fb+c%7E%2A%5F%2D%2E")).toBeUndefined();
  expect(needlessEscape(encodeURIComponent("%41%42"))).toBeUndefined();
});
