/** A slice of a walk, as an item: what one process does of it while others do the rest, and how far it has come (I8). */
import type { Engine } from "../engine.ts";
import type { Place, Shards } from "../ledger/index-walk.ts";
import { sweeperPk } from "../ledger/item-keys.ts";
import type { Item, Key } from "../ports/table.ts";
import type { Walk, WalkName } from "./walks.ts";

export interface Slice {
  /** Names it among all there are. */
  readonly name: string;
  readonly walk: Walk;
  readonly from: Place;
  readonly below?: Place;
  readonly shards: Shards;
  /** How often its only entry could not be looked at; 0 for a slice of many. */
  readonly tries: number;
  /** The process that does it, until when. A process that died has left its token. */
  readonly token?: string;
  readonly untilMs: number;
}

const SLICE = "slice#";

export function sliceKey(engine: Engine, name: string): Key {
  return { pk: sweeperPk(engine.settings.keyPrefix), sk: `${SLICE}${name}` };
}

/** The same slice has the same name, whoever cuts it. */
export function newSlice(walk: Walk, part: Pick<Slice, "from" | "below" | "shards">, tries = 0): Slice {
  const shards = `${part.shards[0]}-${part.shards.at(-1)}`;
  const name = `${walk.name}#${walk.beganMs}#${shards}#${part.from}`;
  return { name, walk, ...part, tries, untilMs: 0 };
}

export function sliceItem(engine: Engine, { name, walk, from, below, shards, tries }: Slice): Item {
  return {
    ...sliceKey(engine, name),
    walk: walk.name,
    beganMs: walk.beganMs,
    ...(walk.sinceMs !== undefined && Number.isFinite(walk.sinceMs) && { sinceMs: walk.sinceMs }),
    from,
    ...(below !== undefined && { below }),
    shards: shards.join(","),
    tries,
    untilMs: 0,
  };
}

export function readSlice(item: Item): Slice {
  const { sinceMs, below, token } = item;
  return {
    name: item.sk.slice(SLICE.length),
    walk: {
      name: String(item["walk"]) as WalkName,
      beganMs: Number(item["beganMs"]),
      // A walk before which there was none reads what arrived for all.
      sinceMs: typeof sinceMs === "number" ? sinceMs : -Infinity,
    },
    from: String(item["from"]),
    ...(typeof below === "string" && { below }),
    shards: String(item["shards"]).split(",").map(Number),
    tries: Number(item["tries"] ?? 0),
    ...(typeof token === "string" && { token }),
    untilMs: Number(item["untilMs"] ?? 0),
  };
}

/** @param items of the sweeper's partition @returns the slices that are not done */
export function slicesIn(items: readonly Item[]): readonly Slice[] {
  return items.filter(({ sk }) => sk.startsWith(SLICE)).map(readSlice);
}
