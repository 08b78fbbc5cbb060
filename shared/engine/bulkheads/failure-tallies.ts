/** Counts the invocations that have failed on one service of one deployment since an attempt there last succeeded. */
import type { InvocationId } from "../../core/model/ids.ts";

/** So many different invocations fail in a row before the circuit opens. */
export const FAILURES_TO_OPEN = 20;
/** A deployment that asks for patience by `Retry-After` is believed earlier. */
export const FAILURES_TO_OPEN_WHEN_ASKED = 4;
/** Failures further apart than this belong to no common cause. */
const FORGOTTEN_AFTER_MS = 60_000;

interface Tally {
  readonly invocations: Set<InvocationId>;
  lastAtMs: number;
}

/** In memory only: each process makes up its own mind, and tells the others by the circuit that it opens. */
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
