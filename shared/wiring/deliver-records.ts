/** Reads an event of Kafka, and accepts its records for the subscription whose event source mapping delivered it. */
import { subscriptionOfAlias } from "../adapters/event-sources/mapping-form.ts";
import { parseSubscriptionId } from "../core/model/ids.ts";
import type { Engine } from "../engine/engine.ts";
import type { RecordsOutcome } from "../engine/ports/topics.ts";
import { readKafka } from "../engine/register/kafka-items.ts";
import { acceptRecords } from "../engine/topics/accept-records.ts";
import type { TopicRecord } from "../core/topics/topic-record.ts";

/** Lambda delivers the batch again and again until the function succeeds, and reads on only then. */
export class BatchNotAccepted extends Error {
  override name = "BatchNotAccepted";
}

/**
 * @param calledArn the ARN of the called function, with the alias at its end
 * @throws BatchNotAccepted, StoreError
 */
export async function deliverRecords(
  engine: Engine,
  event: KafkaEvent,
  calledArn: string,
): Promise<{ readonly accepted: number }> {
  const mapped = subscriptionOfAlias(calledArn.split(":").at(-1) ?? "");
  if (mapped === undefined) throw new BatchNotAccepted(`${calledArn} names no subscription`);
  return await accept(engine, event, mapped);
}

/** Accepts the records partition by partition, so that only the invocations of one partition are in memory. */
async function accept(
  engine: Engine,
  event: KafkaEvent,
  { id, resetNumber }: { readonly id: string; readonly resetNumber: number },
): Promise<{ readonly accepted: number }> {
  const subscriptionId = parseSubscriptionId(id);
  const { subscriptions } = await readKafka(engine);
  const subscription = subscriptions.find((one) => one.id === subscriptionId);
  if (subscription === undefined) {
    // The subscription has been removed, and its mapping will be deleted soon: no handler is to receive these records.
    engine.log.write("records.dropped", { subscriptionId });
    return { accepted: 0 };
  }
  let accepted = 0;
  for (const { partition, records } of partitionsOf(event)) {
    const outcome = await acceptRecords(engine, { subscription, partition, resetNumber, records });
    if (outcome.kind !== "accepted") throw new BatchNotAccepted(`${id} ${reasonOf(outcome)}`);
    accepted += outcome.accepted;
  }
  return { accepted };
}

function reasonOf(outcome: Exclude<RecordsOutcome, { readonly kind: "accepted" }>): string {
  switch (outcome.kind) {
    case "paused":
      return `is paused (${outcome.pause.reason})`;
    case "blocked":
      return outcome.reason;
    case "outdated":
      return "was reset, and another mapping reads its records from now on";
  }
}

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

interface PartitionRecords {
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
