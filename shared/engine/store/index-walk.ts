/** Walks over the two indexes: the open index by the moment of the next look, the listing by the day of acceptance (ADR 0031). */
import type { InvocationId } from "../../core/model/ids.ts";
import { DAY_MS } from "../../core/model/time-units.ts";
import type { StorePorts } from "./store-ports.ts";
import { INDEX_SHARDS_MAX, listingPk, momentOfPlace, openPk, placeAt, sweeperPk } from "./item-keys.ts";
import type { IndexName, Item, Range } from "../ports/table.ts";
import { readPartition } from "./read-partition.ts";

/** The shards of an index that a walk reads, by number. */
export type Shards = readonly number[];

const SHARDS: Shards = Array.from({ length: INDEX_SHARDS_MAX }, (_, shard) => shard);
/** This many days in a row without an acceptance mark the end of the listing. */
const EMPTY_DAYS_MAX = 400;
const PAGE_ITEMS = 500;

/**
 * The position of an item in its index: its sort key there, which orders the items of all shards by moment and id. A walk
 * stores the first position that it has not reached.
 */
export type IndexPosition = string;

/** The position before every entry. */
export const START: IndexPosition = "";

/** @param range the bounds of the walk: `from` is inclusive, and `below` is exclusive; the whole index by default */
export async function* openItems(engine: StorePorts, range: IndexRange = {}, shards = SHARDS): AsyncGenerator<Item> {
  const { keyPrefix } = engine.settings;
  yield* inOrder(
    engine,
    "open",
    shards.map((shard) => openPk(keyPrefix, shard)),
    range,
  );
}

export async function* listedItems(
  engine: StorePorts,
  range: Required<IndexRange>,
  shards = SHARDS,
): AsyncGenerator<Item> {
  const { keyPrefix } = engine.settings;
  const fromMs = momentOfPlace(range.from);
  // A place is compared, and not its moment: the range may end within the first millisecond of a day.
  for (let dayMs = fromMs - (fromMs % DAY_MS); placeAt(dayMs) < range.below; dayMs += DAY_MS)
    yield* inOrder(
      engine,
      "list",
      shards.map((shard) => listingPk(keyPrefix, dayMs, shard)),
      range,
    );
}

export interface IndexRange {
  readonly from?: IndexPosition;
  readonly below?: IndexPosition;
}

export function indexPositionOf(index: IndexName, item: Item): IndexPosition {
  return String(item[index === "open" ? "openSk" : "listSk"]);
}

/** The first position after the position of an item. */
export function behind(place: IndexPosition): IndexPosition {
  // `!` sorts before every character of an id.
  return `${place}!`;
}

/** The moment of the latest acceptance of today or yesterday. */
export async function newestListedMs(engine: StorePorts, nowMs: number): Promise<number | undefined> {
  const [today, yesterday] = await Promise.all([newestOfDay(engine, nowMs), newestOfDay(engine, nowMs - DAY_MS)]);
  return today ?? yesterday;
}

/**
 * The beginning of the oldest day of the listing. Costs a small read per shard and day, gaps included.
 * @param emptyDaysMax this many days in a row without an acceptance mark the end of the listing
 */
export async function oldestListedMs(
  engine: StorePorts,
  nowMs: number,
  emptyDaysMax = EMPTY_DAYS_MAX,
): Promise<number> {
  let oldestMs = nowMs;
  for (let dayMs = nowMs; oldestMs - dayMs <= emptyDaysMax * DAY_MS && dayMs >= 0; dayMs -= DAY_MS)
    if ((await newestOfDay(engine, dayMs)) !== undefined) oldestMs = dayMs;
  return oldestMs - (oldestMs % DAY_MS);
}

async function newestOfDay(engine: StorePorts, dayMs: number): Promise<number | undefined> {
  const moments = await Promise.all(
    SHARDS.map(async (shard) => {
      const pk = listingPk(engine.settings.keyPrefix, dayMs, shard);
      const { items } = await engine.table.queryIndex("list", pk, { reverse: true, limit: 1 });
      return items[0] && momentOfPlace(indexPositionOf("list", items[0]));
    }),
  );
  const known = moments.filter((atMs) => atMs !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** The last page that was read from one shard, and the position of the next item to yield. */
interface Reading {
  readonly pk: string;
  items: readonly Item[];
  at: number;
  next: string | undefined;
}

/**
 * Merges the shards, the oldest item first, so that no shard waits for the end of another. No read is under way while the
 * consumer works on an item.
 */
async function* inOrder(
  engine: StorePorts,
  index: IndexName,
  pks: readonly string[],
  range: Range,
): AsyncGenerator<Item> {
  const begun = await Promise.allSettled(
    pks.map(async (pk) => {
      const reading: Reading = { pk, ...(await nextPage(engine, index, pk, range)) };
      return (await hasMore(engine, index, reading, range)) ? [reading] : [];
    }),
  );
  let readings: Reading[] = [];
  for (const one of begun) {
    if (one.status === "rejected") throw one.reason;
    readings.push(...one.value);
  }
  while (readings.length > 0) {
    const first = readings.reduce((a, b) => (headOf(index, b) < headOf(index, a) ? b : a));
    yield first.items[first.at++]!;
    if (!(await hasMore(engine, index, first, range))) readings = readings.filter((reading) => reading !== first);
  }
}

function headOf(index: IndexName, { items, at }: Reading): IndexPosition {
  return indexPositionOf(index, items[at]!);
}

async function hasMore(engine: StorePorts, index: IndexName, reading: Reading, range: Range): Promise<boolean> {
  while (reading.at === reading.items.length) {
    if (reading.next === undefined) return false;
    Object.assign(reading, await nextPage(engine, index, reading.pk, { ...range, after: reading.next }));
  }
  return true;
}

async function nextPage(engine: StorePorts, index: IndexName, pk: string, range: Range): Promise<Omit<Reading, "pk">> {
  const { items, next } = await engine.table.queryIndex(index, pk, { ...range, limit: PAGE_ITEMS });
  return { items, at: 0, next };
}

export function idOf({ pk }: Item): InvocationId {
  return pk.slice(pk.lastIndexOf("inv#") + 4) as InvocationId;
}

/** The id in the position of an item. */
export function idAt(place: IndexPosition): InvocationId {
  return place.slice(place.indexOf("#") + 1) as InvocationId;
}

/** The sort key of the item with the sweeper's progress; its partition is `sweeperPk`. */
export const PROGRESS_SK = "listed";

/**
 * Reads how far the sweeper has walked the listing. With few exceptions, the open index contains all open invocations up to
 * there (I8).
 */
export interface Noted {
  /** Open invocations that were accepted before this moment are in the open index. Zero before the first pass. */
  readonly belowMs: number;
  /** The exceptions: earlier invocations that the sweeper could not read and will try again. */
  readonly except: ReadonlySet<InvocationId>;
}

/** The prefix of the items of unfinished slices of the walk over the listing. A slice starts at its own position, `from`. */
const LISTING_SLICES = "slice#listing#";

/** Costs one read. The caller must read the open index afterwards, because the sweeper writes its progress after the index. */
export async function readNoted({ table, settings }: StorePorts): Promise<Noted> {
  const range = { from: PROGRESS_SK, below: LISTING_SLICES.replace(/#$/, "$") };
  const items = await readPartition(table, sweeperPk(settings.keyPrefix), range);
  const progress: Partial<Item> = items.find(({ sk }) => sk === PROGRESS_SK) ?? {};
  const { listedFrom, again } = progress;
  const walkedMs = typeof listedFrom === "string" ? momentOfPlace(listedFrom) : 0;
  const slices = items.filter(({ sk }) => sk.startsWith(LISTING_SLICES)).map(({ from }) => momentOfPlace(String(from)));
  return {
    belowMs: Math.min(walkedMs, ...slices),
    except: new Set(typeof again === "string" ? again.split("\n").map((text) => idAt(text.split(" ")[1] ?? "")) : []),
  };
}

/** True if the absence of an invocation from the open index does not prove that the invocation has ended. */
export function isUnnoted(
  { belowMs, except }: Noted,
  { id, createdAtMs }: { readonly id: InvocationId; readonly createdAtMs: number },
): boolean {
  return createdAtMs >= belowMs || except.has(id);
}
