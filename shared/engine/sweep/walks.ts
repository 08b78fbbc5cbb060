/** The walks of the sweeper: the entries that each walk visits, and the looks at these entries. */
import { DAY_MS } from "../../core/model/time-units.ts";
import { probed, type Probed, lookAtListed } from "./listed-check.ts";
import { wakeDriverless, type Waking, wakeOrNote } from "./driverless.ts";
import { hasAged } from "./has-aged.ts";
import { type Looking, looksAtOpen } from "./open-check.ts";
import {
  listedItems,
  openItems,
  type IndexPosition,
  indexPositionOf,
  type Shards,
  type Stretch,
} from "../store/index-walk.ts";
import { placeAt } from "../store/item-keys.ts";
import type { Item } from "../ports/table.ts";
import { walkOver } from "./walk-over.ts";

/**
 * `listing` visits each entry of the listing once, when it is old enough. `due` visits the entries of the open index
 * that are due. `everything` visits the entries that are due later, to find expired leases and to extend the time to live of open
 * invocations.
 * An operator orders `ordered-open` and `ordered-listing` after a restore.
 */
export type WalkName = "listing" | "due" | "everything" | "ordered-open" | "ordered-listing";

export interface Walk {
  readonly name: WalkName;
  readonly beganMs: number;
  /**
   * When the previous `everything` walk began. The present `everything` walk reads the arrivals of entries whose age has
   * doubled since that moment.
   */
  readonly sinceMs?: number;
}

export interface Part extends Stretch {
  /** By default all shards. */
  readonly shards?: Shards;
}

/** @returns where to continue; undefined at the end of the part */
export async function walkPart(
  at: Looking,
  walk: Walk,
  part: Part,
  isOver: () => boolean,
  onFailed?: (place: IndexPosition) => void,
): Promise<IndexPosition | undefined> {
  const { engine, guard, tally } = at;
  if (walk.name === "listing" || walk.name === "ordered-listing")
    return await walkListed(at, walk.name === "listing" ? wakeOrNote : wakeDriverless, part, isOver, onFailed);
  const count = walk.name === "ordered-open" ? tally.orderedOpen : tally.open;
  return await walkOver(openItems(engine, part, part.shards), {
    positionOf: (item) => indexPositionOf("open", item),
    looksAt(item) {
      count?.add(item);
      return looksAtOpen(at, item, isRead(at, walk, item));
    },
    // The other walks over the open index come to the entry again.
    ...(walk.name === "ordered-open" && { onFailed: (item) => onFailed?.(indexPositionOf("open", item)) }),
    isOver,
    guard,
  });
}

export async function walkListed(
  at: Looking,
  wake: Waking,
  { from = "", below = placeAt(at.engine.clock.nowMs() + DAY_MS), shards }: Part,
  isOver: () => boolean,
  onFailed?: (place: IndexPosition) => void,
): Promise<IndexPosition | undefined> {
  const { engine, guard } = at;
  const positionOfOne = ({ item }: Probed): IndexPosition => indexPositionOf("list", item);
  return await walkOver(probed(engine, listedItems(engine, { from, below }, shards)), {
    positionOf: positionOfOne,
    looksAt: (one) => [lookAtListed(at, one, wake)],
    onFailed: (one) => onFailed?.(positionOfOne(one)),
    isOver,
    guard,
  });
}

/**
 * True if a look reads the arrivals of an entry that is not due. The function compares the age at the start of the previous
 * walk with the age at the start of this walk, so that it misses no doubling, however long a walk takes. A ready invocation
 * waits for no arrival.
 */
function isRead({ engine, tally }: Looking, { name, beganMs, sinceMs = Infinity }: Walk, item: Item): boolean {
  if (name !== "everything") return name === "ordered-open";
  return item["status"] !== "ready" && tally.readsLeft > 0 && hasAged(engine, item, sinceMs, beganMs);
}
