/** A clock for tests that moves only by its methods. */
import type { Clock } from "../shared/engine/ports/clock.ts";

interface Sleeper {
  readonly atMs: number;
  readonly order: number;
  readonly end: (slept: boolean) => void;
}

export class SteppedClock implements Clock {
  #nowMs: number;
  #sleepers: Sleeper[] = [];
  #order = 0;

  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  /** The number of waiting sleeps. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted === true) return Promise.resolve(false);
    if (!(ms > 0)) return Promise.resolve(true);
    return new Promise((resolve) => {
      const onAbort = (): void => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        resolve(false);
      };
      const end = (slept: boolean): void => {
        signal?.removeEventListener("abort", onAbort);
        resolve(slept);
      };
      const sleeper: Sleeper = { atMs: this.#nowMs + ms, order: this.#order++, end };
      this.#sleepers.push(sleeper);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /**
   * Moves time forward by `ms`. The sleeps that become due end in the order of their times, each at its own time; so do sleeps
   * that begin meanwhile. Real input and output takes real time, so await its outcome as well.
   */
  async advance(ms: number): Promise<void> {
    const targetMs = this.#nowMs + ms;
    await breathe();
    for (;;) {
      const due = this.#takeDue(targetMs);
      if (due === undefined) break;
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.end(true);
      await breathe();
    }
    this.#nowMs = Math.max(this.#nowMs, targetMs);
  }

  #takeDue(targetMs: number): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const sleeper of this.#sleepers) {
      if (sleeper.atMs > targetMs) continue;
      if (
        first === undefined ||
        sleeper.atMs < first.atMs ||
        (sleeper.atMs === first.atMs && sleeper.order < first.order)
      )
        first = sleeper;
    }
    if (first !== undefined) this.#sleepers = this.#sleepers.filter((other) => other !== first);
    return first;
  }
}

/** Waits for three rounds of the event loop, so that ready callbacks and their promise chains run. */
async function breathe(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise<void>((resolve) => setImmediate(resolve));
}
