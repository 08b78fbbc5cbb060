/** The bytes by which a journal may grow in one attempt, for journals of different sizes. */
import { expect, test } from "vitest";
import type { Arrival } from "../../../shared/core/invocation/event.ts";
import type { Entry } from "../../../shared/core/invocation/entry.ts";
import { EMPTY_JOURNAL } from "../../../shared/core/invocation/journal.ts";
import { replyLeftBytes, replyMaxBytes } from "../../../shared/engine/attempt/reply-reader.ts";
import { newBulkheads } from "../../../shared/engine/bulkheads/bulkheads.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import type { ActiveInvocation } from "../../../shared/engine/local/active-invocation.ts";
import { Inbox } from "../../../shared/engine/local/inbox.ts";
import { SystemClock } from "../../../shared/adapters/system/clock.ts";

const MIB = 1024 * 1024;

/** An invocation with a journal of `sizeBytes` bytes. @param arrivedBytes the size of a fresh arrival */
function active(sizeBytes: number, arrivedBytes = 0): ActiveInvocation {
  const entries = [{ frame: new Uint8Array(sizeBytes) }] as unknown as readonly Entry[];
  const entry = { frame: new Uint8Array(arrivedBytes) };
  const arrival = { kind: "notification", atMs: 0, consumption: { key: "c1", entry, inline: false } };
  const inbox = new Inbox(new Map([["c1", arrival as unknown as Arrival]]));
  return { invocation: { journal: { ...EMPTY_JOURNAL, entries } }, inbox } as unknown as ActiveInvocation;
}

function engine(limits: Parameters<typeof newBulkheads>[1]): Engine {
  return { bulkheads: newBulkheads(new SystemClock(), limits) } as unknown as Engine;
}

test.each([
  ["a small journal", 0, 128 * MIB],
  ["a journal near its limit", 100 * MIB, 28 * MIB],
  ["a full journal, whose handler may still end with a small reply", 130 * MIB, 64 * 1024],
  ["a journal that has also used up its extra room for small replies", 150 * MIB, 0],
])("%s: at %i bytes it may grow by %i bytes", (_what, sizeBytes, leftBytes) => {
  expect(replyLeftBytes(engine({ journalsMaxBytes: 16 * MIB }), active(sizeBytes))).toBe(leftBytes);
});

test("the limit of a journal grows with the budget of all journals", () => {
  expect(replyLeftBytes(engine({ journalsMaxBytes: 128 * MIB }), active(0))).toBe(256 * MIB);
});

test("the journal may grow by fewer bytes if there are arrivals, because the segment of the reply may list them", () => {
  expect(replyLeftBytes(engine({ journalsMaxBytes: 16 * MIB }), active(60 * MIB, 40 * MIB))).toBe(28 * MIB);
});

test("a reply and the answers to its reads of state or promises are limited by the budget of replies and by the journal", () => {
  const narrow = engine({ repliesMaxBytes: 8 * MIB });
  expect([replyMaxBytes(narrow, active(0)), replyMaxBytes(narrow, active(130 * MIB))]).toEqual([16 * MIB, 64 * 1024]);
});
