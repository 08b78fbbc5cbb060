/** A slice of a walk, stored as an item. It states which entries one worker visits, and how far the worker has come (I8). */
import type { Engine } from "../engine.ts";
import type { IndexPosition, Shards } from "../store/index-walk.ts";
import { sweeperPk } from "../store/item-keys.ts";
import type { Item, Key } from "../ports/table.ts";
import type { Walk, WalkName } from "./walks.ts";

export interface Slice {
  /** The unique name of the slice. */
  readonly name: string;
  readonly walk: Walk;
  readonly from: IndexPosition;
  readonly below?: IndexPosition;
  readonly shards: Shards;
  /** The number of failed looks at its only entry; 0 for a slice of many entries. */
  readonly tries: number;
  /** The token of the worker that has claimed the slice, and the end of its lease. The token of a dead worker stays. */
  readonly token?: string;
  readonly untilMs: number;
  /** The moment when the message of the slice was last sent. */
  readonly sentAtMs: number;
}

const SLICE = "slice#";

export function sliceKey(engine: Engine, name: string): Key {
  return { pk: sweeperPk(engine.settings.keyPrefix), sk: `${SLICE}${name}` };
}

/** The name follows from the walk and the part, so that all processes give the same slice the same name. */
export function newSlice(
  walk: Walk,
  part: Pick<Slice, "from" | "below" | "shards">,
  { sentAtMs, tries = 0 }: { readonly sentAtMs: number; readonly tries?: number },
): Slice {
  const shards = `${part.shards[0]}-${part.shards.at(-1)}`;
  const name = `${walk.name}#${walk.beganMs}#${shards}#${part.from}`;
  return { name, walk, ...part, tries, untilMs: 0, sentAtMs };
}

export function sliceItem(engine: Engine, { name, walk, from, below, shards, tries, sentAtMs }: Slice): Item {
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
    sentAtMs,
  };
}

export function readSlice(item: Item): Slice {
  const { sinceMs, below, token } = item;
  return {
    name: item.sk.slice(SLICE.length),
    walk: {
      name: String(item["walk"]) as WalkName,
      beganMs: Number(item["beganMs"]),
      // `sliceItem` leaves out -Infinity, which means that there was no earlier `everything` walk. `hasAged` is then true for
      // every entry.
      sinceMs: typeof sinceMs === "number" ? sinceMs : -Infinity,
    },
    from: String(item["from"]),
    ...(typeof below === "string" && { below }),
    shards: String(item["shards"]).split(",").map(Number),
    tries: Number(item["tries"] ?? 0),
    ...(typeof token === "string" && { token }),
    untilMs: Number(item["untilMs"] ?? 0),
    sentAtMs: Number(item["sentAtMs"] ?? 0),
  };
}

/** @param items the items of the sweeper's partition @returns the slices that are not done */
export function slicesIn(items: readonly Item[]): readonly Slice[] {
  return items.filter(({ sk }) => sk.startsWith(SLICE)).map(readSlice);
}
