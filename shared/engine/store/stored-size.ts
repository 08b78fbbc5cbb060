/** Counts what the items of an invocation take in the table, and the least number of write units that storing them took. */
import { ACCEPTANCE_SK, PIECES } from "./item-keys.ts";
import { itemBytes, pieceSizes } from "./large-record.ts";
import type { Item } from "../ports/table.ts";

export interface StoredSize {
  readonly items: number;
  /** Names and values of all attributes, as the table charges for them. */
  readonly bytes: number;
  /** A lower bound: each item was written at least once, and drivers counted some of the further writes. */
  readonly writeUnits: number;
}

const UNIT_BYTES = 1024;
/** The size of a moment in milliseconds, which is what most numbers of an item are. */
const NUMBER_BYTES = 8;
/** The write units for the entry of the acceptance in the listing, which is an index. */
const LISTING_UNITS = 1;

/** Adds up items page by page. The item of a record in pieces states how many and how large they are, so no piece is read. */
export class StoredMeasure {
  #items = 0;
  #bytes = 0;
  #units = 0;
  #driven = 0;

  /** @param items as read from the partition, packed and in pieces */
  add(items: readonly Item[]): void {
    for (const item of items) {
      if (item.sk.startsWith(PIECES.from)) continue;
      // Drivers may have counted the first write unit of these items. `sum` takes the larger of the two counts.
      const isDriven = item.sk === ACCEPTANCE_SK || item.sk.startsWith("seg#") || item.sk.startsWith("hold#");
      this.#count(itemBytes(item, NUMBER_BYTES), isDriven);
      const { expiresAtS } = item;
      for (const { key, bytes } of pieceSizes(item))
        this.#count(
          itemBytes({ ...key, b: "", ...(expiresAtS !== undefined && { expiresAtS }) }, NUMBER_BYTES) + bytes,
          false,
        );
    }
  }

  /** @param drivenWrites the writes of segments, leases, parks and failure events, as drivers counted them in the segments */
  sum(drivenWrites: number): StoredSize {
    const writeUnits = this.#units + Math.max(this.#driven, drivenWrites) + LISTING_UNITS;
    return { items: this.#items, bytes: this.#bytes, writeUnits };
  }

  #count(sizeBytes: number, isDriven: boolean): void {
    const units = Math.ceil(sizeBytes / UNIT_BYTES);
    this.#items++;
    this.#bytes += sizeBytes;
    this.#driven += isDriven ? 1 : 0;
    this.#units += isDriven ? units - 1 : units;
  }
}
