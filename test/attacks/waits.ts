/** Measures how long the calls of one kind take, including the calls that are still open at the end. */

export interface WaitFigures {
  readonly count: number;
  /** Null if no call was answered. */
  readonly p50Ms: number | null;
  readonly maxMs: number | null;
  readonly failed: number;
}

export class Waits {
  readonly failures: string[] = [];
  readonly #answeredMs: number[] = [];
  readonly #openSinceMs = new Set<{ readonly ms: number }>();
  #closed = false;

  /** Resolves when the call has succeeded or failed. */
  async measure(call: () => Promise<unknown>): Promise<void> {
    const since = { ms: performance.now() };
    this.#openSinceMs.add(since);
    try {
      await call();
      this.#answeredMs.push(performance.now() - since.ms);
    } catch (error) {
      if (this.#closed) return;
      const { message, cause } = error as Error;
      this.failures.push(cause instanceof Error ? `${message} (${cause.message})` : message);
    }
    this.#openSinceMs.delete(since);
  }

  get open(): number {
    return this.#openSinceMs.size;
  }

  /** Counts the calls that are still open as failed. */
  close(): void {
    this.#closed = true;
    const nowMs = performance.now();
    for (const { ms } of this.#openSinceMs) {
      this.#answeredMs.push(nowMs - ms);
      this.failures.push("no answer until the end");
    }
  }

  figures(): WaitFigures {
    const sorted = this.#answeredMs.toSorted((one, other) => one - other).map((ms) => Math.round(ms));
    const [p50Ms = null, maxMs = null] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
    return { count: sorted.length, p50Ms, maxMs, failed: this.failures.length };
  }
}
