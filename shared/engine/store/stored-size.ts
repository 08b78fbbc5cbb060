/** Counts what the items of an invocation take in the table, and the least number of write units that storing them took. */
import { ACCEPTANCE_SK } from "./item-keys.ts";
import type { Item } from "../ports/table.ts";

export interface StoredSize {
  readonly items: number;
  /** Names and values of all attributes, as the table charges for them. */
  readonly bytes: number;
  /** The least number of write units: each item was written at least once, and drivers counted their other writes. */
  readonly writeUnits: number;
}

const UNIT_BYTES = 1024;
const NUMBER_BYTES = 8;
/** The entry of the acceptance in the listing, which is an index. */
const LISTING_UNITS = 1;

/**
 * @param items as read from the partition, packed and in pieces
 * @param drivenWrites the writes that drivers counted in segments: those of the segments, and of leases, parks and failure events
 */
export function storedSize(items: readonly Item[], drivenWrites: number): StoredSize {
  let bytes = 0;
  let units = 0;
  let driven = 0;
  for (const item of items) {
    const sizeBytes = sizeOf(item);
    const itemUnits = Math.ceil(sizeBytes / UNIT_BYTES);
    bytes += sizeBytes;
    // The first unit of these items may be among the writes that drivers counted.
    const isDriven = item.sk === ACCEPTANCE_SK || item.sk.startsWith("seg#") || item.sk.startsWith("hold#");
    driven += isDriven ? 1 : 0;
    units += isDriven ? itemUnits - 1 : itemUnits;
  }
  return { items: items.length, bytes, writeUnits: units + Math.max(driven, drivenWrites) + LISTING_UNITS };
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
