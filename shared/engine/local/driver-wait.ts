/**
 * The wait of a driver: it ends at a moment, or when other code of the process interrupts it. A handler of many steps begins
 * thousands of waits, nearly all of which are interrupted, so one sleep of the clock serves many waits.
 */
import type { Clock } from "../ports/clock.ts";

interface Sleep {
  readonly untilMs: number;
  readonly end: AbortController;
}

/** The reason of each abort. An abort without a reason would make an error with a stack. */
const NO_LONGER_NEEDED = Symbol("no longer needed");

export class DriverWait {
  #untilMs = 0;
  /** The time that the wait asked for: no sleep for it is longer, although the clock may be set back meanwhile. */
  #askedMs = 0;
  #resume: (() => void) | undefined;
  #sleep: Sleep | undefined;

  /** Waits for `ms`, or until `interrupt` is called. One wait at a time. */
  begin(clock: Clock, ms: number): Promise<void> {
    this.#untilMs = clock.nowMs() + ms;
    this.#askedMs = ms;
    return new Promise((resolve) => {
      this.#resume = resolve;
      this.#sleepOn(clock);
    });
  }

  /** Ends the wait, if there is one. */
  interrupt(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  /** Ends the sleep of the clock. Called when the driver leaves. */
  close(): void {
    this.#sleep?.end.abort(NO_LONGER_NEEDED);
    this.#sleep = undefined;
  }

  /**
   * If the present sleep ends no later than the wait, this sleep goes on, and a further sleep follows if needed. Otherwise a
   * shorter sleep replaces the present one.
   */
  #sleepOn(clock: Clock): void {
    if (this.#sleep !== undefined && this.#sleep.untilMs <= this.#untilMs) return;
    this.close();
    const sleep = { untilMs: this.#untilMs, end: new AbortController() };
    this.#sleep = sleep;
    const ms = Math.min(this.#askedMs, Math.max(0, sleep.untilMs - clock.nowMs()));
    void clock.sleep(ms, sleep.end.signal).then((slept) => {
      if (!slept || this.#sleep !== sleep) return;
      this.#sleep = undefined;
      if (this.#resume === undefined) return;
      if (this.#untilMs <= sleep.untilMs) this.interrupt();
      else this.#sleepOn(clock);
    });
  }
}
