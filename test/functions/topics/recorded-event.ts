/** An event of a self-managed cluster in the form in which Lambda delivers it. */
import type { KafkaEvent, KafkaEventRecord } from "../../../shared/wiring/deliver-records.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

export function eventRecord(partition: number, offset: number, key: string, value: string): KafkaEventRecord {
  return {
    topic: "orders",
    partition,
    offset,
    timestamp: 1_545_084_650_987,
    timestampType: "CREATE_TIME",
    key: base64(key),
    value: base64(value),
    headers: [{ headerKey: [104, 101, 97, 100, 101, 114, -1] }],
  };
}

export function kafkaEvent(...records: readonly KafkaEventRecord[]): KafkaEvent {
  const byPartition: Record<string, KafkaEventRecord[]> = {};
  for (const one of records) (byPartition[`${one.topic}-${one.partition}`] ??= []).push(one);
  const event = { eventSource: "SelfManagedKafka", bootstrapServers: "b:9092", records: byPartition };
  return JSON.parse(JSON.stringify(event)) as KafkaEvent;
}
