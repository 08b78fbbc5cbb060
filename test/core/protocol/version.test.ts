/** Tests the choice of the protocol version, and its content type. */
import { expect, test } from "vitest";
import { invocationContentType, negotiate, versionOfContentType } from "../../../shared/core/protocol/version.ts";

test.each([
  [5, 5, 5],
  [5, 7, 7],
  [6, 6, 6],
  [7, 7, 7],
  [1, 5, 5],
  [1, 6, 6],
  [5, 99, 7],
  [7, 12, 7],
  [1, 4, undefined],
  [8, 9, undefined],
])("a deployment with the versions %i to %i gets version %s", (min, max, version) => {
  expect(negotiate({ min, max })).toBe(version);
});

test("a content type names its version, and any other text names none", () => {
  expect(invocationContentType(6)).toBe("application/vnd.restate.invocation.v6");
  expect(versionOfContentType("application/vnd.restate.invocation.v7")).toBe(7);
  expect(versionOfContentType("application/vnd.restate.invocation.v12")).toBe(12);
  for (const other of [
    "",
    "application/json",
    "application/vnd.restate.invocation.v6; charset=utf-8",
    "xapplication/vnd.restate.invocation.v6",
  ]) {
    expect(versionOfContentType(other)).toBeUndefined();
  }
});
