/** The position of a subscription in one partition: which records it has accepted, and where it reads next. */
import { contradicts, type Landmarks, withLandmarks } from "./landmarks.ts";
import type { TopicRecord } from "./topic-record.ts";

/** The place at which a reset lets a subscription read again. */
export type ResetTarget =
  | { readonly kind: "earliest" }
  | { readonly kind: "latest" }
  /** The first record of each partition whose timestamp is at or after the moment. */
  | { readonly kind: "time"; readonly atMs: number }
  /** Other partitions keep their positions, or apply the reset before, if they have not yet. */
  | { readonly kind: "offsets"; readonly offsets: Readonly<Record<string, number>> };

/** An operator's order to read again from another place. Later resets have higher numbers, from 1 on. */
export interface Reset {
  readonly number: number;
  readonly to: ResetTarget;
  readonly atMs: number;
  /** The reset before, for the partitions that this one does not name: some of them may not have applied it yet. */
  readonly former?: Reset;
}

/** The next reset. It replaces the ones before for the partitions that it names, and stays small: each former one names others. */
export function resetAfter(former: Reset | undefined, to: ResetTarget, atMs: number): Reset {
  const next = { number: (former?.number ?? 0) + 1, to, atMs };
  if (to.kind !== "offsets" || former === undefined) return next;
  const left = withoutPartitions(former, new Set(Object.keys(to.offsets)));
  return { ...next, ...(left && { former: left }) };
}

/** @returns undefined if the reset and those before it name no other partitions */
function withoutPartitions(reset: Reset, named: ReadonlySet<string>): Reset | undefined {
  if (reset.to.kind !== "offsets") return reset;
  const { former, ...own } = reset;
  const others = Object.entries(reset.to.offsets).filter(([partition]) => !named.has(partition));
  const left = former && withoutPartitions(former, new Set([...named, ...Object.keys(reset.to.offsets)]));
  if (others.length === 0) return left;
  return { ...own, to: { kind: "offsets", offsets: Object.fromEntries(others) }, ...(left && { former: left }) };
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
  /** Some accepted records of the topic. Only a position without `topicId` has landmarks. */
  readonly landmarks?: Landmarks;
  /** The number of bad records that the policy `skip` (`BadRecordPolicy`) has passed over since the last reset. */
  readonly skipped: number;
}

/** @returns the last reset that concerns the partition; undefined if there is none, or if the partition has applied it */
export function dueReset(
  reset: Reset | undefined,
  partition: number,
  position: Pick<Position, "resetNumber"> | undefined,
): Reset | undefined {
  let last = reset;
  while (last?.to.kind === "offsets" && last.to.offsets[String(partition)] === undefined) last = last.former;
  return last === undefined || (position?.resetNumber ?? 0) >= last.number ? undefined : last;
}

/**
 * True if the records of a reader belong to an earlier reset: they were read from a place that no longer counts. The position may
 * show a later reset than the state of the subscription, which was read a moment before.
 * @param resetNumber the number of the last reset when the reader began
 */
export function isOutdated(
  resetNumber: number,
  reset: Reset | undefined,
  position: Pick<Position, "resetNumber"> | undefined,
): boolean {
  return resetNumber !== (reset?.number ?? 0) || (position?.resetNumber ?? 0) > resetNumber;
}

interface Standing {
  readonly reset: Reset | undefined;
  readonly partition: number;
  readonly topicId: string | undefined;
  /** The records of the batch, if the position is for a batch. */
  readonly records?: readonly TopicRecord[];
}

/**
 * The position that counts for a batch: the stored one, or a new one if there is none, if a reset is newer than the
 * stored one, or if the stored one belongs to a deleted topic of the same name: the ids of the two topics differ or, if one of them is
 * unknown, a record differs from a landmark.
 */
export function positionNow(
  stored: Position | undefined,
  { reset, partition, topicId, records = [] }: Standing,
): Position {
  const resetNumber = dueReset(reset, partition, stored)?.number ?? stored?.resetNumber ?? 0;
  const topic = topicId === undefined ? {} : { topicId };
  const isSame = stored !== undefined && isSameTopic(stored, topicId, records);
  if (isSame && stored.resetNumber === resetNumber) return { ...stored, ...topic };
  const landmarks = isSame && stored.landmarks !== undefined ? { landmarks: stored.landmarks } : {};
  return { resetNumber, nextOffset: 0, writtenAtMs: 0, skipped: 0, ...topic, ...landmarks };
}

function isSameTopic(stored: Position, topicId: string | undefined, records: readonly TopicRecord[]): boolean {
  if (isOfOtherTopic(stored, topicId)) return false;
  return topicId !== undefined || stored.landmarks === undefined || !contradicts(stored.landmarks, records);
}

/** True if the position belongs to a topic with another id. */
export function isOfOtherTopic(stored: Position | undefined, topicId: string | undefined): boolean {
  return stored?.topicId !== undefined && topicId !== undefined && stored.topicId !== topicId;
}

/** The position with the landmarks of accepted records, if it needs landmarks. */
export function withAccepted(position: Position, accepted: readonly TopicRecord[]): Position {
  if (position.topicId !== undefined) return position;
  return { ...position, landmarks: withLandmarks(position.landmarks ?? new Map(), accepted) };
}

/** True if a write of the second position would change nothing in the first. */
export function isUnmoved(stored: Position, moved: Position): boolean {
  return (
    stored.nextOffset === moved.nextOffset &&
    stored.resetNumber === moved.resetNumber &&
    stored.topicId === moved.topicId &&
    stored.landmarks?.size === moved.landmarks?.size &&
    [...(moved.landmarks ?? [])].every(([offset, atMs]) => stored.landmarks?.get(offset) === atMs)
  );
}

/** True if a position that another process has stored meanwhile makes this one needless: both are of one topic, and it is later. */
export function isBehind(moved: Position, stored: Position): boolean {
  if (stored.resetNumber !== moved.resetNumber) return stored.resetNumber > moved.resetNumber;
  const others = [...(stored.landmarks ?? [])].map(([offset, timestampMs]) => ({ offset, timestampMs }));
  const isOther = stored.topicId !== moved.topicId || contradicts(moved.landmarks ?? new Map(), others);
  return !isOther && stored.nextOffset >= moved.nextOffset;
}

/**
 * The position after the records of a batch before the offset `end` were accepted or skipped. A repeated batch does not
 * move the position back. A new record before the position moves it back, because it shows that the topic was created
 * again.
 * @param firstNew the offset of the first record of the batch that has become a new invocation now
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
