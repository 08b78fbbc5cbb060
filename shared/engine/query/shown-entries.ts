/**
 * Completes index entries that lack some of the attributes that lists show. An entry lacks them because an older version of
 * Stepwell created the index or wrote the lease record (ADR 0020).
 */
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import { ACCEPTANCE_SK } from "../store/item-keys.ts";
import type { Item } from "../ports/table.ts";

/** Completes entries of the listing from their acceptances; leaves out entries whose acceptance is gone. */
export async function shownInListing(engine: Engine, entries: readonly Item[]): Promise<readonly Item[]> {
  return await completed(entries, isNamed, async ({ pk, sk }) => await engine.table.get({ pk, sk }));
}

/** Completes entries of the open index from their lease records and acceptances; leaves out entries whose items are gone. */
export async function shownInOpen(engine: Engine, entries: readonly Item[]): Promise<readonly Item[]> {
  const isWhole = (item: Item): boolean => isNamed(item) && typeof item["createdAtMs"] === "number";
  return await completed(entries, isWhole, async (entry) => {
    const acceptance = engine.table.get({ pk: entry.pk, sk: ACCEPTANCE_SK });
    const [hold, createdAtMs] = await Promise.all([shownHold(engine, entry), acceptance.then(acceptedAtMs)]);
    return hold === undefined || createdAtMs === undefined ? undefined : { ...hold, createdAtMs };
  });
}

/** As `shownInOpen`, without the moment of acceptance. */
export async function shownHolds(engine: Engine, entries: readonly Item[]): Promise<readonly Item[]> {
  return await completed(entries, isNamed, async (entry) => await shownHold(engine, entry));
}

async function shownHold(engine: Engine, entry: Item): Promise<Item | undefined> {
  return isNamed(entry) ? entry : await engine.table.get({ pk: entry.pk, sk: entry.sk });
}

/** The moment of an acceptance, from its place in the listing; undefined if the item has no such place. */
export function acceptedAtMs(item: Item | undefined): number | undefined {
  const listSk = item?.["listSk"];
  return typeof listSk === "string" ? Number(listSk.slice(0, 15)) : undefined;
}

function isNamed(item: Item): boolean {
  return typeof item["service"] === "string";
}

async function completed(
  entries: readonly Item[],
  isWhole: (entry: Item) => boolean,
  complete: (entry: Item) => Promise<Item | undefined>,
): Promise<readonly Item[]> {
  if (entries.every(isWhole)) return entries;
  const found = await atMost(AT_ONCE, entries, async (entry) => (isWhole(entry) ? entry : await complete(entry)));
  return found.filter((entry) => entry !== undefined);
}
