/** Lets callers wait until a given moment; a ring for an earlier moment ends their waits. */
import { MINUTE_MS } from "../../core/model/time-units.ts";
import type { Clock } from "../../engine/ports/clock.ts";

/**
 * The longest sleep before the next look at the time of day. Timers do not notice that the clock of the machine is set, nor that the
 * machine was suspended, so a longer sleep would delay whatever became due meanwhile.
 */
const SLEEP_MAX_MS = 10 * MINUTE_MS;

interface Waiter {
  readonly untilMs: number;
  readonly wake: () => void;
}

export class Alarm {
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves at `untilMs` (after ten minutes at the latest), when `ring` names an earlier moment, or when the signal aborts. */
  async wait(untilMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return;
    const controller = new AbortController();
    const waiter: Waiter = { untilMs, wake: () => controller.abort() };
    this.#waiters.add(waiter);
    signal?.addEventListener("abort", waiter.wake, { once: true });
    await this.#clock.sleep(Math.min(Math.max(untilMs - this.#clock.nowMs(), 0), SLEEP_MAX_MS), controller.signal);
    signal?.removeEventListener("abort", waiter.wake);
    this.#waiters.delete(waiter);
  }

  /** Wakes the waiters whose moment is later than `atMs`; all of them for -Infinity. */
  ring(atMs: number): void {
    for (const waiter of this.#waiters) {
      if (atMs >= waiter.untilMs) continue;
      this.#waiters.delete(waiter);
      waiter.wake();
    }
  }
}
