/** A long stretch of time in which next to nothing runs: the sweeper rests, or comes by seldom. */
import type { Clock } from "../../../shared/engine/ports/clock.ts";
import type { VirtualClock } from "../virtual-clock.ts";

/** How often the sweeper comes by at other times. */
export const SWEEP_INTERVAL_MS = 60_000;

export class Leap {
  readonly #clock: VirtualClock;
  #untilMs = 0;
  #sweepEveryMs = 0;
  /** How long all leaps took together. */
  leaptMs = 0;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  /** @param sweepEveryMs Infinity where the sweeper rests */
  begin(ms: number, sweepEveryMs: number): void {
    this.#untilMs = this.#clock.nowMs() + ms;
    this.#sweepEveryMs = sweepEveryMs;
    this.leaptMs += ms;
  }

  get isOn(): boolean {
    return this.#leftMs > 0;
  }

  get #leftMs(): number {
    return this.#untilMs - this.#clock.nowMs();
  }

  /** How long a worker waits for messages: until the end of the leap, because a message ends the wait at once. */
  waitMs(ms: number): number {
    return ms === 0 ? 0 : Math.max(ms, this.#leftMs);
  }

  /** The clock of a sweeper: the pause between its passes is as long as the leap says. */
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
