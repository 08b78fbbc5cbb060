/** Delays work for a moment and begins it together, with one timer for all work of the same delay. */
import type { Clock } from "../ports/clock.ts";

export class DelayedBatch {
  readonly #clock: Clock;
  /** By delay in milliseconds; callers use few different delays. */
  readonly #waiting = new Map<number, (() => void)[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param begin begins the work; the batch calls it after `waitMs` at the earliest and after twice that time at the latest */
  add(waitMs: number, begin: () => void): void {
    const waiting = this.#waiting.get(waitMs);
    if (waiting !== undefined) return void waiting.push(begin);
    this.#waiting.set(waitMs, [begin]);
    void this.#run(waitMs);
  }

  async #run(waitMs: number): Promise<void> {
    for (let due = this.#waiting.get(waitMs)!; due.length > 0; due = this.#waiting.get(waitMs)!) {
      this.#waiting.set(waitMs, []);
      await this.#clock.sleep(waitMs);
      for (const begin of due) begin();
    }
    this.#waiting.delete(waitMs);
  }
}
