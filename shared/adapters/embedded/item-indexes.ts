/** The index and expiry entries of an item, and the operations that change these entries when the item changes. */
import type { IndexName, Item, ItemValue } from "../../engine/ports/table.ts";
import { StoreError } from "../../engine/ports/table.ts";
import type { Operation } from "./commit-groups.ts";
import { encodeItem } from "./item-encoding.ts";
import { expiryKey, indexKey } from "./key-encoding.ts";

/**
 * The attributes that the entries of an index contain, so that a walk reads no items. The entries of an index that is not named
 * here are empty.
 */
export type Shown = Partial<Readonly<Record<IndexName, readonly string[]>>>;

/** The encoded attributes of each entry by the key of the entry. */
export type SideEntries = ReadonlyMap<string, Uint8Array>;

const EMPTY = new Uint8Array(0);
const NONE: SideEntries = new Map();

/** @throws StoreError if an attribute of an index key is not a text or is empty */
export function sideEntriesOf(item: Item | undefined, base: string, shown: Shown): SideEntries {
  if (item === undefined) return NONE;
  const entries = new Map<string, Uint8Array>();
  const { listPk, listSk, openPk, openSk, expiresAtS } = item as Readonly<Record<string, unknown>>;
  const place = (index: IndexName, pk: unknown, sk: unknown): void => {
    if (isPlaced(pk, sk)) entries.set(indexKey(index, pk as string, sk as string, base), shownOf(item, shown[index]));
  };
  place("list", listPk, listSk);
  place("open", openPk, openSk);
  if (typeof expiresAtS === "number") entries.set(expiryKey(expiresAtS, base), EMPTY);
  return entries;
}

/** The key of an entry contains the key of its item, so the value of the entry contains only further attributes. */
function shownOf(item: Item, names: readonly string[] | undefined): Uint8Array {
  if (names === undefined) return EMPTY;
  const attributes: Record<string, ItemValue | undefined> = {};
  for (const name of names) attributes[name] = item[name];
  return encodeItem({ ...attributes, pk: "", sk: "" });
}

/** @returns true if the item has both parts of the index key @throws StoreError if a part is not a text or is empty */
function isPlaced(pk: unknown, sk: unknown): boolean {
  for (const part of [pk, sk]) {
    if (part !== undefined && (typeof part !== "string" || part === ""))
      throw new StoreError("an index key must be a text that is not empty");
  }
  return pk !== undefined && sk !== undefined;
}

/** The operations that turn the entries `before` into the entries `after`. */
export function sideOperations(before: SideEntries, after: SideEntries): Operation[] {
  const operations: Operation[] = [];
  for (const key of before.keys()) if (!after.has(key)) operations.push({ type: "del", key });
  for (const [key, value] of after) {
    const former = before.get(key);
    if (former === undefined || Buffer.compare(former, value) !== 0) operations.push({ type: "put", key, value });
  }
  return operations;
}
