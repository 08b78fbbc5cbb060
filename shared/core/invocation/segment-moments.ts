/** Finds the moment of each entry of a journal, and the deployment, which is the same for all entries of one segment. */
import type { DeploymentId } from "../model/ids.ts";
import type { Entry } from "./entry.ts";
import type { Invocation } from "./invocation.ts";
import type { AttemptSpan, Segment } from "./segment.ts";

export interface SegmentMoment {
  /** The index of the first entry of the segment. */
  readonly fromEntry: number;
  readonly atMs: number;
  /** The deployment to which the invocation was pinned. This deployment recorded the entries unless they were copied. */
  readonly deploymentId?: DeploymentId;
  /** Present if a restart copied the entries from the former invocation. */
  readonly isCopied?: true;
  /** When the first attempt began, if the segment reports that attempt. */
  readonly firstStartAtMs?: number;
  /** The attempt that the segment reports. */
  readonly attempt?: AttemptSpan;
}

/** An attempt that wrote at least one segment, with or without entries. */
export interface StoredAttempt extends AttemptSpan {
  /** The index of the first entry that the attempt stored, which is the end of the journal for an attempt without entries. */
  readonly fromEntry: number;
  readonly deploymentId?: DeploymentId;
}

/** @param before the invocation before the segment */
export function momentOf(before: Invocation, segment: Segment): SegmentMoment {
  const { pin = before.pin, writtenAtMs: atMs, attempt } = segment;
  return {
    fromEntry: before.journal.entries.length,
    atMs,
    ...(pin && { deploymentId: pin.deploymentId }),
    ...(isCopied(before, segment) && { isCopied: true }),
    ...(attempt?.number === 1 && { firstStartAtMs: attempt.startedAtMs }),
    ...(attempt && { attempt }),
  };
}

/** The attempts that wrote segments, in their order. An attempt may write several segments, one after the other. */
export function storedAttempts(moments: readonly SegmentMoment[]): readonly StoredAttempt[] {
  const all: StoredAttempt[] = [];
  for (const { attempt, fromEntry, deploymentId } of moments) {
    if (attempt === undefined) continue;
    const last = all.at(-1);
    if (last?.startedAtMs === attempt.startedAtMs) all[all.length - 1] = { ...last, endedAtMs: attempt.endedAtMs };
    else all.push({ ...attempt, fromEntry, ...(deploymentId && { deploymentId }) });
  }
  return all;
}

/** True for the first segment of a restart that kept entries: neither an attempt nor an order has added them. */
function isCopied({ acceptance, segmentIndex }: Invocation, { attempt, entries }: Segment): boolean {
  return acceptance.source.kind === "restart" && segmentIndex === 0 && attempt === undefined && entries.length > 0;
}

/**
 * The moment of receipt of each entry. For an entry without one, the moment at which its segment was written, which is later.
 * @param entries of the whole journal
 * @param moments in the order of the segments; the first is the moment of the acceptance, which contains the input
 * @param known the number of entries that `moments` covers; the segments of further entries were written at `newestAtMs`
 */
export function entryMoments(
  entries: readonly Pick<Entry, "receivedAtMs">[],
  moments: readonly SegmentMoment[],
  { known, newestAtMs }: { readonly known: number; readonly newestAtMs: number },
): readonly number[] {
  let segment = 0;
  return entries.map(({ receivedAtMs }, index) => {
    while ((moments[segment + 1]?.fromEntry ?? Infinity) <= index) segment++;
    if (receivedAtMs !== undefined) return receivedAtMs;
    return index < known ? (moments[segment]?.atMs ?? newestAtMs) : newestAtMs;
  });
}

/** @param entry the index of an entry of the journal @returns the segment that contains the entry */
export function segmentOfEntry(moments: readonly SegmentMoment[], entry: number): SegmentMoment | undefined {
  return moments.findLast(({ fromEntry }) => fromEntry <= entry);
}
