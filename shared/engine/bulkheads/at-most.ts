/** Work on many things at once, but not on all of them: so much of it is under way at a time. */

/** So many requests of one invocation are on their way to the table at a time: enough to fill its groups and batches. */
export const AT_ONCE = 100;

/**
 * Begins in the order of the things. After the first failure nothing more is begun, and what is under way is waited for.
 * @returns the outcomes in the order of the things. @throws what the first work to fail threw
 */
export async function atMost<T, R>(
  count: number,
  things: readonly T[],
  work: (thing: T, at: number) => Promise<R>,
): Promise<R[]> {
  if (things.length <= count) return await Promise.all(things.map(work));
  const outcomes: R[] = [];
  let next = 0;
  let failed = false;
  const worker = async (): Promise<void> => {
    while (next < things.length && !failed) {
      const at = next++;
      try {
        outcomes[at] = await work(things[at]!, at);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: count }, worker));
  for (const one of settled) if (one.status === "rejected") throw one.reason;
  return outcomes;
}

/** Lets so many pieces of work through at a time, whoever brings them and whenever; the others wait in their order. */
export class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      // Whoever waits longest takes the place over, so that nobody who comes now gets ahead.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
