/** Counts the invocations that have failed on a service of a deployment since the last success there. */
import type { InvocationId } from "../../core/model/ids.ts";

/** The number of different invocations in a row whose failures open the circuit. */
export const FAILURES_TO_OPEN = 20;
/** The lower number for a deployment that sends `Retry-After`, which is a clear sign of overload. */
export const FAILURES_TO_OPEN_WHEN_ASKED = 4;
/** If more time than this has passed since the previous failure, a failure begins a new tally. */
const FORGOTTEN_AFTER_MS = 60_000;

interface Tally {
  readonly invocations: Set<InvocationId>;
  lastAtMs: number;
}

/** In memory only: each process counts for itself, and shares the result by opening the circuit. */
export class FailureTallies {
  readonly #tallies = new Map<string, Tally>();

  /** @returns how many different invocations have failed under this name in a row, this one included */
  add(name: string, id: InvocationId, atMs: number): number {
    let tally = this.#tallies.get(name);
    if (tally === undefined || atMs - tally.lastAtMs > FORGOTTEN_AFTER_MS) {
      tally = { invocations: new Set(), lastAtMs: atMs };
      this.#tallies.set(name, tally);
    }
    tally.lastAtMs = atMs;
    if (tally.invocations.size < FAILURES_TO_OPEN) tally.invocations.add(id);
    return tally.invocations.size;
  }

  clear(name: string): void {
    if (this.#tallies.size > 0) this.#tallies.delete(name);
  }
}
