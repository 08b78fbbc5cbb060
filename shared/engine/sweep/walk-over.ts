/** Walks over the entries of an index until time is over, and returns the place where the next call continues. */
import { behind, type IndexPosition } from "../store/index-walk.ts";
import type { Guard } from "./guard.ts";
import type { Check } from "./check.ts";

/** The most looks that run together: each takes some round trips to the table, and memory for a whole invocation. */
const LOOKS_TOGETHER = 8;

export interface Walking<T> {
  readonly positionOf: (item: T) => IndexPosition;
  /** The looks that the entry needs, which may be none. */
  readonly looksAt: (item: T) => readonly Check[];
  /** Called for an entry with a look that failed. */
  readonly onFailed?: (item: T) => void;
  readonly isOver: () => boolean;
  readonly guard: Guard;
}

/**
 * Passes at least one entry, so that repeated calls reach the end.
 * @param items the entries in the order of their places
 * @returns the place where to continue; undefined at the end. The looks at all entries before that place are over.
 */
export async function walkOver<T>(items: AsyncIterable<T>, walking: Walking<T>): Promise<IndexPosition | undefined> {
  const { positionOf, looksAt, onFailed, isOver, guard } = walking;
  let looks: Promise<unknown>[] = [];
  let reached: IndexPosition | undefined;
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
      reached = positionOf(item);
    }
    return undefined;
  } finally {
    // Waits even if the read of the index fails, because no look may be under way when a Lambda function freezes.
    await settle();
  }
}
