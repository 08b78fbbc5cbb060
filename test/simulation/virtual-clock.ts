/** A time that stands still while anything can run, and then jumps to the next moment at which something will. */
import type { Clock } from "../../shared/engine/ports/clock.ts";

interface Sleeper {
  readonly atMs: number;
  readonly owner: object | undefined;
  readonly wake: () => void;
}

export const START_MS = Date.UTC(2026, 0, 1, 12);

export class VirtualClock implements Clock {
  /** In the order in which they lay down, which is the order in which those of one moment wake. */
  readonly #sleepers = new Set<Sleeper>();
  #nowMs = START_MS;

  nowMs(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<boolean> {
    return this.sleepOf(undefined, ms, signal);
  }

  /** @param owner whose sleeps end together, by `forget` */
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
      const sleeper = { atMs: this.#nowMs + ms, owner, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  /** Time goes by while nothing runs, as on a machine that is suspended: what was due meanwhile wakes late. */
  pass(ms: number): void {
    this.#nowMs += ms;
  }

  /** The sleeps of this owner never end. */
  forget(owner: object): void {
    for (const sleeper of this.#sleepers) if (sleeper.owner === owner) this.#sleepers.delete(sleeper);
  }

  /** Jumps to the first sleeper and wakes it. @returns false where nobody sleeps */
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
