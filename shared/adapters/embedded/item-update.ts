/** Applies an update to the existing item, or creates an item from the update. */
import type { Item, Key, Scalar, Update } from "../../engine/ports/table.ts";
import { StoreError } from "../../engine/ports/table.ts";

/** @throws StoreError if the update touches the key, or one attribute twice, or if it adds to a value that is no number */
export function updatedItem(key: Key, existing: Item | undefined, update: Update): Item {
  const next: Record<string, Scalar | undefined> & { pk: string; sk: string } = { ...existing, pk: key.pk, sk: key.sk };
  const touched = new Set(["pk", "sk"]);
  const touch = (attribute: string): void => {
    if (touched.has(attribute)) throw new StoreError(`an update may touch ${attribute} only once and never the key`);
    touched.add(attribute);
  };
  for (const [attribute, value] of Object.entries(update.set ?? {})) {
    touch(attribute);
    next[attribute] = value;
  }
  for (const attribute of update.remove ?? []) {
    touch(attribute);
    delete next[attribute];
  }
  for (const [attribute, amount] of Object.entries(update.add ?? {})) {
    touch(attribute);
    const existing = next[attribute] ?? 0;
    if (typeof existing !== "number") throw new StoreError(`${attribute} is no number, nothing can be added to it`);
    next[attribute] = existing + amount;
  }
  return next;
}
