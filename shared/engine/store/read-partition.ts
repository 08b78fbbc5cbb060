/** Reads a whole range of one partition, page by page. */
import type { Item, Range, Table } from "../ports/table.ts";

/** The error for records that exceed the limit of their reader. */
export class TooLargeError extends Error {
  override name = "TooLargeError";
}

/** Receives the size of each page or record in memory; the next read waits for the returned promise. */
export type OnBytes = (bytes: number) => Promise<void>;

/** @param sizeMaxBytes the limit of all records; none by default @throws TooLargeError at the first page beyond the limit */
export async function readPartition(
  table: Table,
  pk: string,
  range: Range,
  sizeMaxBytes = Infinity,
  onPage?: OnBytes,
): Promise<readonly Item[]> {
  const first = await table.query(pk, range);
  if (first.next === undefined && sizeMaxBytes === Infinity && onPage === undefined) return first.items;
  let leftBytes = sizeMaxBytes - sizeOf(first.items);
  await onPage?.(sizeOf(first.items));
  const items = [...first.items];
  for (let after = first.next; after !== undefined && leftBytes >= 0;) {
    const page = await table.query(pk, { ...range, after });
    leftBytes -= sizeOf(page.items);
    await onPage?.(sizeOf(page.items));
    items.push(...page.items);
    after = page.next;
  }
  if (leftBytes < 0) throw new TooLargeError(`${pk} has records of more than ${sizeMaxBytes} bytes`);
  return items;
}

function sizeOf(items: readonly Item[]): number {
  let sizeBytes = 0;
  for (const { b } of items) if (b instanceof Uint8Array) sizeBytes += b.length;
  return sizeBytes;
}
