/** Turns an event in which Lambda delivers records of Kafka into batches, one for each partition. */
import type { TopicRecord } from "../core/topics/topic-record.ts";

export interface KafkaEventRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly timestamp?: number;
  readonly timestampType?: string;
  /** In base64; absent or null for a record with a null key. */
  readonly key?: string | null;
  /** In base64; absent or null for a record with a null value. */
  readonly value?: string | null;
  /** Each header has one member: its name is the name of the header, its value the bytes as numbers from -128 to 255. */
  readonly headers?: readonly Readonly<Record<string, readonly number[]>>[];
}

/** The event of a self-managed cluster and of MSK alike. */
export interface KafkaEvent {
  readonly eventSource: string;
  /** The records by `<topic>-<partition>`. */
  readonly records: Readonly<Record<string, readonly KafkaEventRecord[]>>;
}

export interface PartitionRecords {
  readonly partition: number;
  /** In the order of their offsets. */
  readonly records: readonly TopicRecord[];
}

/** A record of Kafka before version 0.10 has no timestamp, and Lambda shows it as -1. */
const NO_TIMESTAMP = -1;

export function partitionsOf({ records }: KafkaEvent): readonly PartitionRecords[] {
  return Object.values(records).flatMap((list) => {
    const [first] = list;
    if (first === undefined) return [];
    return [{ partition: first.partition, records: list.map(recordOf).toSorted((a, b) => a.offset - b.offset) }];
  });
}

function recordOf({ offset, timestamp = NO_TIMESTAMP, key, value, headers = [] }: KafkaEventRecord): TopicRecord {
  return {
    offset,
    ...(timestamp > NO_TIMESTAMP && { timestampMs: timestamp }),
    ...(typeof key === "string" && { key: bytesOf(key) }),
    ...(typeof value === "string" && { value: bytesOf(value) }),
    headers: headers.flatMap((header) =>
      Object.entries(header).map(([name, bytes]) => ({ name, value: Uint8Array.from(bytes) })),
    ),
  };
}

function bytesOf(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, "base64"));
}
