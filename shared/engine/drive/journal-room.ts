/** Room for the journals that drivers hold in memory: small ones are free, and of large ones only so many are loaded at a time. */
import type { Journal } from "../../core/invocation/journal.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import type { Account, Budget } from "../bulkheads/budget.ts";
import type { Engine } from "../engine.ts";
import type { Held } from "../local/held.ts";
import { load, type Loaded, loadSmallJointly, SMALL_MAX_BYTES } from "../store/load.ts";
import { TooLargeError } from "../store/read-partition.ts";

/** A stored journal is in memory twice while its pieces are put together. */
const LOADING_FACTOR = 2;
/** A journal may grow by so much before it is loaded anew, and counted. */
const GROWTH_MAX_BYTES = 16 * 1024 * 1024;

/** Other large journals kept their room for too long: the invocation is looked at again later. */
export class NoJournalRoomError extends Error {
  override name = "NoJournalRoomError";
}

export class JournalRoom {
  readonly #account: Account;
  #sizeBytes = 0;

  /** @param lane the service, which shares the room with others */
  constructor(budget: Budget, lane: string) {
    this.#account = budget.open(lane);
  }

  /** So many bytes of the journal are counted. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /**
   * Costs nothing for a small invocation.
   * @throws NoJournalRoomError once the patience is over
   */
  async load(engine: Engine, id: InvocationId): Promise<Loaded | undefined> {
    try {
      return await loadSmallJointly(engine, id);
    } catch (error) {
      if (!(error instanceof TooLargeError)) throw error;
    }
    this.#account.shrink(this.#account.held);
    this.#sizeBytes = 0;
    const loaded = await load(engine, id, Infinity, (bytes) => this.#grow(bytes));
    this.#account.shrink(this.#account.held - this.#sizeBytes);
    return loaded;
  }

  close(): void {
    this.#account.close();
  }

  async #grow(bytes: number): Promise<void> {
    this.#sizeBytes += bytes;
    if (await this.#account.grow(LOADING_FACTOR * bytes)) return;
    throw new NoJournalRoomError("other large journals hold the memory that this one needs");
  }
}

/** Its driver must not rest on it: many that wait so would hold the memory of all. */
export function isLarge({ entries }: Journal): boolean {
  return journalBytes(entries) > SMALL_MAX_BYTES;
}

/** Larger than what is counted for it: it is put down, and taken up again under the count. */
export function outgrows({ invocation, journalRoom }: Held): boolean {
  const sizeBytes = journalBytes(invocation.journal.entries);
  return sizeBytes > SMALL_MAX_BYTES && sizeBytes > (journalRoom?.sizeBytes ?? 0) + GROWTH_MAX_BYTES;
}

function journalBytes(entries: Journal["entries"]): number {
  let sizeBytes = 0;
  for (const { frame } of entries) sizeBytes += frame.length;
  return sizeBytes;
}
