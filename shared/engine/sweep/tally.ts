/** Counts the results of one pass, or of one slice of a walk. */

/** The most reads of arrivals in one pass: an entry that is left out is read when its age has doubled again. */
export const READS_MAX = 5_000;

export class Tally {
  woken = 0;
  extended = 0;
  postponed = 0;
  readsLeft = READS_MAX;
  #alone: Promise<unknown> = Promise.resolve();
  /** The walk over the listing stopped, because the looks at too many entries failed. */
  isStuck = false;
  /** Since when the longest overdue parked invocation has been due. */
  dueSinceMs: number;

  /** @param dueSinceMs the value that earlier passes of the same walk have found */
  constructor(dueSinceMs = Infinity) {
    this.dueSinceMs = dueSinceMs;
  }

  /** Runs one look after the other, so that no two of them are in memory together. */
  async alone<T>(look: () => Promise<T>): Promise<T> {
    const looked = this.#alone.then(() => look());
    this.#alone = looked.catch(() => undefined);
    return await looked;
  }
}
