/**
 * The status of listing entries: from the open index, from the sweeper's progress, or by a look where neither decides.
 */
import type { Engine } from "../engine.ts";
import type { Glanced } from "./status-probe.ts";
import type { ListingBudget } from "./listing-budget.ts";
import { isUnnoted, type Noted, readNoted } from "../store/noted.ts";
import { ended, openSummaries, type Summary } from "./open-listing.ts";
import type { ListingEntry } from "./listing-stream.ts";

/** What two reads show of all invocations: the item with the sweeper's progress, and the open index. */
export interface Known {
  readonly noted: Noted;
  readonly open: ReadonlyMap<string, Summary>;
}

/** Reads the progress first: every open invocation that the progress covers is in the index that is read after it. */
export async function readKnown(engine: Engine, budget: ListingBudget): Promise<Known> {
  const noted = await readNoted(engine);
  return { noted, open: await openSummaries(engine, budget) };
}

/** `gone`: the invocation no longer exists. `unread`: the budget of the reader is used up. */
export type Looked = Summary | "gone" | "unread";
/** `passed`: the question excludes the entry whatever its status is. */
export type Standing = Looked | "passed";

export interface Told {
  readonly entry: ListingEntry;
  readonly standing: Standing;
}

export interface Telling {
  readonly known: Known;
  /** Looks at entries whose status neither index shows; the answers have the order of the entries. */
  readonly look: (entries: readonly ListingEntry[]) => Promise<readonly Looked[]>;
  /** True where the question excludes an entry whatever its status is: such an entry needs no look. */
  readonly isExcluded: (entry: ListingEntry) => boolean;
  /** True where the question asks for more of an open invocation than the open index shows. */
  readonly isLacking?: (summary: Summary) => boolean;
  /** How many looks go together: a reader that wants few more rows pays for few looks. */
  readonly looksTogether: () => number;
}

/** The standings of glanced entries, in the order of the entries. */
export function standingsOf(entries: readonly ListingEntry[], glanced: readonly (Glanced | undefined)[]): Looked[] {
  return entries.map((entry, at) => {
    const one = glanced[at];
    if (one === undefined) return "unread";
    const { status, deploymentId } = one;
    if (status === "gone") return "gone";
    return { ...entry, status, glanced: true, ...(deploymentId !== undefined && { deploymentId }) };
  });
}

/** The most entries that wait together for the looks of those before them. */
const GROUP_MAX = 500;

/** Yields the entries in their order. No later answer revises an earlier one, so a reader may stop anywhere. */
export async function* told(
  entries: AsyncIterable<ListingEntry>,
  { known, look, isExcluded, isLacking = () => false, looksTogether }: Telling,
): AsyncGenerator<Told> {
  const standingOf = (entry: ListingEntry): Standing | undefined => {
    if (isExcluded(entry)) return "passed";
    const open = known.open.get(entry.id);
    if (open !== undefined) return isLacking(open) ? undefined : open;
    return isUnnoted(known.noted, entry) ? undefined : ended(entry);
  };
  let group: { readonly entry: ListingEntry; readonly standing: Standing | undefined }[] = [];
  let looks = 0;
  const tell = async (): Promise<Told[]> => {
    const unknown = group.filter(({ standing }) => standing === undefined).map(({ entry }) => entry);
    const found = unknown.length === 0 ? [] : await look(unknown);
    let at = 0;
    const all = group.map(({ entry, standing }) => ({ entry, standing: standing ?? found[at++] ?? "unread" }));
    [group, looks] = [[], 0];
    return all;
  };
  for await (const entry of entries) {
    const standing = standingOf(entry);
    group.push({ entry, standing });
    if (standing === undefined) looks++;
    const isDecided = looks === 0 || (standing !== undefined && !isUnnoted(known.noted, entry));
    if (isDecided || looks >= looksTogether() || group.length >= GROUP_MAX) yield* await tell();
  }
  yield* await tell();
}
