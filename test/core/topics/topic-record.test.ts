/** Tests the request that a record becomes (key, input, headers, trace), and which records are bad. */
import { describe, expect, test } from "vitest";
import { subscriptionIdFromBytes } from "../../../shared/core/model/ids.ts";
import type { HandlerType } from "../../../shared/core/model/target.ts";
import {
  dueReset,
  isAccepted,
  isUntouched,
  movedTo,
  positionNow,
  resetAfter,
} from "../../../shared/core/topics/position.ts";
import {
  assertOwnOptions,
  badRecordPolicy,
  subscriptionStatus,
} from "../../../shared/core/topics/subscription-state.ts";
import { type TopicRecord, recordIdentity, requestOf } from "../../../shared/core/topics/topic-record.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const subscriptionId = subscriptionIdFromBytes(new Uint8Array(16));
const origin = { subscriptionId, topic: "orders", partition: 2 };
const LIMITS = { valueMaxBytes: 100 };
const TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

const record = (more: Partial<TopicRecord> = {}): TopicRecord => ({ offset: 7, headers: [], ...more });
const mapped = (more: Partial<TopicRecord>, type: HandlerType = "exclusive") =>
  requestOf(record(more), origin, type, LIMITS);

describe("a good record", () => {
  test("gives its value and its origin to the request, but not its own headers", () => {
    const more = {
      key: bytes("a?"),
      value: bytes("in"),
      timestampMs: 123,
      headers: [{ name: "secret", value: bytes("x") }],
    };
    expect(mapped(more)).toEqual({
      kind: "request",
      key: "a?",
      input: bytes("in"),
      headers: [
        { key: "kafka.offset", value: "7" },
        { key: "kafka.topic", value: "orders" },
        { key: "kafka.partition", value: "2" },
        { key: "kafka.timestamp", value: "123" },
        { key: "restate.subscription.id", value: subscriptionId },
        { key: "kafka.key", value: "YT8=" },
      ],
    });
  });

  test.each<[HandlerType, string | undefined]>([
    ["service", undefined],
    ["exclusive", ""],
    ["shared", ""],
    ["workflow", ""],
  ])("with a null key and a null value gives a handler of the type %s the key %j and no input", (type, key) => {
    const request = mapped({}, type);
    expect(request).toMatchObject({ kind: "request", input: new Uint8Array(0) });
    expect(request).toEqual(expect.objectContaining(key === undefined ? {} : { key }));
    expect("key" in request).toBe(key !== undefined);
  });

  test("for a plain service may have a key of any bytes", () => {
    const request = mapped({ key: new Uint8Array([0xff, 0xfe, 0xfd]) }, "service");
    expect(request).toMatchObject({ kind: "request" });
    expect(request.kind === "request" && request.headers.at(-1)).toEqual({ key: "kafka.key", value: "__79" });
  });

  test("keeps a byte order mark as part of its key", () => {
    expect(mapped({ key: bytes("\uFEFFa") })).toMatchObject({ key: "\uFEFFa" });
  });

  test.each([
    ["a valid", TRACE, TRACE],
    ["an invalid", "00-zz", undefined],
    ["a very long", `${TRACE}-${"a".repeat(300)}`, undefined],
  ])("with %s traceparent gives its request this traceparent only if it is valid", (_, value, expected) => {
    const request = mapped({ headers: [{ name: "TraceParent", value: bytes(value) }] });
    expect(request.kind === "request" && request.traceparent).toBe(expected);
  });
});

test.each<[string, Partial<TopicRecord>, HandlerType, string]>([
  ["a value beyond the limit", { value: new Uint8Array(101) }, "service", "value-too-large"],
  ["a key beyond the limit", { key: new Uint8Array(16_385) }, "service", "key-too-large"],
  ["a key that is not UTF-8, for an object", { key: new Uint8Array([0xc0]) }, "exclusive", "key-not-utf8"],
  ["a key that is not UTF-8, for a shared handler", { key: new Uint8Array([0xc0]) }, "shared", "key-not-utf8"],
  ["a key that is not UTF-8, for a workflow", { key: new Uint8Array([0xed, 0xa0, 0x80]) }, "workflow", "key-not-utf8"],
])("%s makes a record bad", (_, more, type, reason) => {
  expect(mapped(more, type)).toMatchObject({ kind: "bad", reason });
});

test("two records have one identity only if everything that names them is equal", () => {
  const texts = [
    recordIdentity(origin, { offset: 1 }, 0),
    recordIdentity(origin, { offset: 2 }, 0),
    recordIdentity(origin, { offset: 1 }, 1),
    recordIdentity(origin, { offset: 1, timestampMs: 5 }, 0),
    recordIdentity({ ...origin, partition: 1 }, { offset: 1 }, 0),
    recordIdentity({ ...origin, topic: "other" }, { offset: 1 }, 0),
    recordIdentity(
      { ...origin, subscriptionId: subscriptionIdFromBytes(new Uint8Array(16).fill(1)) },
      { offset: 1 },
      0,
    ),
  ].map((parts) => JSON.stringify(parts));
  expect(new Set(texts).size).toBe(texts.length);
});

describe("a position", () => {
  const stored = { resetNumber: 1, nextOffset: 10, writtenAtMs: 1_000, skipped: 2, topicId: "t1" };
  const now = { reset: undefined, partition: 0, topicId: "t1" };

  test("covers the records that have smaller offsets and are not younger than the position", () => {
    expect([
      isAccepted(stored, { offset: 9, timestampMs: 1_000 }),
      isAccepted(stored, { offset: 9 }),
      isAccepted(stored, { offset: 10, timestampMs: 900 }),
      isAccepted(stored, { offset: 9, timestampMs: 1_001 }),
    ]).toEqual([true, true, false, false]);
  });

  test("is valid only for its topic and its reset number", () => {
    const fresh = { nextOffset: 0, writtenAtMs: 0, skipped: 0, topicId: "t1" };
    const reset = { number: 2, to: { kind: "earliest" }, atMs: 0 } as const;
    expect(positionNow(stored, now)).toEqual(stored);
    expect(positionNow(undefined, now)).toEqual({ ...fresh, resetNumber: 0 });
    expect(positionNow(stored, { ...now, topicId: "t2" })).toEqual({ ...fresh, topicId: "t2", resetNumber: 1 });
    expect(positionNow(stored, { ...now, topicId: undefined })).toEqual(stored);
    expect(positionNow(stored, { ...now, reset })).toEqual({ ...fresh, resetNumber: 2 });
  });

  test("moves on to the end of each new batch, stays at a repeated batch, and moves back if the topic was created again", () => {
    const next = (end: number, firstNew?: number) => movedTo(stored, end, firstNew, 1);
    expect(next(12, 10)).toEqual({ ...stored, nextOffset: 12, skipped: 3 });
    expect([next(5).nextOffset, next(5, 3).nextOffset, next(10).nextOffset]).toEqual([10, 5, 10]);
  });

  test("knows which records no process has begun", () => {
    expect([isUntouched(stored, 9), isUntouched(stored, 10)]).toEqual([false, true]);
    const begun = { ...stored, begunTo: 15 };
    expect([isUntouched(begun, 14), isUntouched(begun, 15)]).toEqual([false, true]);
  });

  test("is moved once by each reset, and by a reset to offsets only if the offsets include its partition", () => {
    const to = { kind: "offsets", offsets: { "3": 5 } } as const;
    const reset = { number: 2, to, atMs: 0 };
    expect([
      dueReset(reset, 3, stored),
      dueReset(reset, 4, stored),
      dueReset(reset, 3, { resetNumber: 2 }),
      dueReset(reset, 3, undefined),
      dueReset(undefined, 3, undefined),
    ]).toEqual([reset, undefined, undefined, reset, undefined]);
  });

  test("applies a reset that a later one to offsets of other partitions follows", () => {
    const offsets = (named: Record<string, number>) => ({ kind: "offsets", offsets: named }) as const;
    const first = resetAfter(undefined, { kind: "latest" }, 1);
    const second = resetAfter(first, offsets({ "0": 8, "1": 3 }), 2);
    const third = resetAfter(second, offsets({ "1": 4 }), 3);
    const due = (partition: number, resetNumber: number) => {
      const one = dueReset(third, partition, { resetNumber });
      return one && [one.number, one.to];
    };
    expect([due(0, 0), due(1, 0), due(2, 0)]).toEqual([
      [2, offsets({ "0": 8 })],
      [3, offsets({ "1": 4 })],
      [1, { kind: "latest" }],
    ]);
    expect([due(0, 2), due(1, 2), due(2, 1)]).toEqual([undefined, [3, offsets({ "1": 4 })], undefined]);
  });

  test("forgets the resets whose partitions later ones name", () => {
    const named = (partition: string) => ({ kind: "offsets", offsets: { [partition]: 1 } }) as const;
    let reset = resetAfter(undefined, named("0"), 0);
    for (let n = 0; n < 9; n++) reset = resetAfter(reset, named(String(n % 3)), 0);
    expect(JSON.stringify(reset).match(/number/g)).toHaveLength(3);
    expect(resetAfter(reset, { kind: "earliest" }, 0)).not.toHaveProperty("former");
  });
});

test("the options of Stepwell are checked; those of the consumer are not", () => {
  expect(badRecordPolicy({})).toBe("pause");
  expect(badRecordPolicy({ "stepwell.bad-records": "skip" })).toBe("skip");
  expect(() => assertOwnOptions({ "stepwell.bad-records": "drop" })).toThrow(/META0009.*'pause' or 'skip'/);
  expect(() => assertOwnOptions({ "stepwell.else": "1" })).toThrow(/META0009.*no option 'stepwell.else'/);
  assertOwnOptions({ "auto.offset.reset": "earliest" });
});

test("a subscription counts as failing from its last error until a position moves", () => {
  const lastError = { atMs: 10, message: "down" };
  expect(subscriptionStatus({}, undefined)).toBe("consuming");
  expect(subscriptionStatus({ lastError }, undefined)).toBe("failing");
  expect(subscriptionStatus({ lastError }, 9)).toBe("failing");
  expect(subscriptionStatus({ lastError }, 11)).toBe("consuming");
  expect(subscriptionStatus({ lastError, pause: { reason: "order", atMs: 1 } }, 11)).toBe("paused");
});
