/** Folds the segments of an invocation into it, and makes entries of the arrivals that they list. */
import { fold, type Folding, type Invocation } from "../../core/invocation/invocation.ts";
import type { AttemptSpan, Segment } from "../../core/invocation/segment.ts";
import { momentOf, type SegmentMoment } from "../../core/invocation/segment-moments.ts";
import type { AttemptFailure, Repeats } from "../../core/model/attempt-failure.ts";
import type { Nonce } from "../../core/model/ids.ts";
import type { Item } from "../ports/table.ts";
import type { Lease } from "./acceptance-record.ts";
import { readArrival } from "./arrival-record.ts";
import { versionOf } from "./fresh-arrivals.ts";
import { segmentsOf } from "./item-keys.ts";
import { isPlain } from "./record-envelope.ts";
import { listedIn, readSegment, segmentsThatCount } from "./segment-record.ts";

export interface Folded {
  readonly invocation: Invocation;
  /** The last segment and the invocation before it. */
  readonly last?: { readonly before: Invocation; readonly segment: Segment };
  /** The lease in the last segment. */
  readonly lease?: Lease;
  /** The failures in the segments, each with the moment at which its attempt began. */
  readonly failures: readonly AttemptFailure[];
  readonly repeats: readonly Repeats[];
  readonly drivenWrites: number;
  readonly moments: readonly SegmentMoment[];
}

/**
 * Yields each listed arrival whose record is packed or in pieces, and takes the item with the plain record in return. Therefore
 * only one such plain record at a time is in memory beside the entries.
 * @param items the items of one life: its segments in order
 * @param arrived the items of its arrivals; each yielded item stays in the list without its record
 * @throws AbsentArrivalError
 */
export function* foldItems(
  folding: Folding,
  nonce: Nonce,
  items: readonly Item[],
  arrived: Item[],
): Generator<Item, Folded, Item> {
  let lease: Lease | undefined;
  let last: Folded["last"];
  let drivenWrites = 0;
  const failures: AttemptFailure[] = [];
  const repeats: Repeats[] = [];
  const moments: SegmentMoment[] = [];
  const places = new Map(arrived.map(({ sk }, at) => [sk, at]));
  const hasParts = arrived.some(({ b }) => !isPlain(b));
  const arrivalOf = (key: string) => {
    const item = arrived[places.get(`arr#${nonce}#${key}`) ?? -1];
    const { invocation } = folding;
    const arrival = item && readArrival(item, nonce, invocation.journal, versionOf(invocation));
    return arrival?.kind === "notification" ? arrival : undefined;
  };
  for (const item of segmentsThatCount(segmentsOf(items, nonce))) {
    // The last segment is not folded in place: a redo of its effects needs the invocation before it.
    if (last !== undefined) folding.add(last.segment);
    const read = new Map<string, ReturnType<typeof arrivalOf>>();
    for (const key of hasParts ? listedIn(item) : []) {
      const at = places.get(`arr#${nonce}#${key}`);
      if (at === undefined || isPlain(arrived[at]!["b"])) continue;
      const { b: _, ...bare } = arrived[at]!;
      arrived[at] = yield arrived[at]!;
      read.set(key, arrivalOf(key));
      arrived[at] = bare as Item;
    }
    const next = folding.invocation.segmentIndex + 1;
    const found = readSegment(next, item, (key) => read.get(key) ?? arrivalOf(key));
    last = { before: folding.invocation, segment: found.segment };
    lease = found.lease;
    drivenWrites += found.consumedUnits;
    moments.push(momentOf(last.before, last.segment));
    if (found.segment.failure !== undefined)
      failures.push({ ...begunWith(found.segment.attempt), ...found.segment.failure });
    if (found.segment.repeats !== undefined) repeats.push(found.segment.repeats);
  }
  const invocation = last === undefined ? folding.invocation : fold(last.before, last.segment);
  return { invocation, drivenWrites, failures, repeats, moments, ...(lease && { lease }), ...(last && { last }) };
}

/** A segment has the number and the beginning of its attempt, so its failure does not repeat the beginning. */
function begunWith(attempt: AttemptSpan | undefined): Pick<AttemptFailure, "startedAtMs" | "attempt"> {
  return attempt === undefined ? {} : { startedAtMs: attempt.startedAtMs, attempt: attempt.number };
}
