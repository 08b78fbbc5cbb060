/** One path, one spelling: an escape that no client writes is found, and those that clients write are not. */
import { expect, test } from "vitest";
import { needlessEscape } from "../../../shared/api/http/spelling.ts";

const EVERY = Array.from({ length: 256 }, (_, code) => code);
const escapeOf = (code: number): string => `%${code.toString(16).padStart(2, "0")}`;

test("of all escapes those of ASCII letters and digits are needless, in either case of their own letters", () => {
  const needless = EVERY.filter((code) => /[a-z0-9]/i.test(String.fromCharCode(code)) && code < 128);
  expect(needless).toHaveLength(62);
  for (const escape of [escapeOf, (code: number) => escapeOf(code).toUpperCase()]) {
    expect(EVERY.filter((code) => needlessEscape(`a${escape(code)}b`) !== undefined)).toEqual(needless);
  }
});

test("what clients write of any key is taken", () => {
  const key = EVERY.map((code) => String.fromCharCode(code)).join("");
  expect(needlessEscape(encodeURIComponent(key))).toBeUndefined();
  // `URLEncoder` of Java, where a space is a plus, and what encodes all but letters and digits.
  expect(needlessEscape("a%2Fb+c%7E%2A%5F%2D%2E")).toBeUndefined();
  expect(needlessEscape(encodeURIComponent("%41%42"))).toBeUndefined();
});
