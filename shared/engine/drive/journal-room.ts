/** Room in memory for journals: small ones are not counted, large ones take room from a budget. */
import type { Journal } from "../../core/invocation/journal.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import type { Account, Budget } from "../bulkheads/budget.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { load, type Loaded, loadSmallJointly, SMALL_MAX_BYTES } from "../store/load.ts";
import { type OnBytes, TooLargeError } from "../store/read-partition.ts";

/** A journal is in memory twice while its pieces are joined. */
const LOADING_FACTOR = 2;
/** If a journal grows by more than this, the driver parks, and the next load counts the journal at its new size. */
const GROWTH_MAX_BYTES = 16 * 1024 * 1024;

/** No room became free in time for a large journal; the invocation's message comes again later. */
export class NoJournalRoomError extends Error {
  override name = "NoJournalRoomError";
}

export class JournalRoom {
  readonly #account: Account;
  #sizeBytes = 0;

  /** @param lane the service, which shares the room with other services */
  constructor(budget: Budget, lane: string) {
    this.#account = budget.open(lane);
  }

  /** The counted bytes of the journal. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /**
   * Takes no room for a small journal.
   * @throws NoJournalRoomError if no room becomes free in time
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

  /**
   * Reads arrivals, which replace those of the previous read. Small arrivals take no room, even beside a large journal,
   * because a driver must not wait for other journals because of a small arrival.
   * @throws NoJournalRoomError if no room becomes free in time
   */
  async readBeside<T>(read: (onBytes: OnBytes) => Promise<T>): Promise<T> {
    let besideBytes = 0;
    const result = await read(async (bytes) => {
      besideBytes += bytes;
      if (besideBytes > SMALL_MAX_BYTES) await this.#take(bytes);
    });
    const overBytes = this.#account.held - this.#sizeBytes - besideBytes;
    if (overBytes > 0) this.#account.shrink(overBytes);
    return result;
  }

  close(): void {
    this.#account.close();
  }

  async #grow(bytes: number): Promise<void> {
    this.#sizeBytes += bytes;
    await this.#take(bytes);
  }

  async #take(bytes: number): Promise<void> {
    if (await this.#account.grow(LOADING_FACTOR * bytes)) return;
    throw new NoJournalRoomError("other large journals hold the memory that this one needs");
  }
}

/** True if a waiting driver must not keep the journal: many waiting drivers would fill the memory. */
export function isLarge({ entries }: Journal): boolean {
  return journalBytes(entries) > SMALL_MAX_BYTES;
}

/** True if the journal has outgrown its counted bytes: the driver parks, and the next load counts the journal. */
export function outgrows({ invocation, origin }: ActiveInvocation): boolean {
  const sizeBytes = journalBytes(invocation.journal.entries);
  return sizeBytes > SMALL_MAX_BYTES && sizeBytes > (origin.journalRoom?.sizeBytes ?? 0) + GROWTH_MAX_BYTES;
}

function journalBytes(entries: Journal["entries"]): number {
  let sizeBytes = 0;
  for (const { frame } of entries) sizeBytes += frame.length;
  return sizeBytes;
}
