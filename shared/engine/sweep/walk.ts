/** A walk goes through an index until time is over, and returns the place where it continues. */
import { DAY_MS } from "../../core/model/time-units.ts";
import { type Probed, lookAtListed, probed } from "./listing-looks.ts";
import { type Look, type Looking, wakeDriverless, wakeOrNote } from "./looks.ts";
import { hasAged, looksAtOpen } from "./open-looks.ts";
import {
  type IndexPosition,
  type Shards,
  type IndexRange,
  behind,
  indexPositionOf,
  listedItems,
  openItems,
} from "../store/index-walk.ts";
import { placeAt } from "../store/item-keys.ts";
import type { Item } from "../ports/table.ts";
import type { Guard } from "./guard.ts";
import type { FailedLook, Saved } from "./progress.ts";

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

export interface Part extends IndexRange {
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
  const { engine, guard, counts } = at;
  if (walk.name === "listing" || walk.name === "ordered-listing")
    return await walkListed(at, walk.name, part, isOver, onFailed);
  const count = walk.name === "ordered-open" ? counts.orderedOpen : counts.open;
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

async function walkListed(
  at: Looking,
  name: "listing" | "ordered-listing",
  { from = "", below = placeAt(at.engine.clock.nowMs() + DAY_MS), shards }: Part,
  isOver: () => boolean,
  onFailed?: (place: IndexPosition) => void,
): Promise<IndexPosition | undefined> {
  const { engine, guard } = at;
  const wake = name === "listing" ? wakeOrNote : wakeDriverless;
  const positionOf = ({ item }: Probed): IndexPosition => indexPositionOf("list", item);
  return await walkOver(probed(engine, listedItems(engine, { from, below }, shards)), {
    positionOf,
    looksAt: (one) => [lookAtListed(at, one, wake)],
    onFailed: (one) => onFailed?.(positionOf(one)),
    isOver,
    guard,
  });
}

/**
 * True if a look reads the arrivals of an entry that is not due. The function compares the age at the start of the previous
 * walk with the age at the start of this walk, so that it misses no doubling, however long a walk takes. A ready invocation
 * waits for no arrival.
 */
function isRead({ engine, counts }: Looking, { name, beganMs, sinceMs = Infinity }: Walk, item: Item): boolean {
  if (name !== "everything") return name === "ordered-open";
  return item["status"] !== "ready" && counts.readsLeft > 0 && hasAged(engine, item, sinceMs, beganMs);
}

/** The most looks that run together: each takes some round trips to the table, and memory for a whole invocation. */
const LOOKS_TOGETHER = 8;

interface Visits<T> {
  readonly positionOf: (item: T) => IndexPosition;
  /** The looks that the entry needs, which may be none. */
  readonly looksAt: (item: T) => readonly Look[];
  /** Called for an entry with a look that failed. */
  readonly onFailed?: (item: T) => void;
  readonly isOver: () => boolean;
  readonly guard: Guard;
}

/**
 * Passes at least one entry, so that repeated calls reach the end.
 * @param items the entries in the order of their places
 * @returns the place where to continue; undefined at the end. The looks at all entries before that place are over.
 */
async function walkOver<T>(items: AsyncIterable<T>, visits: Visits<T>): Promise<IndexPosition | undefined> {
  const { positionOf, looksAt, onFailed, isOver, guard } = visits;
  let looks: Promise<unknown>[] = [];
  let reached: IndexPosition | undefined;
  const settle = async (): Promise<void> => {
    await Promise.all(looks);
    looks = [];
  };
  try {
    for await (const item of items) {
      if (reached !== undefined && isOver()) return behind(reached);
      for (const look of looksAt(item)) {
        if (guard.isCautious) await guard.mark(look.id, look.phase);
        looks.push(look.run().then((isDone) => (isDone ? undefined : onFailed?.(item))));
        if (guard.isCautious || looks.length >= LOOKS_TOGETHER) await settle();
      }
      reached = positionOf(item);
    }
    return undefined;
  } finally {
    // Waits even if the read of the index fails, because no look may be under way when a Lambda function freezes.
    await settle();
  }
}

/** A walk remembers at most this many entries whose look failed. If more looks fail, the cause is the table, not an entry. */
const AGAIN_MAX = 20;

/** How far a walk has come: every entry before `from` was looked at with success, or is in `again`. */
interface Reached {
  /** Undefined at the end of the walk. */
  readonly from: IndexPosition | undefined;
  readonly again: readonly FailedLook[];
}

/**
 * For a walk that passes each entry once. If there is no room left for an entry whose look failed, the walk stops before the entry.
 * @param again the entries that earlier passes of the walk remember
 */
export async function walkOnce(
  at: Looking,
  walk: Walk,
  part: Part,
  again: readonly FailedLook[],
  isOver: () => boolean,
): Promise<Reached> {
  const failed = new Set<IndexPosition>();
  const room = AGAIN_MAX - again.length;
  const isStopped = (): boolean => failed.size > room || isOver();
  const reached = await walkPart(at, walk, part, isStopped, (place) => failed.add(place));
  const places = [...failed].sort();
  if (places.length > room) at.counts.isStuck = true;
  const remembered = places.slice(0, room).map((place) => ({ place, tries: 1 }));
  return { from: places[room] ?? reached, again: [...again, ...remembered] };
}

/** One pass, which aims to finish the work that existed when it began. */
export interface Pass extends Looking {
  readonly nowMs: number;
  /** The end of the listing for this pass. Entries beyond it are still too young. */
  readonly listedBelow: IndexPosition;
}

/** The rest of a walk, which workers continue. */
export interface Remaining {
  readonly walk: Walk;
  readonly range: IndexRange;
  /** The state to save once workers have it. */
  readonly saved: Saved;
}

/** The work of a pass on one of its walks. */
export interface PassWalk {
  readonly isLeft: (saved: Saved, pass: Pass) => boolean;
  /** Called only if work is left. Continues until time is over, and visits at least one entry. */
  readonly goOn: (saved: Saved, pass: Pass, isOver: () => boolean) => Promise<Saved>;
  /** Called only if work is left. */
  readonly remaining: (saved: Saved, pass: Pass) => Remaining;
}
