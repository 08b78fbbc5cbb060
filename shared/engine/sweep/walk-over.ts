/** A walk over the entries of an index, as far as time allows: what it has not come to is gone on with from there. */
import { behind, type Place } from "../ledger/index-walk.ts";
import type { Item } from "../ports/table.ts";

/** Each look takes some round trips to the table, and may bring as much into memory as an invocation can hold. */
const LOOKS_TOGETHER = 8;

export interface Walking {
  readonly placeOf: (item: Item) => Place;
  /** Never rejects; undefined where there is nothing to look at. */
  readonly look: (item: Item) => Promise<unknown> | undefined;
  readonly isOver: () => boolean;
}

/**
 * Comes past one entry at least, so that whoever goes on again and again comes to the end.
 * @param items in the order of their places
 * @returns where to go on; undefined at the end. Whatever was come past has been looked at.
 */
export async function walkOver(
  items: AsyncIterable<Item>,
  { placeOf, look, isOver }: Walking,
): Promise<Place | undefined> {
  let looks: Promise<unknown>[] = [];
  let reached: Place | undefined;
  try {
    for await (const item of items) {
      if (reached !== undefined && isOver()) return behind(reached);
      const looking = look(item);
      if (looking !== undefined && looks.push(looking) >= LOOKS_TOGETHER) {
        await Promise.all(looks);
        looks = [];
      }
      reached = placeOf(item);
    }
    return undefined;
  } finally {
    // Also where the index fails: nothing may be on its way when the function is frozen.
    await Promise.all(looks);
  }
}
