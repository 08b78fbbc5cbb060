/** The limit in bytes of one journal, which a driver has in memory as a whole. */
import type { Bulkheads } from "./bulkheads.ts";

/** The limit of a journal, as a multiple of the budget of all journals, and its lower bound in a small process. */
const JOURNAL_OF_BUDGET = 2;
const JOURNAL_LEAST_BYTES = 128 * 1024 * 1024;
/** A full journal still takes small replies and results, so that its handler can end, until it has grown by this much more. */
const FULL_GROWTH_MAX_BYTES = 16 * 1024 * 1024;
const SMALL_GROWTH_BYTES = 64 * 1024;

export function journalMaxBytes({ journals }: Pick<Bulkheads, "journals">): number {
  return Math.max(JOURNAL_LEAST_BYTES, JOURNAL_OF_BUDGET * journals.capacity);
}

/**
 * The bytes by which a journal may grow in one attempt. The notifications that the attempt gets and the entries that it returns
 * count. Without a limit an endless handler could fill the memory.
 */
export function journalLeftBytes(bulkheads: Pick<Bulkheads, "journals">, sizeBytes: number): number {
  const leftBytes = journalMaxBytes(bulkheads) - sizeBytes;
  if (leftBytes > SMALL_GROWTH_BYTES) return leftBytes;
  return leftBytes > -FULL_GROWTH_MAX_BYTES ? SMALL_GROWTH_BYTES : 0;
}
