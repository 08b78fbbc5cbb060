/** Finds when the entries of a journal were stored and by which deployment: the same for all entries of a segment. */
import type { DeploymentId } from "../model/ids.ts";

export interface SegmentMoment {
  /** The index of the first entry of the segment. */
  readonly fromEntry: number;
  readonly atMs: number;
  /** The deployment to which the invocation was pinned. */
  readonly deploymentId?: DeploymentId;
  /** When the first attempt began, if the segment reports that attempt. */
  readonly firstStartAtMs?: number;
}

/**
 * The moment of each entry.
 * @param moments in the order of the segments; the first is the moment of the acceptance, which contains the input
 * @param known the number of entries that `moments` covers; `newestAtMs` is the moment of the others up to `count`
 */
export function entryMoments(
  moments: readonly SegmentMoment[],
  { known, count, newestAtMs }: { readonly known: number; readonly count: number; readonly newestAtMs: number },
): readonly number[] {
  const all: number[] = [];
  let segment = 0;
  for (let index = 0; index < Math.min(known, count); index++) {
    while ((moments[segment + 1]?.fromEntry ?? Infinity) <= index) segment++;
    all.push(moments[segment]?.atMs ?? newestAtMs);
  }
  while (all.length < count) all.push(newestAtMs);
  return all;
}

/** The segment that contains an entry; the last segment for an entry after the end of the journal. */
export function segmentOfEntry(moments: readonly SegmentMoment[], entry: number): SegmentMoment | undefined {
  return moments.findLast(({ fromEntry }) => fromEntry <= entry);
}
