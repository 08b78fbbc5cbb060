/** Clock skew: every process has its own time, some seconds ahead of the true one or behind it. */
import type { Clock } from "../../../shared/engine/ports/clock.ts";
import type { Random } from "./random.ts";

/** The clocks differ in so many of the seeds. */
export const SKEW_SHARE = 0.3;
export const SKEW_MAX_MS = 5_000;

/** Only what a clock shows is wrong: a wait takes as long as it should. */
export function skewed(clock: Clock, offsetMs: number): Clock {
  if (offsetMs === 0) return clock;
  return { nowMs: () => clock.nowMs() + offsetMs, sleep: (ms, signal) => clock.sleep(ms, signal) };
}

export class Skew {
  readonly #random: Random;
  readonly #onStrike: () => void;
  readonly strikes: boolean;
  /** Handlers write down the ends of their sleeps by the time of their own machine. */
  readonly ofDeploymentMs: number;

  /** @param onStrike counts the clocks that are wrong */
  constructor(random: Random, isBound: boolean, onStrike: () => void) {
    this.#random = random;
    this.#onStrike = onStrike;
    this.strikes = random.chance(isBound ? 1 : SKEW_SHARE);
    this.ofDeploymentMs = this.next();
  }

  /** The offset of one more clock. */
  next(): number {
    if (!this.strikes) return 0;
    this.#onStrike();
    return this.#random.between(-SKEW_MAX_MS, SKEW_MAX_MS);
  }
}
