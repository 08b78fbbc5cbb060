/** Finds the moments when the entries of a journal were stored. All entries of a segment have the same moment. */

export interface SegmentMoment {
  /** The index of the first entry of the segment. */
  readonly fromEntry: number;
  readonly atMs: number;
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
