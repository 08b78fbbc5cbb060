/** Limits the work of one statement: the SQL engine reads the limit's signal at each row of a join, a sort or a group. */
import { SqlError } from "../../engine/ports/sql.ts";

export class StepLimit {
  #left: number;
  /** Counts its reads and aborts when they exceed the limit. The SQL engine then ends without an error. */
  readonly signal: AbortSignal;

  constructor(stepsMax: number) {
    this.#left = stepsMax;
    const { signal } = new AbortController();
    Object.defineProperty(signal, "aborted", { get: () => --this.#left < 0 });
    this.signal = signal;
  }

  /** @throws SqlError if the limit stopped the SQL engine, so that its result is incomplete */
  check(): void {
    if (this.#left < 0)
      throw new SqlError(
        "refused",
        "this statement takes too many steps; narrow what it joins, sorts or groups by WHERE",
      );
  }
}
