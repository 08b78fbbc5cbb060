/** A clock whose time stands still while anything can run, and then jumps to the end of the next sleep. */
import type { Clock } from "../../shared/engine/ports/clock.ts";

interface Sleeper {
  readonly atMs: number;
  readonly owner: object | undefined;
  readonly wake: () => void;
}

export const START_MS = Date.UTC(2026, 0, 1, 12);

export class VirtualClock implements Clock {
  /** In the order in which the sleeps began; sleeps that end at the same moment end in this order. */
  readonly #sleepers = new Set<Sleeper>();
  #nowMs = START_MS;

  nowMs(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<boolean> {
    return this.sleepOf(undefined, ms, signal);
  }

  /** @param owner the owner of the sleep; `forget` removes all sleeps of one owner together */
  sleepOf(owner: object | undefined, ms: number, signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted === true) return Promise.resolve(false);
    if (!(ms > 0)) return Promise.resolve(true);
    return new Promise((resolve) => {
      const leave = (): void => {
        this.#sleepers.delete(sleeper);
        resolve(false);
      };
      const wake = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve(true);
      };
      // A clock of the system shows whole milliseconds, and a sleep never ends early.
      const sleeper = { atMs: this.#nowMs + Math.ceil(ms), owner, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  /** Lets time pass while nothing runs, as on a suspended machine: a sleep that becomes due within this time ends late. */
  pass(ms: number): void {
    this.#nowMs += ms;
  }

  /** Removes the sleeps of this owner, so that these sleeps never end. */
  forget(owner: object): void {
    for (const sleeper of this.#sleepers) if (sleeper.owner === owner) this.#sleepers.delete(sleeper);
  }

  /** Jumps to the end of the first sleep. @returns false if there are no sleeps */
  jump(): boolean {
    let first: Sleeper | undefined;
    for (const sleeper of this.#sleepers) {
      if (first === undefined || sleeper.atMs < first.atMs) first = sleeper;
    }
    if (first === undefined) return false;
    this.#sleepers.delete(first);
    this.#nowMs = Math.max(this.#nowMs, first.atMs);
    first.wake();
    return true;
  }
}
