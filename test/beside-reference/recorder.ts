/** Counts the acts of the handlers of one side, and tells a player when a program waits at a step. */

export class Recorder {
  readonly #counts = new Map<string, number>();
  readonly #reached = new Map<string, Reached>();
  readonly #waiters = new Map<string, (reached: Reached) => void>();

  /** @returns how often this was counted, with this time */
  count(play: string, what: string): number {
    const key = `${play}/${what}`;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }

  /** @returns the counts of a play by what was counted, of those that begin so */
  countsOf(play: string, prefix: string): Record<string, number> {
    const from = `${play}/${prefix}`;
    const found = [...this.#counts].filter(([key]) => key.startsWith(from));
    return Object.fromEntries(found.map(([key, count]) => [key.slice(play.length + 1), count]));
  }

  /** A program waits at a step now; a later attempt that waits there again changes nothing. */
  waits(play: string, where: string, reached: Reached): void {
    const key = `${play}/${where}`;
    if (this.#reached.has(key)) return;
    this.#reached.set(key, reached);
    this.#waiters.get(key)?.(reached);
  }

  untilWaits(play: string, where: string): Promise<Reached> {
    const key = `${play}/${where}`;
    const reached = this.#reached.get(key);
    if (reached !== undefined) return Promise.resolve(reached);
    return new Promise((resolve) => this.#waiters.set(key, resolve));
  }
}

export interface Reached {
  readonly invocation: string;
  /** The awakeable that the program waits for. */
  readonly awakeable?: string;
}
