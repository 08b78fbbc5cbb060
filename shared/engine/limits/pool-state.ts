/** Reads and writes the items that hold the places of a pool. Each change is one conditional write. */
import { moveWithin, type Taken } from "../../core/limits/places.ts";
import type { Engine } from "../engine.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import { itemOf, placesKey, PLACES_PER_ITEM, poolExpiryS, poolListing, takenIn } from "../store/pool-items.ts";
import type { StorePorts } from "../store/store-ports.ts";
import type { Item, Write } from "../ports/table.ts";

/** In the attribute of a place: the place is free. */
export const FREE = "-";

/** The places of a pool as one process has read them; others may take and give back meanwhile. */
export interface PoolState {
  readonly taken: Taken;
  /** Numbers of the items that there are. */
  readonly items: ReadonlySet<number>;
  /** Numbers of the items that do not say that invocations wait. */
  readonly unmarked: readonly number[];
  /** The key that was served last, by the number of the item. */
  readonly servedKeys: ReadonlyMap<number, string>;
}

/**
 * @param places the limit, Infinity if no rule has one. The items beyond it that exist are read, too: they may have holders from before
 *   it was lowered
 */
export async function readPool(
  { table, settings }: Pick<StorePorts, "table" | "settings">,
  pool: string,
  places: number,
): Promise<PoolState> {
  const first = await table.get(placesKey(settings.keyPrefix, pool, 0));
  const count = Math.max(
    Number.isFinite(places) ? itemsFor(places) : 1,
    typeof first?.["items"] === "number" ? first["items"] : 1,
  );
  const rest = Array.from({ length: count - 1 }, (_, at) => at + 1);
  const others = await atMost(AT_ONCE, rest, (at) => table.get(placesKey(settings.keyPrefix, pool, at)));
  return stateOf([first, ...others]);
}

export function stateOf(all: readonly (Item | undefined)[]): PoolState {
  const taken = new Map<number, string>();
  const items = new Set<number>();
  const unmarked: number[] = [];
  const servedKeys = new Map<number, string>();
  for (const [at, item] of all.entries()) {
    if (item === undefined) continue;
    items.add(at);
    for (const [place, holder] of takenIn(item)) if (holder !== FREE) taken.set(place, holder);
    if (item["line"] !== 1) unmarked.push(at);
    servedKeys.set(at, typeof item["served"] === "string" ? item["served"] : "");
  }
  return { taken, items, unmarked, servedKeys };
}

/** The number of items for so many places. */
export function itemsFor(places: number): number {
  return Math.max(1, Math.ceil(places / PLACES_PER_ITEM));
}

/**
 * Makes an item with free places. The first item of the pool says how many there are, before there is another one, so that each
 * reader finds all of them.
 */
export async function makeItem(
  { table, clock, settings }: Pick<StorePorts, "table" | "clock" | "settings">,
  pool: string,
  at: number,
  isWaitedFor: boolean,
): Promise<void> {
  const expiresAtS = poolExpiryS(clock.nowMs());
  if (at > 0) {
    const key = placesKey(settings.keyPrefix, pool, 0);
    const grown = { set: { items: at + 1, expiresAtS } };
    const isLess = { kind: "less", attribute: "items", than: at + 1 } as const;
    const { written, ...found } = await table.update(key, grown, isLess);
    if (!written && (found as { existing?: Item }).existing === undefined) {
      await makeItem({ table, clock, settings }, pool, 0, isWaitedFor);
      return await makeItem({ table, clock, settings }, pool, at, isWaitedFor);
    }
  }
  const places: Record<string, string> = {};
  for (let place = at * PLACES_PER_ITEM; place < (at + 1) * PLACES_PER_ITEM; place++) places[`p${place}`] = FREE;
  const item = {
    ...placesKey(settings.keyPrefix, pool, at),
    ...places,
    ...(at === 0 && { items: 1, ...poolListing(settings.keyPrefix, pool) }),
    line: isWaitedFor ? 1 : 0,
    served: "",
    expiresAtS,
  };
  await table.put(item, { kind: "absent" });
}

/** A write that changes one place if it still has this holder, or is still free. */
export function placeWrite(
  { clock, settings }: Pick<StorePorts, "clock" | "settings">,
  pool: string,
  { place, from, to, served }: { place: number; from: string; to: string; served?: string },
  whileNoneWaits = false,
): Extract<Write, { kind: "update" }> {
  const attribute = `p${place}`;
  const is = { kind: "equal", attribute, value: from } as const;
  return {
    kind: "update",
    key: placesKey(settings.keyPrefix, pool, itemOf(place)),
    update: {
      set: { [attribute]: to, expiresAtS: poolExpiryS(clock.nowMs()), ...(served !== undefined && { served }) },
    },
    condition: whileNoneWaits ? { kind: "all", of: [is, { kind: "equal", attribute: "line", value: 0 }] } : is,
  };
}

export function isWaitedFor({ items, unmarked }: PoolState): boolean {
  return items.size > unmarked.length;
}

/** Reads the pool, and moves holders beyond the limit to free places, so that they keep no other place free. */
export async function readWithin(engine: Engine, pool: string, places: number): Promise<PoolState> {
  for (;;) {
    const state = await readPool(engine, pool, places);
    const move = moveWithin(state.taken, places);
    if (move === undefined) return state;
    const { from, to, holder } = move;
    await ensureItem(engine, pool, itemOf(to), state);
    await change(engine, [
      placeWrite(engine, pool, { place: to, from: FREE, to: holder }),
      placeWrite(engine, pool, { place: from, from: holder, to: FREE }),
    ]);
  }
}

/** An item of a pool with a line begins with the mark: those who wait have marked only the items that they found. */
export async function ensureItem(engine: Engine, pool: string, at: number, state: PoolState): Promise<void> {
  if (!state.items.has(at)) await makeItem(engine, pool, at, isWaitedFor(state));
}

export async function markAs(engine: Engine, pool: string, items: readonly number[], line: 0 | 1): Promise<void> {
  for (const at of items) {
    const key = placesKey(engine.settings.keyPrefix, pool, at);
    await engine.table.update(key, { set: { line } }, { kind: "present" });
  }
}

/** Two places of one item change in one write, because a transaction takes each item once. */
export async function change(engine: Engine, writes: readonly ReturnType<typeof placeWrite>[]): Promise<void> {
  const [one, other] = writes;
  if (one === undefined) return;
  if (other === undefined) return void (await engine.table.update(one.key, one.update, one.condition));
  if (one.key.pk !== other.key.pk) return void (await engine.table.transact(writes));
  const set = { ...one.update.set, ...other.update.set };
  await engine.table.update(one.key, { set }, { kind: "all", of: [one.condition!, other.condition!] });
}

/** A random number from 0 to below 1, which spreads those who ask at the same time. */
export function share({ ids }: Pick<Engine, "ids">): number {
  return ids.random(1)[0]! / 256;
}
