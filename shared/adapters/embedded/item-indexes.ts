/** The index and expiry entries of an item, and the operations that change these entries when the item changes. */
import type { Item } from "../../engine/ports/table.ts";
import { StoreError } from "../../engine/ports/table.ts";
import type { Operation } from "./commit-groups.ts";
import { expiryKey, indexKey } from "./key-encoding.ts";

const EMPTY = new Uint8Array(0);
const NONE: readonly string[] = [];

/** @throws StoreError if an attribute of an index key is not a text or is empty */
export function sideKeysOf(item: Item | undefined, base: string): readonly string[] {
  if (item === undefined) return NONE;
  const keys: string[] = [];
  const { listPk, listSk, openPk, openSk, expiresAtS } = item as Readonly<Record<string, unknown>>;
  if (isPlaced(listPk, listSk)) keys.push(indexKey("list", listPk as string, listSk as string, base));
  if (isPlaced(openPk, openSk)) keys.push(indexKey("open", openPk as string, openSk as string, base));
  if (typeof expiresAtS === "number") keys.push(expiryKey(expiresAtS, base));
  return keys;
}

/** An item is in an index only with both parts of the index key, each a non-empty text. */
function isPlaced(pk: unknown, sk: unknown): boolean {
  for (const part of [pk, sk]) {
    if (part !== undefined && (typeof part !== "string" || part === ""))
      throw new StoreError("an index key must be a text that is not empty");
  }
  return pk !== undefined && sk !== undefined;
}

/** The operations that turn the entries `before` into the entries `after`. */
export function sideOperations(before: readonly string[], after: readonly string[]): Operation[] {
  const operations: Operation[] = [];
  for (const key of before) if (!after.includes(key)) operations.push({ type: "del", key });
  for (const key of after) if (!before.includes(key)) operations.push({ type: "put", key, value: EMPTY });
  return operations;
}
