/** Measures stalls of the machine: how late a timer fires in a process that does nothing else. */

const PERIOD_MS = 20;
/** A server with two busy threads never delays an idle process by this much; only the host of the machine does. */
const STALL_FROM_MS = 250;

/** Watches from its construction until `end`. */
export class Stalls {
  #longestMs = 0;
  readonly #timer: NodeJS.Timeout;

  constructor() {
    let lastMs = performance.now();
    this.#timer = setInterval(() => {
      const nowMs = performance.now();
      this.#longestMs = Math.max(this.#longestMs, nowMs - lastMs - PERIOD_MS);
      lastMs = nowMs;
    }, PERIOD_MS);
  }

  /** @returns the longest stall in milliseconds; undefined if there was none above the limit */
  end(): number | undefined {
    clearInterval(this.#timer);
    return this.#longestMs >= STALL_FROM_MS ? Math.round(this.#longestMs) : undefined;
  }
}
