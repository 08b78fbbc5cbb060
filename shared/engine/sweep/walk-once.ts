/** Walks that pass each entry once: they remember the entries whose look failed, and later passes look at these again. */
import type { IndexPosition } from "../store/index-walk.ts";
import type { Again } from "./progress.ts";
import type { Tally } from "./tally.ts";

/** A walk remembers at most this many entries whose look failed. If more looks fail, the cause is the table, not an entry. */
const AGAIN_MAX = 20;

/** How far a walk has come: every entry before `from` was looked at with success, or is in `again`. */
export interface Reached {
  /** Undefined at the end of the walk. */
  readonly from: IndexPosition | undefined;
  readonly again: readonly Again[];
}

/** Goes on with a walk. @returns where to continue; undefined at the end */
export type Walking = (
  isOver: () => boolean,
  onFailed: (place: IndexPosition) => void,
) => Promise<IndexPosition | undefined>;

/**
 * If there is no room left for an entry whose look failed, the walk stops before the entry.
 * @param again the entries that earlier passes of the walk remember
 */
export async function walkOnce(
  again: readonly Again[],
  tally: Tally,
  isOver: () => boolean,
  walk: Walking,
): Promise<Reached> {
  const failed = new Set<IndexPosition>();
  const room = AGAIN_MAX - again.length;
  const reached = await walk(
    () => failed.size > room || isOver(),
    (place) => failed.add(place),
  );
  const places = [...failed].sort();
  if (places.length > room) tally.isStuck = true;
  const remembered = places.slice(0, room).map((place) => ({ place, tries: 1 }));
  return { from: places[room] ?? reached, again: [...again, ...remembered] };
}
