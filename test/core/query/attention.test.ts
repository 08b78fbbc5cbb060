/** Tests which open invocations may need an operator, and which of them are shown. */
import { expect, test } from "vitest";
import { type AttentionKind, suspicionOf, worstFirst } from "../../../shared/core/query/attention.ts";
import type { Presented } from "../../../shared/core/query/status-words.ts";

const NOW_MS = 100 * 3_600_000;
const MINUTE_MS = 60_000;

test.each<[Presented, number, number, AttentionKind | undefined]>([
  ["paused", 0, 0, "paused"],
  ["backing-off", 1, -1, "failing"],
  ["backing-off", 60, 3, "overdue"],
  ["scheduled", 60, -60, undefined],
  ["scheduled", 60, 3, "overdue"],
  ["ready", 1, -10, undefined],
  ["ready", 3, -10, "overdue"],
  ["running", 0.5, 0, undefined],
  ["running", 2, 0, "silent"],
  ["suspended", 30, -10, undefined],
  ["suspended", 90, -10, "waiting"],
  ["suspended", 90, 3, "waiting"],
  ["suspended", 90, 16, "overdue"],
  ["pending", 90, 1, "waiting"],
  ["completed", 90, 90, undefined],
])("%s, accepted %d minutes ago and due %d minutes ago: %s", (status, ageMin, dueMin, kind) => {
  const entry = { status, createdAtMs: NOW_MS - ageMin * MINUTE_MS, lookAtMs: NOW_MS - dueMin * MINUTE_MS };
  expect(suspicionOf(entry, NOW_MS)).toBe(kind);
});

test.each<[Presented, AttentionKind | undefined]>([
  ["backing-off", "failing"],
  ["ready", "failing"],
  ["scheduled", "overdue"],
])("%s behind an open circuit, long after its moment: %s, because a driver puts it back each time", (status, kind) => {
  const entry = { status, createdAtMs: NOW_MS - 60 * MINUTE_MS, lookAtMs: NOW_MS - 5 * MINUTE_MS, isHeldBack: true };
  expect(suspicionOf(entry, NOW_MS)).toBe(kind);
});

const many = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);
const countsOf = (counts: Readonly<Partial<Record<AttentionKind, number>>>): Readonly<Record<string, number>> => {
  const found = new Map(Object.entries(counts).map(([kind, count]) => [kind as AttentionKind, many(count)] as const));
  return Object.fromEntries([...worstFirst(found, 12, 3)].map(([kind, chosen]) => [kind, chosen.length]));
};

test("each kind of trouble keeps a few places, and the worst kinds fill the rest", () => {
  expect(countsOf({ paused: 100, overdue: 1, waiting: 100 })).toEqual({
    paused: 8,
    failing: 0,
    overdue: 1,
    silent: 0,
    waiting: 3,
  });
  expect(countsOf({ paused: 2, failing: 20 })).toMatchObject({ paused: 2, failing: 10 });
});

test("if there are many of each kind, twelve are chosen", () => {
  const counts = countsOf({ paused: 9, failing: 9, overdue: 9, silent: 9, waiting: 9 });
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(12);
});
