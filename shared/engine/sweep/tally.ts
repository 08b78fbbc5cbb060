/** Counts the results of one pass, or of one slice of a walk. */

import type { OpenCount } from "./open-count.ts";

/**
 * In the walk `everything`, a pass or a slice reads the arrivals of at most this many entries that are not due: entries whose
 * age has doubled since the previous walk. An entry that this limit leaves out is read once its age has doubled again.
 */
export const READS_MAX = 5_000;

export class Tally {
  woken = 0;
  extended = 0;
  postponed = 0;
  readsLeft = READS_MAX;
  #alone: Promise<unknown> = Promise.resolve();
  /** True if the walk over the listing stopped because too many looks failed. */
  isStuck = false;
  /** True if an extension failed. */
  isExtensionMissing = false;
  /** The earliest due moment of the parked invocations that were found due; `Infinity` if there is none. */
  dueSinceMs: number;
  /** The walks `due` and `everything` add to this one count; present if both began together in this pass. */
  open?: OpenCount;
  /** The count of the walk that an operator has ordered; present if it began in this pass. */
  orderedOpen?: OpenCount;

  /** @param dueSinceMs the value that earlier passes of the same walk have found */
  constructor(dueSinceMs = Infinity) {
    this.dueSinceMs = dueSinceMs;
  }

  /** Runs the looks one after the other, so that only one invocation is in memory. */
  async alone<T>(look: () => Promise<T>): Promise<T> {
    const looked = this.#alone.then(() => look());
    this.#alone = looked.catch(() => undefined);
    return await looked;
  }
}
