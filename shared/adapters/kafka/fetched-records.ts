/** Turns the answer to a fetch into records: offsets, timestamps, keys and values as the log of the broker has them. */
import type { KafkaRecord, RecordsBatch } from "@platformatic/kafka";
import type { TopicRecord } from "../../core/topics/topic-record.ts";
import { type AbortedTransaction, abortsOf } from "./aborted-transactions.ts";

/**
 * With this flag, the timestamp of every record is the moment at which the broker appended the batch. The batch gives
 * this moment as its largest timestamp.
 */
const IS_APPEND_TIME = 8;
const IS_CONTROL = 32;
const NOTHING = new Uint8Array(0);

export interface Fetched {
  readonly records: readonly TopicRecord[];
  /** Where the next fetch begins: after the records, after markers and records of aborted transactions, and after compacted records. */
  readonly nextOffset: number;
  readonly sizeBytes: number;
}

/**
 * @param fromOffset the offset of the fetch; the first batch may begin before it
 * @param aborted the broker's list of aborted transactions; empty if the fetch reads uncommitted records, too
 */
export function fetchedRecords(
  batches: readonly RecordsBatch[],
  fromOffset: number,
  aborted: readonly AbortedTransaction[],
): Fetched {
  const isAborted = abortsOf(aborted);
  const records: TopicRecord[] = [];
  let [nextOffset, sizeBytes] = [fromOffset, 0];
  for (const batch of batches) {
    const firstOffset = Number(batch.firstOffset);
    nextOffset = Math.max(nextOffset, firstOffset + batch.lastOffsetDelta + 1);
    if (isAborted(batch) || (batch.attributes & IS_CONTROL) !== 0) continue;
    for (const one of batch.records) {
      const offset = firstOffset + one.offsetDelta;
      if (offset < fromOffset) continue;
      records.push(recordOf(batch, one, offset));
      sizeBytes += one.length;
    }
  }
  return { records, nextOffset, sizeBytes };
}

function recordOf(
  batch: RecordsBatch,
  { timestampDelta, key, value, headers }: KafkaRecord,
  offset: number,
): TopicRecord {
  const isAppendTime = (batch.attributes & IS_APPEND_TIME) !== 0;
  const timestampMs = Number(isAppendTime ? batch.maxTimestamp : batch.firstTimestamp + timestampDelta);
  return {
    offset,
    ...(timestampMs >= 0 && { timestampMs }),
    ...(key && { key }),
    ...(value && { value }),
    headers: headers.map(([name, bytes]) => ({ name: name?.toString("latin1") ?? "", value: bytes ?? NOTHING })),
  };
}
