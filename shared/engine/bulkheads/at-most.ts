/** Bounds the number of asynchronous operations that run at a time. */

/** The most requests of one invocation to the table at a time: enough to fill the embedded store's commit groups. */
export const AT_ONCE = 100;

/**
 * Starts work in the order of `things`. After the first failure no further work starts, and the failure is thrown after the
 * running work has ended.
 * @returns the outcomes in the order of `things`.
 * @throws the error of one failed operation
 */
export async function atMost<T, R>(
  count: number,
  things: readonly T[],
  work: (thing: T, at: number) => Promise<R>,
): Promise<R[]> {
  if (things.length <= count) return settledOrThrown(await Promise.allSettled(things.map(work)));
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
  settledOrThrown(await Promise.allSettled(Array.from({ length: count }, worker)));
  return outcomes;
}

/** @throws the reason of the first rejected one, in the order of `settled` */
function settledOrThrown<R>(settled: readonly PromiseSettledResult<R>[]): R[] {
  return settled.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
}

/** Lets a fixed number of operations run at a time, across all callers; further operations wait in order. */
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
      // The operation that has waited longest takes over the slot, so that no new operation can overtake it.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
