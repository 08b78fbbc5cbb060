/** Entries of the indexes with all that lists go by, also where an older program wrote them or made the index (ADR 0020). */
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import { ACCEPTANCE_SK } from "../store/item-keys.ts";
import type { Item } from "../ports/table.ts";

/** Of the listing: what its index does not show is read from the acceptance. What is gone since is left out. */
export async function shownInListing(engine: Engine, entries: readonly Item[]): Promise<readonly Item[]> {
  return await completed(entries, isNamed, async ({ pk, sk }) => await engine.table.get({ pk, sk }));
}

/** Of what is open: what its index does not show is read from the hold, and what that does not tell from the acceptance. */
export async function shownInOpen(engine: Engine, entries: readonly Item[]): Promise<readonly Item[]> {
  const isWhole = (item: Item): boolean => isNamed(item) && typeof item["createdAtMs"] === "number";
  return await completed(entries, isWhole, async (entry) => {
    const acceptance = engine.table.get({ pk: entry.pk, sk: ACCEPTANCE_SK });
    const [hold, createdAtMs] = await Promise.all([shownHold(engine, entry), acceptance.then(acceptedAtMs)]);
    return hold === undefined || createdAtMs === undefined ? undefined : { ...hold, createdAtMs };
  });
}

/** The same without the moment of the acceptance. */
export async function shownHolds(engine: Engine, entries: readonly Item[]): Promise<readonly Item[]> {
  return await completed(entries, isNamed, async (entry) => await shownHold(engine, entry));
}

async function shownHold(engine: Engine, entry: Item): Promise<Item | undefined> {
  return isNamed(entry) ? entry : await engine.table.get({ pk: entry.pk, sk: entry.sk });
}

/** When an acceptance was, by its place in the listing: undefined where it is none. */
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
