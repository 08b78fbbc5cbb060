import { expect, test } from "vitest";
import { limitKeyParts, parseLimitKey, parseScope } from "../../../shared/core/model/scope.ts";

test.each(["a", "Tenant-1_x.y", "0".repeat(36)])("%s is a scope", (text) => {
  expect(parseScope(text)).toBe(text);
});

test.each(["", "0".repeat(37), "a/b", "a b", "ä", "a@b", "a#b", "a\n"])("%j is no scope", (text) => {
  expect(parseScope(text)).toBeUndefined();
});

test.each([
  ["a", ["a"]],
  ["a/b.c", ["a", "b.c"]],
  [`${"0".repeat(36)}/${"1".repeat(36)}`, ["0".repeat(36), "1".repeat(36)]],
])("the limit key %s has the parts %j", (text, parts) => {
  expect(limitKeyParts(parseLimitKey(text)!)).toEqual(parts);
});

test("one slash at the end of a limit key is dropped", () => {
  expect([parseLimitKey("a/"), parseLimitKey("a/b/")]).toEqual(["a", "a/b"]);
});

test.each(["", "/", "a//", "/a", "a/b/c", `${"0".repeat(37)}/a`, "a b", "a\n"])("%j is no limit key", (text) => {
  expect(parseLimitKey(text)).toBeUndefined();
});
