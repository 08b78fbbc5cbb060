/** Reads pages of a partition or of an index, in key order. */
import {
  StoreError,
  type IndexName,
  type Item,
  type Page,
  type PartitionPage,
  type Range,
} from "../../engine/ports/table.ts";
import { decodeItem } from "./item-encoding.ts";
import {
  boundsOf,
  indexEntryOf,
  indexFloor,
  indexKey,
  indexPrefix,
  itemKey,
  itemPrefix,
  keyOfItem,
  partitionsFrom,
  pastPartition,
  type Bounds,
} from "./key-encoding.ts";
import type { Store } from "./store.ts";

const PAGE_MAX_ITEMS = 1000;
const PAGE_MAX_PARTITIONS = 100;
/** For this many items or more, one read of all of them on another thread takes less time than single reads on this thread. */
const TOGETHER_MIN = 64;
/** The first text that sorts after a text is that text followed by NUL. */
const NEXT = "\0";

/** The `next` of a page is the sort key of the last item on the page; the last page has none. @throws StoreError */
export async function readPage(store: Store, pk: string, range: Range): Promise<Page> {
  const prefix = itemPrefix(pk);
  const whole = boundsOf(prefix);
  const bounds = narrowed(
    {
      gte: range.from === undefined ? whole.gte : prefix + range.from,
      lt: range.below === undefined ? whole.lt : prefix + range.below,
    },
    range.after === undefined ? undefined : itemKey(pk, range.after),
    range.reverse === true,
  );
  const { entries, isWhole } = await store.entries({ ...bounds, reverse: range.reverse === true }, limitOf(range));
  const items = entries.map(([key, bytes]) => decodeItem(pk, key.slice(prefix.length), bytes));
  const last = items.at(-1);
  return { items, ...(!isWhole && last !== undefined && { next: last.sk }) };
}

/** @throws StoreError, also for an `after` that is not the `next` of a page of this index */
export async function readIndexPage(store: Store, index: IndexName, pk: string, range: Range): Promise<Page> {
  const prefix = indexPrefix(index, pk);
  const whole = boundsOf(prefix);
  const bounds = narrowed(
    {
      gte: range.from === undefined ? whole.gte : indexFloor(index, pk, range.from),
      lt: range.below === undefined ? whole.lt : indexFloor(index, pk, range.below),
    },
    range.after === undefined ? undefined : keyOfToken(index, pk, range.after),
    range.reverse === true,
  );
  const { entries, isWhole } = await store.entries({ ...bounds, reverse: range.reverse === true }, limitOf(range));
  const items = await itemsOf(
    store,
    index,
    pk,
    entries.map(([key, bytes]) => ({ ...indexEntryOf(prefix, key), bytes })),
  );
  const last = entries.at(-1)?.[0];
  return { items, ...(!isWhole && last !== undefined && { next: tokenOf(prefix, last) }) };
}

interface IndexEntry {
  readonly sk: string;
  readonly base: string;
  /** The shown attributes; empty if the entry has none. */
  readonly bytes: Uint8Array;
}

/** Reads an item only if its entry shows no attributes. */
async function itemsOf(store: Store, index: IndexName, pk: string, entries: readonly IndexEntry[]): Promise<Item[]> {
  const [pkName, skName] = index === "list" ? (["listPk", "listSk"] as const) : (["openPk", "openSk"] as const);
  const bases = entries.filter(({ bytes }) => bytes.length === 0).map(({ base }) => base);
  const values = bases.length < TOGETHER_MIN ? bases.map((base) => store.read(base)) : await store.readMany(bases);
  let read = 0;
  const items: Item[] = [];
  for (const { sk, base, bytes } of entries) {
    const at = keyOfItem(base);
    const value = bytes.length === 0 ? values[read++] : bytes;
    // If the store has no value, the item was deleted after the entry was read: an index may lag.
    if (value === undefined) continue;
    items.push(decodeItem(at.pk, at.sk, value, bytes.length === 0 ? {} : { [pkName]: pk, [skName]: sk }));
  }
  return items;
}

/** Seeks once for each partition, past all of its items. @throws StoreError */
export async function readPartitions(store: Store, prefix: string, after: string | undefined): Promise<PartitionPage> {
  const { gte, lt } = partitionsFrom(prefix);
  const pks: string[] = [];
  let from = after === undefined ? gte : pastPartition(after);
  while (pks.length < PAGE_MAX_PARTITIONS) {
    const { entries } = await store.entries({ gte: from, lt }, 1);
    const [first] = entries;
    if (first === undefined) return { pks };
    const { pk } = keyOfItem(first[0]);
    pks.push(pk);
    from = pastPartition(pk);
  }
  return { pks, next: pks.at(-1)! };
}

function limitOf(range: Range): number {
  const limit = range.limit ?? PAGE_MAX_ITEMS;
  if (!(limit >= 1)) throw new StoreError(`a page has at least one item, not ${limit}`);
  return Math.min(Math.floor(limit), PAGE_MAX_ITEMS);
}

/** The part of the bounds that follows the end of the previous page. */
function narrowed(bounds: Bounds, after: string | undefined, isReverse: boolean): Bounds {
  if (after === undefined) return bounds;
  return isReverse ? { gte: bounds.gte, lt: after } : { gte: after + NEXT, lt: bounds.lt };
}

function tokenOf(prefix: string, key: string): string {
  const { sk, base } = indexEntryOf(prefix, key);
  const at = keyOfItem(base);
  return JSON.stringify([sk, at.pk, at.sk]);
}

function keyOfToken(index: IndexName, pk: string, token: string): string {
  try {
    const parts: unknown = JSON.parse(token);
    if (Array.isArray(parts) && parts.length === 3 && parts.every((part) => typeof part === "string")) {
      const [sk, basePk, baseSk] = parts as [string, string, string];
      return indexKey(index, pk, sk, itemKey(basePk, baseSk));
    }
  } catch {
    // The throw below refuses the token.
  }
  throw new StoreError("the position to continue from is not the end of a page of this index");
}

/** Scans all JSON records of one prefix at the start of a process. */
const PAGE_MAX_ENTRIES = 10_000;

/**
 * Calls `take` with each record below a one-letter prefix, and with its key without the prefix.
 * @throws StoreError, also for a record that is not JSON
 */
export async function scanRecords(
  store: Store,
  prefix: string,
  take: (name: string, record: unknown) => void,
): Promise<void> {
  const lt = String.fromCharCode(prefix.charCodeAt(0) + 1);
  let gte = prefix;
  for (;;) {
    const { entries, isWhole } = await store.entries({ gte, lt }, PAGE_MAX_ENTRIES);
    for (const [key, bytes] of entries) take(key.slice(prefix.length), parsed(key, bytes));
    if (isWhole) return;
    gte = `${entries.at(-1)![0]}\0`;
  }
}

function parsed(key: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
  } catch (cause) {
    throw new StoreError(`the stored record ${key} is damaged`, { cause });
  }
}
