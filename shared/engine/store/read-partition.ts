/** Reads a whole range of one partition, page by page. */
import type { Item, Page, Range, Table } from "../ports/table.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import type { FairTurns } from "../bulkheads/fair-turns.ts";

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

/**
 * Reads pages up to a bound in bytes. The last page may exceed the bound.
 * @param enoughBytes after this many bytes no further page is read
 * @returns the items so far; `isWhole` is true if these are all items of the range and within the bound
 */
export async function readFirst(
  table: Table,
  pk: string,
  range: Range,
  maxBytes: number,
  enoughBytes = maxBytes,
): Promise<{ readonly items: readonly Item[]; readonly sizeBytes: number; readonly isWhole: boolean }> {
  const first = await table.query(pk, range);
  let sizeBytes = sizeOf(first.items);
  if (first.next === undefined) return { items: first.items, sizeBytes, isWhole: sizeBytes <= maxBytes };
  const items = [...first.items];
  for (let after: string | undefined = first.next; sizeBytes <= enoughBytes;) {
    const page: Page = await table.query(pk, { ...range, after });
    sizeBytes += sizeOf(page.items);
    items.push(...page.items);
    after = page.next;
    if (after === undefined) return { items, sizeBytes, isWhole: sizeBytes <= maxBytes };
  }
  return { items, sizeBytes, isWhole: false };
}

/** Works through a range page by page, so that one page is in memory at a time. */
export async function eachPage(
  table: Table,
  pk: string,
  range: Range,
  work: (items: readonly Item[]) => Promise<void> | void,
): Promise<void> {
  for (let after: string | undefined; ;) {
    const page: Page = await table.query(pk, after === undefined ? range : { ...range, after });
    await work(page.items);
    if (page.next === undefined) return;
    after = page.next;
  }
}

function sizeOf(items: readonly Item[]): number {
  let sizeBytes = 0;
  for (const { b } of items) if (b instanceof Uint8Array) sizeBytes += b.length;
  return sizeBytes;
}

/** About one page of a query of the table. */
export const PLAIN_MAX_BYTES = 1024 * 1024;

/**
 * If a read exceeds one page, it is repeated without the limit in a turn, and its result is used in the same turn.
 * @param read throws TooLargeError above its limit
 */
export async function usedInTurn<L, T>(
  turns: FairTurns,
  id: InvocationId,
  read: (sizeMaxBytes?: number) => Promise<L>,
  use: (loaded: L) => Promise<T>,
): Promise<T> {
  let small: L;
  try {
    small = await read(PLAIN_MAX_BYTES);
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error;
    return await turns.take(id, async () => use(await read()));
  }
  return await use(small);
}
