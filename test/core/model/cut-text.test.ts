/** Tests how texts are cut to a number of bytes. */
import { expect, test } from "vitest";
import { cutToBytes } from "../../../shared/core/model/attempt-failure.ts";

test.each([
  ["a text that is short", "abc", 9, "abc"],
  ["a text that just fits", "abcdef", 6, "abcdef"],
  ["a text of wide characters that just fits", "éé€", 7, "éé€"],
  ["a longer text", "abcdefg", 6, "abc…"],
  ["a wide character over the cut", "ab€€", 6, "ab…"],
  ["a surrogate pair over the cut", "ab😀😀", 8, "ab…"],
  ["a text where only the ellipsis fits", "abcd", 3, "…"],
])("%s gives whole characters within the limit of bytes", (_what, text, maxBytes, cut) => {
  expect(cutToBytes(text, maxBytes)).toBe(cut);
  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes);
  expect(cutToBytes(cut, maxBytes)).toBe(cut);
});
