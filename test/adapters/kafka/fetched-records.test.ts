/** Batches of a fetch become records: offsets, timestamps, markers, and where the next fetch begins. */
import type { RecordsBatch } from "@platformatic/kafka";
import { expect, test } from "vitest";
import { fetchedRecords } from "../../../shared/adapters/kafka/fetched-records.ts";
import { plainReason } from "../../../shared/adapters/kafka/kafka-topics.ts";

const batch = (more: Partial<RecordsBatch>, count = 2): RecordsBatch => ({
  firstOffset: 10n,
  length: 0,
  partitionLeaderEpoch: 0,
  magic: 2,
  crc: 0,
  attributes: 0,
  lastOffsetDelta: count - 1,
  firstTimestamp: 100n,
  maxTimestamp: 999n,
  producerId: -1n,
  producerEpoch: -1,
  firstSequence: -1,
  records: Array.from({ length: count }, (_, at) => ({
    length: 20,
    attributes: 0,
    timestampDelta: BigInt(at),
    offsetDelta: at,
    key: at === 0 ? null : Buffer.from("k"),
    value: Buffer.from(`v${at}`),
    headers: [[Buffer.from("name"), null]] as [Buffer, null][],
  })),
  ...more,
});

test("records have their offsets, timestamps and bytes; a null key is no key", () => {
  const { records, nextOffset, sizeBytes } = fetchedRecords([batch({})], 10, []);
  expect([nextOffset, sizeBytes]).toEqual([12, 40]);
  expect(records).toEqual([
    { offset: 10, timestampMs: 100, value: Buffer.from("v0"), headers: [{ name: "name", value: new Uint8Array(0) }] },
    {
      offset: 11,
      timestampMs: 101,
      key: Buffer.from("k"),
      value: Buffer.from("v1"),
      headers: [{ name: "name", value: new Uint8Array(0) }],
    },
  ]);
});

test("if a batch has the broker's append time, each of its records has that time", () => {
  expect(fetchedRecords([batch({ attributes: 8 })], 10, []).records.map((one) => one.timestampMs)).toEqual([999, 999]);
});

test("records before the asked offset are left out", () => {
  expect(fetchedRecords([batch({})], 11, []).records.map(({ offset }) => offset)).toEqual([11]);
});

test("transaction markers give no record; the next fetch begins after a batch even if compaction removed its end", () => {
  const marker = batch({ firstOffset: 12n, attributes: 32 }, 1);
  const compacted = batch({ firstOffset: 13n, lastOffsetDelta: 9 }, 1);
  const { records, nextOffset } = fetchedRecords([batch({}), marker, compacted], 10, []);
  expect(records.map(({ offset }) => offset)).toEqual([10, 11, 13]);
  expect(nextOffset).toBe(23);
  expect(fetchedRecords([], 10, [])).toEqual({ records: [], nextOffset: 10, sizeBytes: 0 });
});

test("the reason of a failure names its causes once, in one bounded line", () => {
  const cause = new Error("connect ECONNREFUSED");
  const error = new AggregateError([new Error("a", { cause }), new Error("b", { cause })], "cannot connect\nmore");
  expect(plainReason(error)).toBe("cannot connect; connect ECONNREFUSED");
  expect(plainReason(new Error("x".repeat(1_000)))).toHaveLength(500);
});
