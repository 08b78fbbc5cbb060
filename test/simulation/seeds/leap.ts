/** A long stretch of time in which almost nothing runs: the sweeper rests, or makes few passes. */
import type { Clock } from "../../../shared/engine/ports/clock.ts";
import type { VirtualClock } from "../virtual-clock.ts";

/** The interval of the sweeper at other times. */
export const SWEEP_INTERVAL_MS = 60_000;

export class Leap {
  readonly #clock: VirtualClock;
  #untilMs = 0;
  #sweepEveryMs = 0;
  /** The sum of the lengths of all leaps. */
  leaptMs = 0;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  /** @param sweepEveryMs Infinity if the sweeper rests */
  begin(ms: number, sweepEveryMs: number): void {
    this.#untilMs = this.#clock.nowMs() + ms;
    this.#sweepEveryMs = sweepEveryMs;
    this.leaptMs += ms;
  }

  /** Counts a stretch in which no process runs. */
  skip(ms: number): void {
    this.leaptMs += ms;
  }

  get isOn(): boolean {
    return this.#leftMs > 0;
  }

  get #leftMs(): number {
    return this.#untilMs - this.#clock.nowMs();
  }

  /**
   * @param ms the wait that a receive asks for
   * @returns the wait that the receive gets: at least to the end of the leap; 0 for 0. A leap delays no message, because a
   *   message ends the wait at once
   */
  waitMs(ms: number): number {
    return ms === 0 ? 0 : Math.max(ms, this.#leftMs);
  }

  /** The clock of a sweeper, with the pauses between passes that the leap sets. */
  clockOf(clock: Clock): Clock {
    return {
      nowMs: () => clock.nowMs(),
      sleep: async (ms, signal) => {
        const whole = await clock.sleep(ms, signal);
        if (ms < SWEEP_INTERVAL_MS || !whole || !this.isOn) return whole;
        return await clock.sleep(Math.min(this.#leftMs, this.#sweepEveryMs), signal);
      },
    };
  }
}
