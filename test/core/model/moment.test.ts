/** Tests moments as texts, for any number that a handler may send. */
import { expect, test } from "vitest";
import { momentIso } from "../../../shared/core/model/moment.ts";

test.each([
  [0, "1970-01-01T00:00:00.000Z"],
  [1_700_000_000_123.9, "2023-11-14T22:13:20.123Z"],
  [253_402_300_799_999, "9999-12-31T23:59:59.999Z"],
  [9e15, "9999-12-31T23:59:59.999Z"],
  [Number.MAX_SAFE_INTEGER, "9999-12-31T23:59:59.999Z"],
  [-5, "1970-01-01T00:00:00.000Z"],
])("%d is shown as %s", (atMs, text) => {
  expect(momentIso(atMs)).toBe(text);
});
