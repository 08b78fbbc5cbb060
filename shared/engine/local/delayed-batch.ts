/** Delays work for a moment and begins it together, with one timer for all of it. */
import type { Clock } from "../ports/clock.ts";

export class DelayedBatch {
  readonly #clock: Clock;
  #waiting: (() => void)[] = [];
  #isRunning = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param begin is called after `waitMs` at the earliest and twice that at the latest */
  add(waitMs: number, begin: () => void): void {
    this.#waiting.push(begin);
    if (!this.#isRunning) void this.#run(waitMs);
  }

  async #run(waitMs: number): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const due = this.#waiting;
      this.#waiting = [];
      await this.#clock.sleep(waitMs);
      for (const begin of due) begin();
    }
    this.#isRunning = false;
  }
}
