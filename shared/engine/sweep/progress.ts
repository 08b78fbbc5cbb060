/** How far the sweeper has come, and how a process that remembers nothing finds it in the table. */
import type { Engine } from "../engine.ts";
import { listingAgeMinMs } from "../engine-settings.ts";
import type { Place } from "../ledger/index-walk.ts";
import { momentOf, placeAt, sweeperPk } from "../ledger/item-keys.ts";
import { PROGRESS_SK } from "../ledger/noted.ts";
import type { Item } from "../ports/table.ts";

/** A sweeper that begins looks back for some times as long as what it looks at is old at least. */
const LISTING_AGE_MAX_SHARE = 4;

/** A walk that may take more than one pass: all that stood in the index when it began is looked at before it ends. */
export interface Round {
  readonly beganMs: number;
  readonly from: Place;
}

export interface DueRound extends Round {
  /** Since when the oldest that it came past had been due. */
  readonly sinceMs?: number;
}

/** An entry of the listing that could not be looked at: the listing is read once, so that it has to be remembered. */
export interface Again {
  readonly place: Place;
  readonly tries: number;
}

/**
 * Each part is a fact that no later pass can make untrue, so of two sweepers at once either may write last: what the other
 * had done beyond that is done once more.
 */
export interface Progress {
  /** Entries of the listing from there on were not looked at yet. */
  readonly listedFrom: Place;
  readonly again: readonly Again[];
  /** When the last walk over everything that is open began. */
  readonly walkedAtMs: number;
  /** How long it took: a short one costs next to nothing, and the next begins soon. */
  readonly walkTookMs: number;
  /** The unfinished walk over what was due when it began. */
  readonly due?: DueRound | undefined;
  /** The unfinished walk over everything else. */
  readonly walk?: Round | undefined;
}

/** Somebody's order to look at everything that is open and at the whole listing, once; without a place, that part is done. */
export interface Order {
  readonly beganMs: number;
  readonly openFrom?: Place | undefined;
  readonly listedFrom?: Place | undefined;
}

export interface Saved {
  readonly progress: Progress;
  readonly order: Order | undefined;
}

export function atFirst(engine: Engine): Progress {
  const listedFrom = placeAt(engine.clock.nowMs() - LISTING_AGE_MAX_SHARE * listingAgeMinMs(engine.settings));
  return { listedFrom, again: [], walkedAtMs: -Infinity, walkTookMs: 0 };
}

const ORDER_SK = "everything";

/** @param items of the sweeper's partition @returns false before the first pass of all */
export function hasProgress(items: readonly Item[]): boolean {
  return items.some(({ sk }) => sk === PROGRESS_SK);
}

/** @param items of the sweeper's partition */
export function savedIn(engine: Engine, items: readonly Item[]): Saved {
  const at = (key: string) => items.find(({ sk }) => sk === key);
  const order = at(ORDER_SK);
  return {
    progress: progressOf(engine, at(PROGRESS_SK)),
    order: order && {
      beganMs: Number(order["beganMs"]),
      openFrom: placeIn(order, "openFrom"),
      listedFrom: placeIn(order, "listedFrom"),
    },
  };
}

/** The progress of the listing alone. @returns undefined where no sweeper has written any yet */
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
    fromMs: momentOf(listedFrom),
    listedFrom,
    walkTookMs,
    ...(Number.isFinite(walkedAtMs) && { walkedAtMs }),
    ...(again.length > 0 && { again: again.map(({ place, tries }) => `${tries} ${place}`).join("\n") }),
    ...(due && { dueBeganMs: due.beganMs, dueFrom: due.from }),
    ...(due?.sinceMs !== undefined && { dueSinceMs: due.sinceMs }),
    ...(walk && { walkBeganMs: walk.beganMs, walkFrom: walk.from }),
  };
  await engine.table.put(item);
}

/** In place of an order before it, whose part that is not done is a part of this one. */
export async function placeOrder(engine: Engine, { beganMs, openFrom, listedFrom }: Order): Promise<void> {
  await engine.table.put({ ...orderKey(engine), beganMs, openFrom, listedFrom });
}

/** Nothing is written where the order was done by another sweeper, or a later one stands in its place. */
export async function writeOrder(engine: Engine, { beganMs, openFrom, listedFrom }: Order): Promise<void> {
  const same = { kind: "equal", attribute: "beganMs", value: beganMs } as const;
  if (openFrom === undefined && listedFrom === undefined)
    return void (await engine.table.delete(orderKey(engine), same));
  const set = { ...(openFrom !== undefined && { openFrom }), ...(listedFrom !== undefined && { listedFrom }) };
  const remove = [...(openFrom === undefined ? ["openFrom"] : []), ...(listedFrom === undefined ? ["listedFrom"] : [])];
  await engine.table.update(orderKey(engine), { set, ...(remove.length > 0 && { remove }) }, same);
}

function orderKey({ settings }: Engine) {
  return { pk: sweeperPk(settings.keyPrefix), sk: ORDER_SK };
}

/** What the version before has written tells of whole moments alone. */
function progressOf(engine: Engine, item: Partial<Item> = {}): Progress {
  const { fromMs, walkedAtMs, again } = item;
  const first = atFirst(engine);
  const [due, sinceMs] = [roundIn(item, "due"), item["dueSinceMs"]];
  return {
    listedFrom: placeIn(item, "listedFrom") ?? (typeof fromMs === "number" ? placeAt(fromMs) : first.listedFrom),
    again: typeof again === "string" ? again.split("\n").map(againOf) : [],
    walkedAtMs: typeof walkedAtMs === "number" ? walkedAtMs : first.walkedAtMs,
    walkTookMs: Number(item["walkTookMs"] ?? 0),
    due: due && { ...due, ...(typeof sinceMs === "number" && { sinceMs }) },
    walk: roundIn(item, "walk"),
  };
}

function againOf(text: string): Again {
  const [tries, place] = text.split(" ");
  return { tries: Number(tries), place: place ?? "" };
}

function placeIn(item: Partial<Item>, name: string): Place | undefined {
  const place = item[name];
  return typeof place === "string" ? place : undefined;
}

function roundIn(item: Partial<Item>, name: "due" | "walk"): Round | undefined {
  const [beganMs, from] = [item[`${name}BeganMs`], placeIn(item, `${name}From`)];
  return typeof beganMs === "number" && from !== undefined ? { beganMs, from } : undefined;
}
