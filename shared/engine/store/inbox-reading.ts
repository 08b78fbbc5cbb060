/** Reads the fresh arrivals of an invocation up to a bound in bytes; the rest stays in the table until the next read. */
import type { Arrival } from "../../core/invocation/event.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import { journalBytes } from "../../core/invocation/journal.ts";
import type { Nonce } from "../../core/model/ids.ts";
import { journalLeftBytes } from "../bulkheads/bulkheads.ts";
import type { Item } from "../ports/table.ts";
import { ARRIVAL_BYTES, freshArrival, freshKey, isUrgent, URGENT_MAX } from "./fresh-arrivals.ts";
import { ARRIVALS } from "./item-keys.ts";
import { reassemble, recordBytes } from "./large-record.ts";
import { eachPage, type OnBytes } from "./read-partition.ts";
import { isPlain } from "./record-envelope.ts";
import type { StorePorts } from "./store-ports.ts";

/**
 * The arrivals that a read left in the table. `later`: the next read finds them, once a segment lists the arrivals of this read.
 * `unfit`: each of them is larger than the room that the journal has left; `sizeBytes` is the size of the smallest.
 */
export type InboxRest = { readonly kind: "later" } | { readonly kind: "unfit"; readonly sizeBytes: number };

export interface InboxRead {
  /** By key, in the order of the keys. */
  readonly arrivals: ReadonlyMap<string, Arrival>;
  /** Absent if every fresh arrival was read. */
  readonly rest?: InboxRest;
}

export interface InboxBound {
  /**
   * The arrivals in memory from an earlier read. They count towards the bound, and are not read again, because arrivals never
   * change.
   */
  readonly known?: ReadonlyMap<string, Arrival>;
  readonly maxBytes: number;
  /** True if the first arrival is read even if it is larger than the bound; an arrival has at most the size of a message. */
  readonly readsOne: boolean;
}

/** Only one page of keys and small records is in memory at a time, besides the pieces of the arrivals that are read. */
export async function readInbox(
  engine: StorePorts,
  pk: string,
  invocation: Invocation,
  bound: InboxBound,
  onBytes?: OnBytes,
): Promise<InboxRead> {
  const reading = new InboxReading(engine, invocation, bound, onBytes);
  await eachPage(engine.table, pk, ARRIVALS, async (items) => {
    for (const item of items) {
      const adding = reading.add(item);
      if (adding !== undefined) await adding;
    }
    await onBytes?.(reading.takePlainBytes());
  });
  return reading.end();
}

class InboxReading {
  readonly #engine: StorePorts;
  readonly #invocation: Invocation;
  readonly #nonce: Nonce;
  readonly #onBytes: OnBytes | undefined;
  readonly #leftBytes: number;
  readonly #maxBytes: number;
  readonly #readsOne: boolean;
  readonly #known: ReadonlyMap<string, Arrival> | undefined;
  readonly #arrivals = new Map<string, Arrival>();
  #usedBytes = 0;
  #plainBytes = 0;
  #urgent = 0;
  #isCut = false;
  #unfitBytes = Infinity;

  constructor(engine: StorePorts, invocation: Invocation, bound: InboxBound, onBytes: OnBytes | undefined) {
    this.#engine = engine;
    this.#invocation = invocation;
    this.#nonce = invocation.acceptance.nonce;
    this.#onBytes = onBytes;
    this.#leftBytes = journalLeftBytes(engine.bulkheads, journalBytes(invocation.journal));
    this.#maxBytes = Math.min(bound.maxBytes, this.#leftBytes);
    this.#readsOne = bound.readsOne;
    this.#known = bound.known;
  }

  /** @returns a promise if pieces must be read or a record must be unpacked */
  add(item: Item): Promise<void> | undefined {
    const found = freshKey(item, this.#invocation, this.#nonce);
    // An early arrival precedes any other arrival, both in time and in key order. If two arrivals have one key, the first counts.
    if (found === undefined || this.#arrivals.has(found.key)) return undefined;
    const { key, owner } = found;
    const known = this.#known?.get(key);
    const knownBytes = readBytes(known);
    const sizeBytes = knownBytes ?? recordBytes(item);
    if (known !== undefined && knownBytes !== undefined && this.#fits(sizeBytes)) {
      this.#usedBytes += sizeBytes + ARRIVAL_BYTES;
      this.#arrivals.set(key, known);
    } else if (!this.#fits(sizeBytes)) {
      if (this.#urgent < URGENT_MAX && isUrgent(item)) {
        this.#urgent++;
        this.#take(item, key, owner, 0);
      } else this.#leave(sizeBytes);
    } else if (isPlain(item["b"])) {
      this.#plainBytes += sizeBytes;
      this.#take(item, key, owner, sizeBytes + ARRIVAL_BYTES);
    } else return this.#addUnpacked(item, key, owner);
    return undefined;
  }

  /** @returns the bytes of plain records since the last call */
  takePlainBytes(): number {
    const bytes = this.#plainBytes;
    this.#plainBytes = 0;
    return bytes;
  }

  end(): InboxRead {
    const arrivals = this.#arrivals;
    if (!this.#isCut && this.#unfitBytes === Infinity) return { arrivals };
    const hasNews = [...arrivals.values()].some(({ kind }) => kind === "notification");
    const rest: InboxRest = this.#isCut || hasNews ? { kind: "later" } : { kind: "unfit", sizeBytes: this.#unfitBytes };
    return { arrivals, rest };
  }

  /** An unpacked record may be a thousand times as large as its item, so the record is measured again after it is unpacked. */
  async #addUnpacked(item: Item, key: string, owner: Nonce): Promise<void> {
    const [plain] = await reassemble(this.#engine, [item], owner, this.#onBytes);
    const sizeBytes = recordBytes(plain!);
    if (this.#fits(sizeBytes)) this.#take(plain!, key, owner, sizeBytes + ARRIVAL_BYTES);
    else this.#leave(sizeBytes);
  }

  #fits(sizeBytes: number): boolean {
    if (sizeBytes > this.#leftBytes) return false;
    const isFirst = this.#readsOne && this.#usedBytes === 0;
    return isFirst || this.#usedBytes + sizeBytes + ARRIVAL_BYTES <= this.#maxBytes;
  }

  #take(item: Item, key: string, owner: Nonce, usedBytes: number): void {
    const arrival = freshArrival(item, owner, this.#invocation);
    if (arrival !== undefined) this.#arrivals.set(key, arrival);
    this.#usedBytes += usedBytes;
  }

  #leave(sizeBytes: number): void {
    if (sizeBytes > this.#leftBytes) this.#unfitBytes = Math.min(this.#unfitBytes, sizeBytes);
    else this.#isCut = true;
  }
}

/**
 * @returns the size of an arrival that is not read again; undefined for an order, and for a result that is only in memory,
 *   because the stored arrival replaces such a result
 */
function readBytes(known: Arrival | undefined): number | undefined {
  if (known?.kind !== "notification" || known.consumption.inline) return undefined;
  return known.consumption.entry.frame.length;
}
