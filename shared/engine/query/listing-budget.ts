/** The budget of one list or statement: the limits of what it may read. */
import { SqlError } from "../ports/sql.ts";

export interface ListingLimits {
  /** Entries of the two indexes. About forty of them cost one read unit. */
  readonly entriesMax: number;
  /** Invocations that are loaded from their partitions. A small one costs one read unit. */
  readonly loadsMax: number;
  /**
   * Young invocations that the statement looks at to find out whether they have ended. The look at a small one costs one or
   * two read units.
   */
  readonly looksMax: number;
  /** Bytes of the journals whose entries the statement holds as rows at one time. */
  readonly journalMaxBytes: number;
  /**
   * Pages of the walk over the partitions of objects. In a table that many processes share, each page reads 1 MB, which costs
   * 128 read units.
   */
  readonly pagesMax: number;
}

/** The limits of a statement. Within them it reads for a second or two, and costs some cents at most. */
export const STATEMENT_LIMITS: ListingLimits = {
  entriesMax: 200_000,
  loadsMax: 5_000,
  looksMax: 20_000,
  journalMaxBytes: 256 * 1024 * 1024,
  pagesMax: 1_000,
};

/**
 * The limits if one process owns the store: a statement may then read everything. The time and the memory of the statement
 * are bounded, and the statement ends if its client disconnects.
 */
export const OWNER_LIMITS: ListingLimits = {
  entriesMax: Infinity,
  loadsMax: Infinity,
  looksMax: Infinity,
  journalMaxBytes: STATEMENT_LIMITS.journalMaxBytes,
  pagesMax: Infinity,
};

const REMEDY =
  "narrow it by id, by status (status != 'completed' reads no completed ones), by created_at, or by a LIMIT under ORDER BY created_at";

export class ListingBudget {
  readonly limits: ListingLimits;
  #entries = 0;
  #loads = 0;
  #looks = 0;
  #journalBytes = 0;
  #pages = 0;

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

  /** @throws SqlError */
  page(): void {
    this.#pages += 1;
    if (this.#pages <= this.limits.pagesMax) return;
    throw new SqlError(
      "refused",
      `no index lists the keys of services, and this reads more than ${this.limits.pagesMax} MB of the table to find them; ` +
        "name the keys (service_name = '...' AND service_key = '...')",
    );
  }

  /**
   * Counts the bytes of a journal. The first journal is allowed whatever its size.
   * @throws SqlError
   */
  journal(bytes: number): void {
    const isFirst = this.#journalBytes === 0;
    this.#journalBytes += bytes;
    if (this.#journalBytes > this.limits.journalMaxBytes && !isFirst)
      throw new SqlError("refused", `this reads journals of more than ${this.limits.journalMaxBytes} bytes; ${REMEDY}`);
  }

  /** Returns the bytes of a journal that the statement no longer uses. */
  journalDone(bytes: number): void {
    this.#journalBytes -= bytes;
  }

  /**
   * @param notedBelowMs a moment: invocations that were accepted before it need no look
   * @throws SqlError
   */
  looks(count: number, notedBelowMs: number): void {
    this.#looks += count;
    if (this.#looks <= this.limits.looksMax) return;
    const since = notedBelowMs > 0 ? new Date(notedBelowMs).toISOString() : "the first of all";
    throw new SqlError(
      "refused",
      `this looks at more than ${this.limits.looksMax} invocations to see which of them are open, because no index shows it ` +
        `for those accepted since ${since}; ask for those accepted before (created_at < ...), or for the newest by a LIMIT ` +
        "under ORDER BY created_at DESC, or narrow it by id, by service or by the status of parked ones " +
        "(pending, backing-off, suspended, paused)",
    );
  }
}
