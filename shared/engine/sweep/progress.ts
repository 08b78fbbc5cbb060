/** The sweeper's progress, and its form in the table, for processes without memory of earlier passes. */
import type { Engine } from "../engine.ts";
import { PROGRESS_SK, type IndexPosition } from "../store/index-walk.ts";
import { momentOfPlace, placeAt, sweeperPk } from "../store/item-keys.ts";
import type { Item } from "../ports/table.ts";

/**
 * The very first pass goes back in the listing by this many times the minimum age of the entries that it looks at.
 */
const LISTING_AGE_MAX_SHARE = 4;

/** A walk over entries of the open index, which may take more than one pass. */
export interface UnfinishedWalk {
  readonly beganMs: number;
  readonly from: IndexPosition;
}

/**
 * The walk over everything. The added fields decide what a sole owner may delete after the walk. Only memory has them, because
 * a sole owner begins each walk anew when it starts.
 */
export interface UnfinishedEverything extends UnfinishedWalk {
  /** When the walk began, the open index had every open invocation that was accepted before this moment. */
  readonly notedBeforeMs?: number;
  /** True once the entries that were due when the walk began have been visited, too. */
  readonly isDueVisited?: true;
  /** True if an extension of this walk has failed. */
  readonly isExtensionMissing?: true;
}

export interface UnfinishedDue extends UnfinishedWalk {
  /** The earliest due moment of the entries that the walk has passed so far. */
  readonly sinceMs?: number;
}

/** An entry whose look failed in a walk that passes each entry once. The item with the place of the walk contains such entries. */
export interface FailedLook {
  readonly place: IndexPosition;
  readonly tries: number;
}

/**
 * Each field states how far the passes have come, and work that a pass has done stays done. So if two sweepers run at the same
 * time, either may write last: at worst the next pass repeats work of the sweeper that had come further.
 */
export interface Progress {
  /** The first place of the listing that the walk has not reached. */
  readonly listedFrom: IndexPosition;
  readonly again: readonly FailedLook[];
  /** When the last finished walk over the whole open index began. */
  readonly walkedAtMs: number;
  /** How long that walk took: after a short walk, which is cheap, the next begins soon. */
  readonly walkTookMs: number;
  /** The unfinished walk over the entries that were due when it began. */
  readonly due?: UnfinishedDue | undefined;
  /** The unfinished walk over all other entries. */
  readonly walk?: UnfinishedEverything | undefined;
}

/**
 * The moment before which the walk over the listing has looked at every entry with success. Every open invocation that was
 * accepted before is in the open index.
 */
export function notedBeforeMs({ listedFrom, again }: Progress): number {
  return Math.min(momentOfPlace(listedFrom), ...again.map(({ place }) => momentOfPlace(place)));
}

/**
 * An operator's order to look once at every open invocation and at the whole listing. If `openFrom` or `listedFrom` is absent,
 * that walk has come to its end, and only the entries whose looks failed are left of it. They stand beside the place, as in
 * `Progress`, so that of two sweepers either may write last.
 */
export interface OrderedWalks {
  readonly beganMs: number;
  readonly openFrom?: IndexPosition | undefined;
  readonly listedFrom?: IndexPosition | undefined;
  readonly openAgain?: readonly FailedLook[];
  readonly listedAgain?: readonly FailedLook[];
}

/** True if nothing of the order is left. */
export function isDone({ openFrom, listedFrom, openAgain = [], listedAgain = [] }: OrderedWalks): boolean {
  return openFrom === undefined && listedFrom === undefined && openAgain.length + listedAgain.length === 0;
}

export interface Saved {
  readonly progress: Progress;
  readonly ordered: OrderedWalks | undefined;
}

export function atFirst(engine: Engine): Progress {
  const listedFrom = placeAt(engine.clock.nowMs() - LISTING_AGE_MAX_SHARE * engine.settings.listingAgeMinMs);
  return { listedFrom, again: [], walkedAtMs: -Infinity, walkTookMs: 0 };
}

const ORDERED_SK = "everything";

/** @param items the items of the sweeper's partition @returns false before the very first pass */
export function hasProgress(items: readonly Item[]): boolean {
  return items.some(({ sk }) => sk === PROGRESS_SK);
}

/** @param items the items of the sweeper's partition */
export function savedIn(engine: Engine, items: readonly Item[]): Saved {
  const at = (key: string) => items.find(({ sk }) => sk === key);
  return { progress: progressOf(engine, at(PROGRESS_SK)), ordered: orderedIn(at(ORDERED_SK)) };
}

/** @returns undefined if there is no order, or all of it is done */
export async function readOrdered(engine: Engine): Promise<OrderedWalks | undefined> {
  return orderedIn(await engine.table.get(orderedKey(engine)));
}

function orderedIn(item: Item | undefined): OrderedWalks | undefined {
  return (
    item && {
      beganMs: Number(item["beganMs"]),
      openFrom: placeIn(item, "openFrom"),
      listedFrom: placeIn(item, "listedFrom"),
      openAgain: againIn(item, "openAgain"),
      listedAgain: againIn(item, "listedAgain"),
    }
  );
}

/** Reads only the progress in the listing. @returns undefined before the first write of progress */
export async function readListed(engine: Engine): Promise<Pick<Progress, "listedFrom" | "again"> | undefined> {
  const item = await engine.table.get({ pk: sweeperPk(engine.settings.keyPrefix), sk: PROGRESS_SK });
  if (item === undefined) return undefined;
  const { listedFrom, again } = progressOf(engine, item);
  return { listedFrom, again };
}

export async function writeProgress(engine: Engine, progress: Progress): Promise<void> {
  const { listedFrom, again, walkedAtMs, walkTookMs, due, walk } = progress;
  const item: Item = {
    pk: sweeperPk(engine.settings.keyPrefix),
    sk: PROGRESS_SK,
    listedFrom,
    walkTookMs,
    ...(Number.isFinite(walkedAtMs) && { walkedAtMs }),
    ...(again.length > 0 && { again: packAgain(again) }),
    ...(due && { dueBeganMs: due.beganMs, dueFrom: due.from }),
    ...(due?.sinceMs !== undefined && { dueSinceMs: due.sinceMs }),
    ...(walk && { walkBeganMs: walk.beganMs, walkFrom: walk.from }),
  };
  await engine.table.put(item);
}

/** Replaces an earlier order, because the new order includes the unfinished part of it. */
export async function orderWalks(engine: Engine, { beganMs, openFrom, listedFrom }: OrderedWalks): Promise<void> {
  await engine.table.put({ ...orderedKey(engine), beganMs, openFrom, listedFrom });
}

/** Writes nothing if another sweeper has finished the order, or if a later order has replaced it. */
export async function writeOrdered(engine: Engine, ordered: OrderedWalks): Promise<void> {
  const { beganMs, openFrom, listedFrom, openAgain = [], listedAgain = [] } = ordered;
  const same = { kind: "equal", attribute: "beganMs", value: beganMs } as const;
  if (isDone(ordered)) return void (await engine.table.delete(orderedKey(engine), same));
  const fields = {
    openFrom,
    listedFrom,
    openAgain: openAgain.length > 0 ? packAgain(openAgain) : undefined,
    listedAgain: listedAgain.length > 0 ? packAgain(listedAgain) : undefined,
  };
  const set: Record<string, string> = {};
  const remove: string[] = [];
  for (const [name, value] of Object.entries(fields))
    if (value === undefined) remove.push(name);
    else set[name] = value;
  await engine.table.update(orderedKey(engine), { set, ...(remove.length > 0 && { remove }) }, same);
}

function orderedKey({ settings }: Engine) {
  return { pk: sweeperPk(settings.keyPrefix), sk: ORDERED_SK };
}

function progressOf(engine: Engine, item: Partial<Item> = {}): Progress {
  const { walkedAtMs } = item;
  const first = atFirst(engine);
  const [due, sinceMs] = [unfinishedIn(item, "due"), item["dueSinceMs"]];
  return {
    listedFrom: placeIn(item, "listedFrom") ?? first.listedFrom,
    again: againIn(item, "again"),
    walkedAtMs: typeof walkedAtMs === "number" ? walkedAtMs : first.walkedAtMs,
    walkTookMs: Number(item["walkTookMs"] ?? 0),
    due: due && { ...due, ...(typeof sinceMs === "number" && { sinceMs }) },
    walk: unfinishedIn(item, "walk"),
  };
}

function packAgain(again: readonly FailedLook[]): string {
  return again.map(({ place, tries }) => `${tries} ${place}`).join("\n");
}

function againIn(item: Partial<Item>, name: string): readonly FailedLook[] {
  const text = item[name];
  return typeof text === "string" ? text.split("\n").map(againOf) : [];
}

function againOf(text: string): FailedLook {
  const [tries, place] = text.split(" ");
  return { tries: Number(tries), place: place ?? "" };
}

function placeIn(item: Partial<Item>, name: string): IndexPosition | undefined {
  const place = item[name];
  return typeof place === "string" ? place : undefined;
}

function unfinishedIn(item: Partial<Item>, name: "due" | "walk"): UnfinishedWalk | undefined {
  const [beganMs, from] = [item[`${name}BeganMs`], placeIn(item, `${name}From`)];
  return typeof beganMs === "number" && from !== undefined ? { beganMs, from } : undefined;
}
