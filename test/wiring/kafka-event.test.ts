/** Tests how events of Kafka become batches of records. */
import { expect, test } from "vitest";
import { partitionsOf } from "../../shared/wiring/deliver-records.ts";
import { eventRecord, kafkaEvent } from "../functions/topics/recorded-event.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("records are grouped by partition, in the order of their offsets", () => {
  const event = kafkaEvent(eventRecord(1, 8, "b", "2"), eventRecord(0, 3, "a", "1"), eventRecord(1, 7, "b", "1"));
  const partitions = partitionsOf(event).map(({ partition, records }) => [
    partition,
    records.map(({ offset }) => offset),
  ]);
  expect(partitions).toEqual([
    [1, [7, 8]],
    [0, [3]],
  ]);
});

test("a record has its timestamp as a number, and its key, value and header values as bytes", () => {
  const [first] = partitionsOf(kafkaEvent(eventRecord(0, 15, "recordKey", "Hello 😀")));
  expect(first!.records).toEqual([
    {
      offset: 15,
      timestampMs: 1_545_084_650_987,
      key: bytes("recordKey"),
      value: bytes("Hello 😀"),
      headers: [{ name: "headerKey", value: Uint8Array.of(104, 101, 97, 100, 101, 114, 255) }],
    },
  ]);
});

test("a record with a null key, a null value and the timestamp -1 of an old Kafka version has none of the three", () => {
  const bare = { topic: "orders", partition: 0, offset: 1, timestamp: -1, key: null, value: null };
  expect(partitionsOf(kafkaEvent(bare))[0]!.records).toEqual([{ offset: 1, headers: [] }]);
});

test("an event without records has no batch", () => {
  expect(partitionsOf({ eventSource: "aws:kafka", records: { "orders-0": [] } })).toEqual([]);
});
