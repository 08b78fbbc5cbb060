/** Room in memory for journals: small ones are not counted, larger ones take room from a budget. */
import { type Journal, journalBytes } from "../../core/invocation/journal.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import type { Account } from "../bulkheads/budget.ts";
import type { Bulkheads } from "../bulkheads/bulkheads.ts";
import { load, type Loaded, loadSmallJointly, SMALL_MAX_BYTES } from "../store/load.ts";
import { type OnBytes, TooLargeError } from "../store/read-partition.ts";
import type { StorePorts } from "../store/store-ports.ts";

/** A journal is in memory twice while its pieces are joined. */
const LOADING_FACTOR = 2;
/**
 * The limit of remembered sizes; the oldest one is forgotten first. A load without a remembered size reads the journal before
 * it waits for room.
 */
const SIZES_MAX = 10_000;

/** No room became free in time for a journal. */
export class NoJournalRoomError extends Error {
  override name = "NoJournalRoomError";
  /** The message of the invocation comes again after this time. Invocations with other large journals may end meanwhile. */
  readonly retryAfterMs = 5_000;
}

export class JournalRoom {
  readonly #bulkheads: Bulkheads;
  readonly #account: Account;
  readonly #mayWait: () => boolean;
  #sizeBytes = 0;
  #stateBytes = 0;

  /**
   * @param lane the service, which shares the room with other services
   * @param mayWait called before a wait for room; it gives the worker's slot back for the time of the wait. If it returns false,
   * there is no wait, and the room is refused at once
   */
  constructor(bulkheads: Bulkheads, lane: string, mayWait: () => boolean = () => true) {
    this.#mayWait = mayWait;
    this.#bulkheads = bulkheads;
    this.#account = bulkheads.journals.open(lane);
  }

  /**
   * Takes no room for a small journal. An invocation that waits for room has no journal in memory meanwhile.
   * @param asHeads true if the large results that segments list are left in the table, because the load only finds out whether
   * there is any work
   * @throws NoJournalRoomError if no room becomes free in time
   */
  async load(engine: StorePorts, id: InvocationId, asHeads = false): Promise<Loaded | undefined> {
    const knownBytes = this.#bulkheads.journalSizes.get(id);
    if (knownBytes !== undefined) await this.#await(id, knownBytes);
    for (;;) {
      // Only the size is in scope during the wait, because a suspended function keeps its variables alive.
      const found = await this.#loadSmall(engine, id);
      if (found === "large") return await this.#loadLarge(engine, id, asHeads);
      if (typeof found !== "number") return found;
      await this.#await(id, found);
    }
  }

  /**
   * Counts the journal at its present size.
   * @returns false if there is no room at once
   */
  holds(sizeBytes: number): boolean {
    if (sizeBytes <= this.#bulkheads.journalsCountedFromBytes) return true;
    const missingBytes = sizeBytes - this.#sizeBytes;
    if (missingBytes <= 0) return true;
    if (!this.#account.growAtOnce(missingBytes)) return false;
    this.#sizeBytes = sizeBytes;
    return true;
  }

  /**
   * Counts the state of the next request, in place of the state of the request before.
   * @returns false if there is no room at once
   */
  holdsState(sizeBytes: number): boolean {
    this.#account.shrink(this.#stateBytes);
    this.#stateBytes = this.#account.growAtOnce(sizeBytes) ? sizeBytes : 0;
    return this.#stateBytes === sizeBytes;
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
      if (besideBytes > SMALL_MAX_BYTES) await this.#take(LOADING_FACTOR * bytes);
    });
    const overBytes = this.#account.held - this.#sizeBytes - this.#stateBytes - besideBytes;
    if (overBytes > 0) this.#account.shrink(overBytes);
    return result;
  }

  close(): void {
    this.#account.close();
  }

  /**
   * @returns the loaded invocation; only the size of the journal if there is no room for it at once; `large` if the journal is
   * large
   */
  async #loadSmall(engine: StorePorts, id: InvocationId): Promise<Loaded | undefined | number | "large"> {
    try {
      const loaded = await loadSmallJointly(engine, id);
      if (loaded === undefined) return undefined;
      const sizeBytes = journalBytes(loaded.invocation.journal);
      return this.holds(sizeBytes) ? loaded : sizeBytes;
    } catch (error) {
      if (error instanceof TooLargeError) return "large";
      throw error;
    }
  }

  async #loadLarge(engine: StorePorts, id: InvocationId, asHeads: boolean): Promise<Loaded | undefined> {
    this.#account.shrink(this.#account.held);
    this.#sizeBytes = 0;
    this.#stateBytes = 0;
    // Without this room, each waiting invocation would have the first page of its journal in memory.
    await this.#await(id, SMALL_MAX_BYTES);
    this.#sizeBytes = 0;
    const onBytes: OnBytes = async (bytes) => {
      this.#sizeBytes += bytes;
      const missingBytes = LOADING_FACTOR * this.#sizeBytes - this.#account.held;
      if (missingBytes > 0) await this.#take(missingBytes);
    };
    const loaded = await load(engine, id, Infinity, onBytes, { asHeads });
    this.#account.shrink(this.#account.held - this.#sizeBytes);
    return loaded;
  }

  /** Takes room for a journal of this size before it is read. */
  async #await(id: InvocationId, sizeBytes: number): Promise<void> {
    const { journalSizes } = this.#bulkheads;
    if (journalSizes.size >= SIZES_MAX) journalSizes.delete(journalSizes.keys().next().value!);
    journalSizes.set(id, sizeBytes);
    const missingBytes = sizeBytes - this.#sizeBytes;
    if (missingBytes > 0) await this.#take(missingBytes);
    journalSizes.delete(id);
    this.#sizeBytes = Math.max(this.#sizeBytes, sizeBytes);
  }

  async #take(bytes: number): Promise<void> {
    if (this.#account.growAtOnce(bytes)) return;
    if (this.#mayWait() && (await this.#account.grow(bytes))) return;
    throw new NoJournalRoomError("other journals hold the memory that this one needs");
  }
}

/** True if a waiting driver must not keep the journal: many waiting drivers would fill the memory. */
export function isLarge(journal: Journal): boolean {
  return journalBytes(journal) > SMALL_MAX_BYTES;
}
