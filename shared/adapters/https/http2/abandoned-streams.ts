/** Remembers the streams that this side reset: frames that were under way at the reset are no errors. */

const REMEMBERED_MAX = 1_000;

export class AbandonedStreams {
  /** The most recent ones. */
  readonly #ids = new Set<number>();
  /** Every closed stream with this id or a lower one is excused, because `#ids` drops its oldest ids. */
  #excusedUpTo = 0;

  add(id: number): void {
    this.#ids.add(id);
    if (this.#ids.size <= REMEMBERED_MAX) return;
    const [oldest = 0] = this.#ids;
    this.#ids.delete(oldest);
    this.#excusedUpTo = Math.max(this.#excusedUpTo, oldest);
  }

  /** True if a late frame for this closed stream is no error. */
  excuses(id: number): boolean {
    return id <= this.#excusedUpTo || this.#ids.has(id);
  }
}
