/** Pauses after failed tries. Each pause is twice as long as the one before, up to a maximum. */

const FIRST_MS = 200;
const MAX_MS = 10_000;

export class Backoff {
  #nextMs = FIRST_MS;

  next(): number {
    const pauseMs = this.#nextMs;
    this.#nextMs = Math.min(MAX_MS, pauseMs * 2);
    return pauseMs;
  }

  reset(): void {
    this.#nextMs = FIRST_MS;
  }
}
