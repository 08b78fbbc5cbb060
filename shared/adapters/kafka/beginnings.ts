/**
 * Finds the first offset to read in a partition: the target of a reset; without a reset, the larger one of the stored
 * position and the group's committed offset; without either, and in a topic that was created again, the beginning that the options
 * choose.
 */
import type { Consumer } from "@platformatic/kafka";
import type { ResetTarget } from "../../core/topics/position.ts";
import type { RecordBatch, RecordSink } from "../../engine/ports/topics.ts";
import type { Beginning } from "./client-options.ts";
import type { OffsetCommits } from "./offset-commits.ts";

const EARLIEST = -2n;
const LATEST = -1n;

export interface Ends {
  readonly consumer: Pick<Consumer, "listOffsets" | "listCommittedOffsets">;
  readonly topic: string;
  readonly begins: Beginning;
  readonly commits: OffsetCommits;
  readonly sink: RecordSink;
}

/**
 * The target of a reset is committed for the group before the sink stores it as the position, so that the reset is
 * applied again if the process dies between the two writes. The offset at which a new group begins is committed, too:
 * otherwise records that arrive while the process is down could be skipped.
 * @returns undefined if the subscription has been removed or reset since its reader began, so that this reader reads nothing
 */
export async function beginOf(ends: Ends, place: Omit<RecordBatch, "records">): Promise<number | undefined> {
  const { sink, commits, begins } = ends;
  const { partition } = place;
  const beginning = await sink.beginningOf(place);
  if (beginning === undefined) return undefined;
  const { nextOffset, resetTo, isNewTopic } = beginning;
  if (resetTo !== undefined) {
    const target = await targetOf(ends, partition, resetTo);
    await commits.now(partition, target);
    await sink.moved(place, target);
    return target;
  }
  const committed = isNewTopic ? undefined : await committedOf(ends, partition);
  const known = Math.max(nextOffset ?? -1, committed ?? -1);
  if (known >= 0) return known;
  if (begins === "fail")
    throw new Error(`the group has no offset for partition ${partition}, and auto.offset.reset is error`);
  const first = await offsetAt(ends, partition, begins === "earliest" ? EARLIEST : LATEST);
  await commits.now(partition, first);
  if (isNewTopic) await sink.moved(place, first);
  return first;
}

async function targetOf(ends: Ends, partition: number, to: ResetTarget): Promise<number> {
  if (to.kind === "earliest") return await offsetAt(ends, partition, EARLIEST);
  const latest = await offsetAt(ends, partition, LATEST);
  if (to.kind === "latest") return latest;
  if (to.kind === "time") {
    const found = await offsetAt(ends, partition, BigInt(to.atMs));
    return found < 0 ? latest : found;
  }
  const earliest = await offsetAt(ends, partition, EARLIEST);
  return Math.min(latest, Math.max(earliest, to.offsets[String(partition)] ?? earliest));
}

async function committedOf({ consumer, topic }: Ends, partition: number): Promise<number | undefined> {
  const committed = await consumer.listCommittedOffsets({ topics: [{ topic, partitions: [partition] }] });
  const offset = Number(committed.get(topic)?.[partition] ?? -1n);
  return offset < 0 ? undefined : offset;
}

/** @returns the offset; -1 if `timestamp` is a moment and no record is at or after this moment */
export async function offsetAt(
  { consumer, topic }: Pick<Ends, "consumer" | "topic">,
  partition: number,
  timestamp: bigint,
): Promise<number> {
  const offsets = await consumer.listOffsets({ topics: [topic], partitions: { [topic]: [partition] }, timestamp });
  return Number(offsets.get(topic)?.[partition] ?? -1n);
}
