/** Deletes items whose time to live is over, as a table does within some days. */
import type { Key } from "../../../shared/engine/ports/table.ts";
import type { MemoryTable } from "../memory-table.ts";

/**
 * Deletes no item of a completed invocation, although a table may: the judge of the seed reads those items.
 * @param isOpen whether the item belongs to an invocation that has not ended
 * @returns a complaint for each open invocation with an expired item
 */
export async function vanishExpired(
  table: MemoryTable,
  nowMs: number,
  isOpen: (key: Key) => boolean,
): Promise<readonly string[]> {
  const expired = new Set<string>();
  for (const item of table.all()) {
    const { pk, sk, expiresAtS } = item;
    if (typeof expiresAtS !== "number" || expiresAtS > nowMs / 1000) continue;
    if (isOpen(item)) expired.add(pk);
    if (isOpen(item) || pk.startsWith("obj#")) await table.delete({ pk, sk });
  }
  return [...expired].map((pk) => `${pk} has expired, and it is open`);
}
