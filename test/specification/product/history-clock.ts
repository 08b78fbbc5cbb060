/** A clock whose time stands still while anything can run, and then jumps to the end of the next sleep, up to a moment. */
import type { Clock } from "../../../shared/engine/ports/clock.ts";

interface Sleeper {
  readonly atMs: number;
  readonly owner: object | undefined;
  readonly wake: () => void;
}

export const BEGIN_MS = Date.UTC(2026, 0, 5, 12);

export class HistoryClock implements Clock {
  readonly #sleepers = new Set<Sleeper>();
  #nowMs = BEGIN_MS;

  nowMs(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<boolean> {
    return this.sleepOf(undefined, ms, signal);
  }

  /** @param owner the process that sleeps; `forget` removes all its sleeps */
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

  forget(owner: object): void {
    for (const sleeper of this.#sleepers) if (sleeper.owner === owner) this.#sleepers.delete(sleeper);
  }

  /** Jumps to the end of the next sleep. @returns false, at the moment, if no sleep ends until then */
  jump(untilMs: number): boolean {
    let first: Sleeper | undefined;
    for (const sleeper of this.#sleepers)
      if (sleeper.atMs <= untilMs && (first === undefined || sleeper.atMs < first.atMs)) first = sleeper;
    this.#nowMs = Math.max(this.#nowMs, first?.atMs ?? untilMs);
    if (first === undefined) return false;
    this.#sleepers.delete(first);
    first.wake();
    return true;
  }
}
