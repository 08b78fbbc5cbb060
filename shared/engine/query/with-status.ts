/**
 * Finds the status of listing entries from the open index and the sweeper's progress. If neither shows the status, looks at
 * the invocation.
 */
import type { Engine } from "../engine.ts";
import type { ProbeResult } from "./status-probe.ts";
import type { ListingBudget } from "./listing-budget.ts";
import { isUnnoted, type Noted, readNoted } from "../store/index-walk.ts";
import { ended, openSummaries, type Summary } from "./open-listing.ts";
import type { ListingEntry } from "./listing-stream.ts";

/** The sweeper's progress and the open index, each read once. */
export interface Known {
  readonly noted: Noted;
  readonly open: ReadonlyMap<string, Summary>;
  /** False if only a part of the open index was read. Then an entry that `open` lacks may still be open. */
  readonly isWhole: boolean;
}

/**
 * Besides the listing, a reader reads at most this many entries of the open index for a page or for the first rows of a
 * statement (about 40 entries per read unit). If more invocations are open, the reader looks at those rows that this part of
 * the index does not show.
 */
export const OPEN_READ_MAX = 2_000;

/**
 * Reads the progress before the index, so that every open invocation that the progress covers is in the index.
 * @param entriesMax the most entries of the open index to read
 */
export async function readKnown(engine: Engine, budget: ListingBudget, entriesMax?: number): Promise<Known> {
  const noted = await readNoted(engine);
  const { byId, isWhole } = await openSummaries(engine, budget, entriesMax);
  return { noted, open: byId, isWhole };
}

/** @returns undefined if only a look shows the status of the entry */
export function knownStatus({ noted, open, isWhole }: Known, entry: ListingEntry): Summary | undefined {
  return open.get(entry.id) ?? (!isWhole || isUnnoted(noted, entry) ? undefined : ended(entry));
}

/** `gone`: the invocation no longer exists. `unread`: the budget is used up. */
export type ReadStatus = Summary | "gone" | "unread";
/** `passed`: the filter excludes the entry, whatever its status is. */
export type EntryStatus = ReadStatus | "passed";

export interface ListedStatus {
  readonly entry: ListingEntry;
  readonly status: EntryStatus;
}

export interface Probing {
  /** Its fields may change between two groups of entries. */
  readonly known: Known;
  /** Looks at entries whose status neither source shows. The results have the order of the entries. */
  readonly probe: (entries: readonly ListingEntry[]) => Promise<readonly ReadStatus[]>;
  /** True if the filter excludes the entry, whatever its status is. Such an entry needs no look. */
  readonly isExcluded: (entry: ListingEntry) => boolean;
  /** True if the filter needs more about an open invocation than the open index shows. */
  readonly isLacking?: (summary: Summary) => boolean;
  /** The most probes at a time. Small if the reader needs few more rows, because probes cost reads. */
  readonly probesTogether: () => number;
}

/** The statuses of probed entries, in the order of the entries. */
export function statusesOf(
  entries: readonly ListingEntry[],
  probed: readonly (ProbeResult | undefined)[],
): ReadStatus[] {
  return entries.map((entry, at) => {
    const one = probed[at];
    if (one === undefined) return "unread";
    const { status, deploymentId } = one;
    if (status === "gone") return "gone";
    return { ...entry, status, probed: true, ...(deploymentId !== undefined && { deploymentId }) };
  });
}

/** The most entries of one group. Entries wait in a group for the probes of the entries before them. */
const GROUP_MAX = 500;

/** Yields the entries in their order. A later entry never changes an earlier status, so the reader may stop anywhere. */
export async function* withStatus(
  entries: AsyncIterable<ListingEntry>,
  { known, probe, isExcluded, isLacking = () => false, probesTogether }: Probing,
): AsyncGenerator<ListedStatus> {
  const statusOf = (entry: ListingEntry): EntryStatus | undefined => {
    if (isExcluded(entry)) return "passed";
    const shown = knownStatus(known, entry);
    return shown !== undefined && shown.status !== "completed" && isLacking(shown) ? undefined : shown;
  };
  let group: { readonly entry: ListingEntry; readonly status: EntryStatus | undefined }[] = [];
  let probes = 0;
  const tell = async (): Promise<ListedStatus[]> => {
    const unknown = group.filter(({ status }) => status === undefined).map(({ entry }) => entry);
    const found = unknown.length === 0 ? [] : await probe(unknown);
    let at = 0;
    const all = group.map(({ entry, status }) => ({ entry, status: status ?? found[at++] ?? "unread" }));
    [group, probes] = [[], 0];
    return all;
  };
  for await (const entry of entries) {
    const status = statusOf(entry);
    group.push({ entry, status });
    if (status === undefined) probes++;
    const isDecided = probes === 0 || (status !== undefined && !isUnnoted(known.noted, entry));
    if (isDecided || probes >= probesTogether() || group.length >= GROUP_MAX) yield* await tell();
  }
  yield* await tell();
}
