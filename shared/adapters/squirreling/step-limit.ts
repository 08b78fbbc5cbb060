/** A bound on the work of one statement: the engine asks its signal at each row of a join, a sort or a group. */
import { SqlError } from "../../engine/ports/sql.ts";

export class StepLimit {
  #left: number;
  /** Counts how often it is asked, and says "stop" when that was too often. The engine then ends without a word. */
  readonly signal: AbortSignal;

  constructor(stepsMax: number) {
    this.#left = stepsMax;
    const { signal } = new AbortController();
    Object.defineProperty(signal, "aborted", { get: () => --this.#left < 0 });
    this.signal = signal;
  }

  /** @throws SqlError where the engine was stopped: what it gave is not everything */
  check(): void {
    if (this.#left < 0)
      throw new SqlError(
        "refused",
        "this statement takes too many steps; narrow what it joins, sorts or groups by WHERE",
      );
  }
}
