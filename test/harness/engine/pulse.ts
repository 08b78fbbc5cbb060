/** The clock of a stage: a test lets time pass, from the end of one sleep to the next, and never during a read or write. */
import type { Clock } from "../../../shared/engine/ports/clock.ts";
import { SteppedClock } from "../../stepped-clock.ts";

const QUIET_ROUNDS = 4;

export class Pulse implements Clock {
  readonly #clock = new SteppedClock();
  readonly #sleeps = new Set<{ readonly untilMs: number }>();
  /** By how much the time of day differs from the time of the sleeps. */
  #setMs = 0;
  #busy = 0;
  /** The functions to call when no read and no write is running any more. */
  #idle: (() => void)[] = [];

  nowMs(): number {
    return this.#clock.nowMs() + this.#setMs;
  }

  /** Sets the time of day forward or back. No sleep notices this, as no timer of a machine does. */
  set(byMs: number): void {
    this.#setMs += byMs;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<boolean> {
    const sleep = { untilMs: this.#clock.nowMs() + ms };
    this.#sleeps.add(sleep);
    try {
      return await this.#clock.sleep(ms, signal);
    } finally {
      this.#sleeps.delete(sleep);
    }
  }

  /** Counts the work as running until it settles. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#busy++;
    try {
      return await work;
    } finally {
      if (--this.#busy === 0) for (const resume of this.#idle.splice(0)) resume();
    }
  }

  /** Resolves when nothing more happens unless time passes. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_ROUNDS;) {
      // While the store works, rounds of this loop would take the processor from it.
      if (this.#busy > 0) await new Promise<void>((resolve) => void this.#idle.push(resolve));
      await new Promise<void>((resolve) => setImmediate(resolve));
      quiet = this.#busy === 0 ? quiet + 1 : 0;
    }
  }

  /** Lets `ms` milliseconds pass, stopping at the end of every sleep. */
  async pass(ms: number): Promise<void> {
    await this.#passUntil(this.#clock.nowMs() + ms, () => false);
  }

  /** Lets time pass until the promise settles. @throws Error if that takes more than `ms` milliseconds */
  async within<T>(ms: number, promise: Promise<T>): Promise<T> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    promise.then(over, over);
    await this.#passUntil(this.#clock.nowMs() + ms, () => isOver);
    if (!isOver) throw new Error(`the promise did not settle within ${ms} ms`);
    return await promise;
  }

  async #passUntil(targetMs: number, isEnough: () => boolean): Promise<void> {
    for (;;) {
      await this.settle();
      if (isEnough()) return;
      const nextMs = Math.min(...[...this.#sleeps].map(({ untilMs }) => untilMs));
      if (nextMs > targetMs) break;
      await this.#clock.advance(Math.max(0, nextMs - this.#clock.nowMs()));
    }
    const leftMs = targetMs - this.#clock.nowMs();
    if (leftMs > 0) await this.#clock.advance(leftMs);
    await this.settle();
  }
}
