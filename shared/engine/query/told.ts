/** How each entry of the listing stands: by the open index, by the sweeper's progress, and by a look where neither tells. */
import type { Engine } from "../engine.ts";
import type { Glanced } from "../ledger/glance.ts";
import type { ListingBudget } from "../ledger/listing-budget.ts";
import { isUnnoted, type Noted, readNoted } from "../ledger/noted.ts";
import { ended, openSummaries, type Summary } from "./open-listing.ts";
import type { ListingEntry } from "./listing-stream.ts";

/** What two reads tell about all invocations: one item, and the open index. */
export interface Known {
  readonly noted: Noted;
  readonly open: ReadonlyMap<string, Summary>;
}

/** The progress comes first: whatever it counts as noted stands in an index that is read after it. */
export async function readKnown(engine: Engine, budget: ListingBudget): Promise<Known> {
  const noted = await readNoted(engine);
  return { noted, open: await openSummaries(engine, budget) };
}

/** `gone`: there is no such invocation any more. `unread`: the reader may read nothing more. */
export type Looked = Summary | "gone" | "unread";
/** `passed`: the question excludes the entry whatever its status is. */
export type Standing = Looked | "passed";

export interface Told {
  readonly entry: ListingEntry;
  readonly standing: Standing;
}

export interface Telling {
  readonly known: Known;
  /** Looks at entries that neither index decides; answers in their order. */
  readonly look: (entries: readonly ListingEntry[]) => Promise<readonly Looked[]>;
  /** True where the question excludes an entry whatever its status is: such an entry needs no look. */
  readonly isExcluded: (entry: ListingEntry) => boolean;
  /** True where the question asks for more of an open invocation than the open index shows. */
  readonly isLacking?: (summary: Summary) => boolean;
  /** So many looks go together: a reader that wants few rows more pays for few. */
  readonly looksTogether: () => number;
}

/** Of entries that were glanced at, in their order. */
export function standingsOf(entries: readonly ListingEntry[], glanced: readonly (Glanced | undefined)[]): Looked[] {
  return entries.map((entry, at) => {
    const one = glanced[at];
    if (one === undefined) return "unread";
    const { status, deploymentId } = one;
    if (status === "gone") return "gone";
    return { ...entry, status, glanced: true, ...(deploymentId !== undefined && { deploymentId }) };
  });
}

/** An entry waits behind those that need a look, but not for ever. */
const GROUP_MAX = 500;

/** In the order of the entries. What has been told is never taken back, so that a reader may stop anywhere. */
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
