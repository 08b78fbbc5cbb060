/** Merges the rows of the open index with the entries of the listing that may be open without being in that index. */
import type { Engine } from "../engine.ts";
import { ACCEPTANCE_SK, invocationPk } from "../store/item-keys.ts";
import { entryOf, type ListingEntry, type ListingRange } from "./listing-stream.ts";
import type { Summary } from "./open-listing.ts";
import type { Known } from "./with-status.ts";

type Order = ListingRange["order"];

/** @returns a comparison for sorting; entries of the same moment are sorted by id, in either order */
export function comparison(order: Order): (a: ListingEntry, b: ListingEntry) => number {
  const sign = order === "newest-first" ? -1 : 1;
  return (a, b) => sign * (a.createdAtMs - b.createdAtMs) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

export function sorted(found: Summary[], order: Order): Summary[] {
  return found.sort(comparison(order));
}

/**
 * @param rows the rows of the open index, in any order
 * @param young the listing from `known.noted.belowMs` on, in the given order. A caller that also wants the entries of
 *   `unreadEntries`, which are all older, adds them to `rows`, or sorted to the end of a `young` that is newest-first
 */
export async function* mayBeOpen(
  known: Known,
  rows: readonly ListingEntry[],
  young: AsyncIterable<ListingEntry> | undefined,
  order: Order,
): AsyncGenerator<ListingEntry> {
  const compare = comparison(order);
  const standing = rows.toSorted(compare);
  let next = 0;
  for await (const entry of young ?? []) {
    if (known.open.has(entry.id)) continue;
    while (next < standing.length && compare(standing[next]!, entry) < 0) yield standing[next++]!;
    yield entry;
  }
  yield* standing.slice(next);
}

/** The entries of the listing that the sweeper passed but could not read. They are few, so each is read by itself. */
export async function unreadEntries(engine: Engine, { noted, open }: Known): Promise<readonly ListingEntry[]> {
  const left = [...noted.except].filter((id) => !open.has(id));
  const found = await Promise.all(
    left.map((id) => engine.table.get({ pk: invocationPk(engine.settings.keyPrefix, id), sk: ACCEPTANCE_SK })),
  );
  return found
    .filter((item) => item?.["listSk"] !== undefined)
    .map((item) => entryOf(item!))
    .filter(({ createdAtMs }) => createdAtMs < noted.belowMs);
}
