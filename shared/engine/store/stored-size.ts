/** Counts what the items of an invocation take in the table, and the least number of write units that storing them took. */
import { ACCEPTANCE_SK, PIECES } from "./item-keys.ts";
import { pieceSizes } from "./large-record.ts";
import type { Item } from "../ports/table.ts";

export interface StoredSize {
  readonly items: number;
  /** Names and values of all attributes, as the table charges for them. */
  readonly bytes: number;
  /** The least number of write units: those of one write of each item, and of any further writes that drivers counted. */
  readonly writeUnits: number;
}

const UNIT_BYTES = 1024;
const NUMBER_BYTES = 8;
/** The write units for the entry of the acceptance in the listing, which is an index. */
const LISTING_UNITS = 1;

/**
 * Adds up items page by page. If a record is in pieces, its item states their number and their total size, so the pieces need not
 * be read.
 */
export class StoredMeasure {
  #items = 0;
  #bytes = 0;
  #units = 0;
  #driven = 0;

  /** @param items as read from the partition, packed and in pieces */
  add(items: readonly Item[]): void {
    for (const item of items) {
      if (item.sk.startsWith(PIECES.from)) continue;
      // Drivers may have counted the first unit of each of these items already, so `sum` must not add it a second time.
      const isDriven = item.sk === ACCEPTANCE_SK || item.sk.startsWith("seg#") || item.sk.startsWith("hold#");
      this.#count(sizeOf(item), isDriven);
      const { expiresAtS } = item;
      for (const { key, bytes } of pieceSizes(item))
        this.#count(sizeOf({ ...key, b: "", ...(expiresAtS !== undefined && { expiresAtS }) }) + bytes, false);
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

function sizeOf(item: Item): number {
  let sizeBytes = 0;
  for (const name in item) {
    const value = item[name];
    if (value === undefined) continue;
    sizeBytes += name.length;
    if (typeof value === "string") sizeBytes += Buffer.byteLength(value);
    else if (value instanceof Uint8Array) sizeBytes += value.length;
    else sizeBytes += typeof value === "number" ? NUMBER_BYTES : 1;
  }
  return sizeBytes;
}
