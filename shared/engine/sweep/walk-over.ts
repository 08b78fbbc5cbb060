/** A walk over the entries of an index, as far as time allows: what it has not come to is gone on with from there. */
import { behind, type Place } from "../ledger/index-walk.ts";
import type { Guard } from "./guard.ts";
import type { Look } from "./look.ts";

/** Each look takes some round trips to the table, and may bring as much into memory as an invocation can hold. */
const LOOKS_TOGETHER = 8;

export interface Walking<T> {
  readonly placeOf: (item: T) => Place;
  /** None where there is nothing to look at. */
  readonly looksAt: (item: T) => readonly Look[];
  /** What could not be looked at. */
  readonly onFailed?: (item: T) => void;
  readonly isOver: () => boolean;
  readonly guard: Guard;
}

/**
 * Comes past one entry at least, so that whoever goes on again and again comes to the end.
 * @param items in the order of their places
 * @returns where to go on; undefined at the end. Whatever was come past has been looked at.
 */
export async function walkOver<T>(items: AsyncIterable<T>, walking: Walking<T>): Promise<Place | undefined> {
  const { placeOf, looksAt, onFailed, isOver, guard } = walking;
  let looks: Promise<unknown>[] = [];
  let reached: Place | undefined;
  const settle = async (): Promise<void> => {
    await Promise.all(looks);
    looks = [];
  };
  try {
    for await (const item of items) {
      if (reached !== undefined && isOver()) return behind(reached);
      for (const look of looksAt(item)) {
        if (guard.isCautious) await guard.mark(look.id, look.phase);
        looks.push(look.run().then((isDone) => (isDone ? undefined : onFailed?.(item))));
        if (guard.isCautious || looks.length >= LOOKS_TOGETHER) await settle();
      }
      reached = placeOf(item);
    }
    return undefined;
  } finally {
    // Also where the index fails: nothing may be on its way when the function is frozen.
    await settle();
  }
}
