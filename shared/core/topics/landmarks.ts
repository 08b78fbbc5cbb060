/** Landmarks of a partition: offsets and timestamps of a few accepted records, by which a topic that was created again is recognised. */
import type { TopicRecord } from "./topic-record.ts";

/** Timestamps by offset. */
export type Landmarks = ReadonlyMap<number, number>;

type Dated = Pick<TopicRecord, "offset" | "timestampMs">;

const RADIX = 36;

/**
 * The first accepted record of each range of offsets is a landmark: 0, 1 to 2, 3 to 6, 7 to 14 and so on. So a few dozen suffice for any
 * partition, and a topic that was created again meets them early.
 */
export function withLandmarks(former: Landmarks, accepted: readonly Dated[]): Landmarks {
  const landmarks = new Map(former);
  const ranges = new Set([...former.keys()].map(rangeOf));
  for (const { offset, timestampMs } of accepted) {
    if (timestampMs === undefined || ranges.has(rangeOf(offset))) continue;
    ranges.add(rangeOf(offset));
    landmarks.set(offset, timestampMs);
  }
  return landmarks;
}

/** True if a record has the offset of a landmark and another timestamp, so that the two belong to different topics. */
export function contradicts(landmarks: Landmarks, records: readonly Dated[]): boolean {
  return records.some(({ offset, timestampMs }) => {
    const known = landmarks.get(offset);
    return known !== undefined && timestampMs !== undefined && known !== timestampMs;
  });
}

export function landmarksText(landmarks: Landmarks): string {
  return [...landmarks].map((one) => one.map((number) => number.toString(RADIX)).join(":")).join(" ");
}

/** @param text made by `landmarksText` */
export function landmarksFrom(text: string): Landmarks {
  const pairs = text.split(" ").filter((one) => one !== "");
  return new Map(pairs.map((one) => one.split(":").map((digits) => parseInt(digits, RADIX)) as [number, number]));
}

function rangeOf(offset: number): number {
  return Math.floor(Math.log2(offset + 1));
}
