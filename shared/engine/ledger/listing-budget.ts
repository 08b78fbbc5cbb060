/** What one question about many invocations may read, counted as it reads. */
import { SqlError } from "../ports/sql.ts";

export interface ListingLimits {
  /** Entries of the two indexes: some forty of them are one read unit. */
  readonly entriesMax: number;
  /** Invocations loaded from their partitions: one read unit each while they are small. */
  readonly loadsMax: number;
  /** Of those, how many of the newest are loaded only to see whether they have ended. */
  readonly settledMax: number;
}

/** A statement may read for a second or two, and costs cents at most; a page of a list is to cost nothing worth counting. */
export const STATEMENT_LIMITS: ListingLimits = { entriesMax: 200_000, loadsMax: 5_000, settledMax: 2_000 };

const REMEDY =
  "narrow it by id, by status (status != 'completed' reads no completed ones), by created_at, or by a LIMIT under ORDER BY created_at";

export class ListingBudget {
  readonly limits: ListingLimits;
  #entries = 0;
  #loads = 0;

  constructor(limits: ListingLimits) {
    this.limits = limits;
  }

  /** @throws SqlError */
  entries(count: number): void {
    this.#entries += count;
    if (this.#entries > this.limits.entriesMax)
      throw new SqlError("refused", `this reads more than ${this.limits.entriesMax} invocations; ${REMEDY}`);
  }

  /** @throws SqlError */
  loads(count: number): void {
    this.#loads += count;
    if (this.#loads > this.limits.loadsMax)
      throw new SqlError("refused", `this looks into more than ${this.limits.loadsMax} invocations; ${REMEDY}`);
  }
}
