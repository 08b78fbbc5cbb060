/** Walks over the two indexes: what is open, by the moment to look at it, and what was accepted, by its day (ADR 0003). */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { INDEX_SHARDS_MAX, listingPk, momentRange, openPk } from "./item-keys.ts";
import type { IndexName, Item, Range } from "../ports/table.ts";

const DAY_MS = 86_400_000;
const SHARDS = Array.from({ length: INDEX_SHARDS_MAX }, (_, shard) => shard);
/** So many days in a row without any acceptance, and the listing counts as at its end. */
const EMPTY_DAYS_MAX = 400;

/** @param belowMs only what is to be looked at before this moment; everything unless given */
export async function* openItems(engine: Engine, belowMs?: number): AsyncGenerator<Item> {
  const range = belowMs === undefined ? {} : momentRange(0, belowMs);
  for (const shard of SHARDS) yield* indexItems(engine, "open", openPk(engine.settings.keyPrefix, shard), range);
}

export async function* listedItems(engine: Engine, fromMs: number, belowMs: number): AsyncGenerator<Item> {
  const range = momentRange(fromMs, belowMs);
  for (let dayMs = fromMs - (fromMs % DAY_MS); dayMs < belowMs; dayMs += DAY_MS)
    for (const shard of SHARDS)
      yield* indexItems(engine, "list", listingPk(engine.settings.keyPrefix, dayMs, shard), range);
}

/** When the last acceptance was, of those of today and yesterday. */
export async function newestListedMs(engine: Engine, nowMs: number): Promise<number | undefined> {
  const [today, yesterday] = await Promise.all([newestOfDay(engine, nowMs), newestOfDay(engine, nowMs - DAY_MS)]);
  return today ?? yesterday;
}

/** The beginning of the oldest day of the listing: a small read of each shard for each day back to there and for the gaps. */
export async function oldestListedMs(engine: Engine, nowMs: number): Promise<number> {
  let oldestMs = nowMs;
  for (let dayMs = nowMs; oldestMs - dayMs <= EMPTY_DAYS_MAX * DAY_MS && dayMs >= 0; dayMs -= DAY_MS)
    if ((await newestOfDay(engine, dayMs)) !== undefined) oldestMs = dayMs;
  return oldestMs - (oldestMs % DAY_MS);
}

async function newestOfDay(engine: Engine, dayMs: number): Promise<number | undefined> {
  const moments = await Promise.all(
    SHARDS.map(async (shard) => {
      const pk = listingPk(engine.settings.keyPrefix, dayMs, shard);
      const { items } = await engine.table.queryIndex("list", pk, { reverse: true, limit: 1 });
      return items[0] && Number(String(items[0]["listSk"]).slice(0, 15));
    }),
  );
  const known = moments.filter((atMs) => atMs !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

async function* indexItems(engine: Engine, index: IndexName, pk: string, range: Range): AsyncGenerator<Item> {
  for (let after: string | undefined; ;) {
    const page = await engine.table.queryIndex(index, pk, {
      ...range,
      limit: 100,
      ...(after !== undefined && { after }),
    });
    yield* page.items;
    if (page.next === undefined) return;
    after = page.next;
  }
}

export function idOf({ pk }: Item): InvocationId {
  return pk.slice(pk.lastIndexOf("inv#") + 4) as InvocationId;
}
