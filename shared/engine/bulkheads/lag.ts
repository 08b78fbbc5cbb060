/** Measures how late timers fire, and lowers the amount of concurrent work while they fire late. */
import type { Clock } from "../ports/clock.ts";

const LOOK_EVERY_MS = 50;
const BEHIND_FROM_MS = 60;
const KEEPS_UP_BELOW_MS = 20;
const LEAST = 4;
const GROWTH = 1.2;

/**
 * Halves the wanted number of concurrent pieces of work at each measurement while timers fire late. Raises the number
 * step by step once they fire in time.
 */
export class Lag {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #onWanted: (count: number) => void;
  #wanted: number;

  /** @param most the highest number of pieces of work @param onWanted receives the number after each change */
  constructor(clock: Clock, most: number, onWanted: (count: number) => void) {
    this.#clock = clock;
    this.#most = most;
    this.#wanted = most;
    this.#onWanted = onWanted;
  }

  /** Measures until the signal aborts. */
  async watch(signal: AbortSignal): Promise<void> {
    for (
      let beganMs = this.#clock.nowMs();
      await this.#clock.sleep(LOOK_EVERY_MS, signal);
      beganMs = this.#clock.nowMs()
    )
      this.#look(this.#clock.nowMs() - beganMs - LOOK_EVERY_MS);
  }

  #look(lateMs: number): void {
    const before = this.#wanted;
    if (lateMs > BEHIND_FROM_MS) this.#wanted = Math.max(Math.min(LEAST, this.#most), Math.floor(before / 2));
    else if (lateMs < KEEPS_UP_BELOW_MS) this.#wanted = Math.min(this.#most, Math.ceil(before * GROWTH));
    if (this.#wanted !== before) this.#onWanted(this.#wanted);
  }
}
