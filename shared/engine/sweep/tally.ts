/** What one pass, or one slice of a walk, has come to so far. */

/** Read for what arrived by one pass, at most: where many are of an age, those left out are read a doubling later. */
export const READS_MAX = 5_000;

export class Tally {
  woken = 0;
  extended = 0;
  postponed = 0;
  readsLeft = READS_MAX;
  #alone: Promise<unknown> = Promise.resolve();
  /** The listing has too much that cannot be looked at. */
  isStuck = false;
  /** Since when the oldest of those that are parked and due has been due. */
  dueSinceMs: number;

  /** @param dueSinceMs as far as earlier passes of the same walk tell */
  constructor(dueSinceMs = Infinity) {
    this.dueSinceMs = dueSinceMs;
  }

  /** Begins once every look that was to be alone before is over: no two of them are in memory together. */
  async alone<T>(look: () => Promise<T>): Promise<T> {
    const looked = this.#alone.then(() => look());
    this.#alone = looked.catch(() => undefined);
    return await looked;
  }
}
