/** When the entries of a journal were stored: the moment of an entry is that of its segment. */

export interface SegmentMoment {
  /** The index of the first entry of the segment. */
  readonly fromEntry: number;
  readonly atMs: number;
}

/**
 * The moment of each entry. An entry beyond the moments is in the memory of a driver alone, so far.
 * @param moments in the order of the segments; the first is that of the acceptance, with the input
 * @param newestAtMs the moment of entries that are newer than the last of `moments`
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
