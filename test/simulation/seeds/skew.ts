/** Clock skew: in some seeds the clock of every process is up to five seconds ahead of the true time or behind it. */
import type { Clock } from "../../../shared/engine/ports/clock.ts";
import type { Random } from "../random.ts";

/** The share of the seeds in which the clocks differ. */
export const SKEW_SHARE = 0.3;
export const SKEW_MAX_MS = 5_000;

/** Only the shown time is wrong: a wait takes its true length. */
export function skewed(clock: Clock, offsetMs: number): Clock {
  if (offsetMs === 0) return clock;
  return { nowMs: () => clock.nowMs() + offsetMs, sleep: (ms, signal) => clock.sleep(ms, signal) };
}

export class Skew {
  readonly #random: Random;
  readonly #onStrike: () => void;
  readonly strikes: boolean;
  /** The skew of the deployment's machine: handlers compute the ends of their sleeps from the clock of that machine. */
  readonly ofDeploymentMs: number;

  /** @param onStrike called for each clock that is wrong */
  constructor(random: Random, isBound: boolean, onStrike: () => void) {
    this.#random = random;
    this.#onStrike = onStrike;
    this.strikes = random.chance(isBound ? 1 : SKEW_SHARE);
    this.ofDeploymentMs = this.next();
  }

  /** @returns the offset of one more clock, in milliseconds */
  next(): number {
    if (!this.strikes) return 0;
    this.#onStrike();
    return this.#random.between(-SKEW_MAX_MS, SKEW_MAX_MS);
  }
}
