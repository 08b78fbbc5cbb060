/** Tests the table of filters, and how moments and ages are read. */
import { expect, test } from "vitest";
import { LIST_FILTERS, momentMsOf } from "../../../shared/api/wire/list-filters.ts";
import { TABLE_SHAPES } from "../../../shared/core/query/table-shapes.ts";

const NOW_MS = Date.UTC(2026, 10, 24, 13, 0, 0);

test.each([
  ["2026-11-24T12:00:00Z", -3_600_000],
  ["2026-11-24T14:30:00.500+01:30", 500],
  ["30s", -30_000],
  ["7d", -7 * 86_400_000],
  ["1w", undefined],
  ["yesterday", undefined],
  ["2026-13-99T99:99Z", undefined],
])("%s is %s ms from now", (text, fromNowMs) => {
  expect(momentMsOf(text, NOW_MS)).toBe(fromNowMs === undefined ? undefined : NOW_MS + fromNowMs);
});

test("each column of a filter is a column of sys_invocation", () => {
  const { columns } = TABLE_SHAPES.find(({ name }) => name === "sys_invocation")!;
  const names = columns.map(({ name }) => name);
  expect(LIST_FILTERS.flatMap(({ column }) => column ?? []).filter((column) => !names.includes(column))).toEqual([]);
});
