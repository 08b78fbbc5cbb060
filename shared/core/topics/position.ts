/** The position of a subscription in one partition: which records it has accepted, and where it reads next. */
import type { TopicRecord } from "./topic-record.ts";

/** The place at which a reset lets a subscription read again. */
export type ResetTarget =
  | { readonly kind: "earliest" }
  | { readonly kind: "latest" }
  /** The first record of each partition whose timestamp is at or after the moment. */
  | { readonly kind: "time"; readonly atMs: number }
  /** Other partitions keep their positions. */
  | { readonly kind: "offsets"; readonly offsets: Readonly<Record<string, number>> };

/** An operator's order to read again from another place. Later resets have higher numbers, from 1 on. */
export interface Reset {
  readonly number: number;
  readonly to: ResetTarget;
  readonly atMs: number;
}

export interface Position {
  /** The number of the last reset that reached this partition; 0 before the first. */
  readonly resetNumber: number;
  /** Every record before this offset is accepted or skipped. */
  readonly nextOffset: number;
  /**
   * No process has begun a record at or after this offset. A process that died may have begun records between
   * `nextOffset` and this offset.
   */
  readonly begunTo?: number;
  /** The moment of the last write. */
  readonly writtenAtMs: number;
  /** The id that the broker gave the topic; absent if the source of records does not know the id. */
  readonly topicId?: string;
  /** The number of bad records that the policy `skip` (`BadRecordPolicy`) has passed over since the last reset. */
  readonly skipped: number;
}

/** True if the reset concerns the partition and has not reached it yet. */
export function isResetDue(
  reset: Reset | undefined,
  partition: number,
  position: Pick<Position, "resetNumber"> | undefined,
): reset is Reset {
  if (reset === undefined || (position?.resetNumber ?? 0) >= reset.number) return false;
  return reset.to.kind !== "offsets" || reset.to.offsets[String(partition)] !== undefined;
}

/**
 * The position that counts for a batch: the stored one, or a new one if there is none, if a reset is newer than the
 * stored one, or if the stored one belongs to a deleted topic of the same name.
 */
export function positionNow(
  stored: Position | undefined,
  { reset, partition, topicId }: { reset: Reset | undefined; partition: number; topicId: string | undefined },
): Position {
  const resetNumber = isResetDue(reset, partition, stored) ? reset.number : (stored?.resetNumber ?? 0);
  const isSameTopic = stored?.topicId === undefined || topicId === undefined || stored.topicId === topicId;
  const topic = topicId === undefined ? {} : { topicId };
  if (stored !== undefined && isSameTopic && stored.resetNumber === resetNumber) return { ...stored, ...topic };
  return { resetNumber, nextOffset: 0, writtenAtMs: 0, skipped: 0, ...topic };
}

/**
 * The position after the records of a batch before the offset `end` were accepted or skipped. A repeated batch does not
 * move the position back. A new record before the position moves it back, because it shows that the topic was created
 * again.
 * @param firstNew the offset of the first record of the batch that was not accepted before
 */
export function movedTo(position: Position, end: number, firstNew: number | undefined, skipped: number): Position {
  const isAgain = firstNew !== undefined && firstNew < position.nextOffset;
  const nextOffset = isAgain ? end : Math.max(end, position.nextOffset);
  return { ...position, nextOffset, skipped: position.skipped + skipped };
}

/** True if no process can have begun to accept a record at this offset since the last reset. */
export function isUntouched({ nextOffset, begunTo = nextOffset }: Position, offset: number): boolean {
  return offset >= begunTo && offset >= nextOffset;
}

/**
 * True if the subscription has accepted the record: it lies before the position, and is not younger than the position. A younger
 * record belongs to a topic that was created again after the write of the position. If the clock of a producer runs ahead,
 * this returns false for an accepted record; a second acceptance has the same derived id, so it finds the first invocation.
 */
export function isAccepted(
  { nextOffset, writtenAtMs }: Position,
  { offset, timestampMs }: Pick<TopicRecord, "offset" | "timestampMs">,
): boolean {
  return offset < nextOffset && (timestampMs === undefined || timestampMs <= writtenAtMs);
}
