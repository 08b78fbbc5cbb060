/** Decides about the places of a pool: which one is free, and what becomes of a place that is given back. */

/** The taken places of a pool, by number. Each names its holder. */
export type Taken = ReadonlyMap<number, string>;

/**
 * True if more places are taken than there are: the limit was lowered, or the rule came while invocations ran. No invocation takes
 * a place meanwhile.
 */
export function isOverfull(taken: Taken, places: number): boolean {
  return firstBeyond(taken, places) !== undefined;
}

/** @returns the number of a taken place beyond the limit */
function firstBeyond(taken: Taken, places: number): number | undefined {
  for (const place of taken.keys()) if (place >= places) return place;
  return undefined;
}

/**
 * @param share a number from 0 to below 1, which spreads those who ask at the same time over the free places
 * @returns the number of a free place; undefined if there is none
 */
export function freePlace(taken: Taken, places: number, share: number): number | undefined {
  return freePlaces(taken, places, share)[0];
}

/** @returns the numbers of all free places, the one that `freePlace` chooses first */
export function freePlaces(taken: Taken, places: number, share: number): readonly number[] {
  if (isOverfull(taken, places)) return [];
  const free: number[] = [];
  for (let place = 0; place < places; place++) if (!taken.has(place)) free.push(place);
  const from = Math.floor(share * free.length);
  return [...free.slice(from), ...free.slice(0, from)];
}

/** @returns the lowest number beyond all taken places and beyond the limit, for one that runs in any case */
export function placeBeyond(taken: Taken, places: number): number {
  let beyond = places;
  for (const place of taken.keys()) beyond = Math.max(beyond, place + 1);
  return beyond;
}

export interface Move {
  readonly from: number;
  readonly to: number;
  readonly holder: string;
}

/**
 * A holder beyond the limit counts on a place within it. One who gives a place back writes it as free without reading the others, so
 * a pool may have both: such a holder, and a free place.
 * @returns the move of such a holder; undefined if the pool does not have both
 */
export function moveWithin(taken: Taken, places: number): Move | undefined {
  const from = firstBeyond(taken, places);
  if (from === undefined) return undefined;
  for (let to = 0; to < places; to++) if (!taken.has(to)) return { from, to, holder: taken.get(from)! };
  return undefined;
}

export type GiveBack =
  /** The place of the giver becomes that of a holder beyond the limit. */
  | { readonly kind: "move"; readonly from: number; readonly holder: string }
  /** The place goes to the next that waits. */
  | { readonly kind: "pass-on" }
  | { readonly kind: "free" };

/** @param waits true if an invocation waits for a place */
export function givenBack(taken: Taken, places: number, place: number, waits: boolean): GiveBack {
  if (place >= places) return { kind: "free" };
  const from = firstBeyond(taken, places);
  if (from !== undefined) return { kind: "move", from, holder: taken.get(from)! };
  return waits ? { kind: "pass-on" } : { kind: "free" };
}
