/** The walks of the sweeper: which entries each comes past, and the looks that it takes at them. */
import { glanced, type Glanced, lookAtListed } from "./listed-look.ts";
import { wakeDriverless, type Waking, wakeOrNote } from "./driverless.ts";
import { hasAged } from "./has-aged.ts";
import { type Looking, looksAtOpen } from "./open-look.ts";
import { listedItems, openItems, type Place, placeOf, type Shards, type Stretch } from "../ledger/index-walk.ts";
import { placeAt } from "../ledger/item-keys.ts";
import type { Item } from "../ports/table.ts";
import { walkOver } from "./walk-over.ts";

const DAY_MS = 86_400_000;

/**
 * `listing`: once over all that was accepted, when it is old enough. `due`: what is to be looked at by its place in the open
 * index. `everything`: what is due later, for leases that are over and extensions. The ordered ones follow a restore.
 */
export type WalkName = "listing" | "due" | "everything" | "ordered-open" | "ordered-listing";

export interface Walk {
  readonly name: WalkName;
  readonly beganMs: number;
  /** When the walk before began, of those that read what arrived for entries whose age has doubled since. */
  readonly sinceMs?: number;
}

export interface Part extends Stretch {
  /** All unless given. */
  readonly shards?: Shards;
}

/** @returns where to go on; undefined at the end of the part */
export async function walkPart(
  at: Looking,
  walk: Walk,
  part: Part,
  isOver: () => boolean,
  onFailed?: (place: Place) => void,
): Promise<Place | undefined> {
  const { engine, guard } = at;
  if (walk.name === "listing" || walk.name === "ordered-listing")
    return await walkListed(at, walk.name === "listing" ? wakeOrNote : wakeDriverless, part, isOver, onFailed);
  return await walkOver(openItems(engine, part, part.shards), {
    placeOf: (item) => placeOf("open", item),
    looksAt: (item) => looksAtOpen(at, item, isRead(at, walk, item)),
    isOver,
    guard,
  });
}

export async function walkListed(
  at: Looking,
  wake: Waking,
  { from = "", below = placeAt(at.engine.clock.nowMs() + DAY_MS), shards }: Part,
  isOver: () => boolean,
  onFailed?: (place: Place) => void,
): Promise<Place | undefined> {
  const { engine, guard } = at;
  const placeOfOne = ({ item }: Glanced): Place => placeOf("list", item);
  return await walkOver(glanced(engine, listedItems(engine, { from, below }, shards)), {
    placeOf: placeOfOne,
    looksAt: (one) => [lookAtListed(at, one, wake)],
    onFailed: (one) => onFailed?.(placeOfOne(one)),
    isOver,
    guard,
  });
}

/**
 * By the moments at which walks began, so that none is left out between two of them however long they take. An invocation that is
 * ready waits for nothing that could arrive.
 */
function isRead({ engine, tally }: Looking, { name, beganMs, sinceMs = Infinity }: Walk, item: Item): boolean {
  if (name !== "everything") return name === "ordered-open";
  return item["status"] !== "ready" && tally.readsLeft > 0 && hasAged(engine, item, sinceMs, beganMs);
}
