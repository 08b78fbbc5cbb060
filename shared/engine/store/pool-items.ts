/**
 * The items of a pool: who has a place, who waits for one, and the bucket of its rate. The places of a large pool are spread over
 * items in several partitions, so that none of them gets every write.
 */
import { DAY_S } from "../../core/model/time-units.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import type { Item, Key } from "../ports/table.ts";

/** With this many names, an item stays below a kilobyte, so a write of it costs one unit. */
export const PLACES_PER_ITEM = 14;

/** The number of the item in which a place is. */
export function itemOf(place: number): number {
  return Math.floor(place / PLACES_PER_ITEM);
}

/** `start`: waits for a token of the rate. `place`: waits for a place. */
export type Gate = "place" | "start";

/** Every take and give-back sets the expiry anew, and the sweeper writes the turn of one that waits for longer again. */
const KEPT_S = 30 * DAY_S;

export function poolExpiryS(nowMs: number): number {
  return Math.ceil(nowMs / 1000) + KEPT_S;
}

/** No name of a pool has a `#`. */
export function poolPk(prefix: string, pool: string): string {
  return `${prefix}pool#${pool}`;
}

export function placesKey(prefix: string, pool: string, at: number): Key {
  const pk = poolPk(prefix, pool);
  return { pk: at === 0 ? pk : `${pk}#${at}`, sk: "places" };
}

export function bucketKey(prefix: string, pool: string): Key {
  return { pk: poolPk(prefix, pool), sk: "bucket" };
}

/** The token that one who waits has got. */
export function tokenKey(prefix: string, pool: string, id: InvocationId): Key {
  return { pk: poolPk(prefix, pool), sk: `token#${id}` };
}

/** The keys in the listing of the first item of each pool and of each bucket. */
export function poolListing(prefix: string, pool: string): { listPk: string; listSk: string } {
  return { listPk: poolsPk(prefix), listSk: pool };
}

export function poolsPk(prefix: string): string {
  return `${prefix}pools`;
}

/** The places of one item, with what each says. */
export function takenIn(item: Item | undefined): readonly (readonly [place: number, holder: string])[] {
  if (item === undefined) return [];
  const taken: [number, string][] = [];
  for (const [name, value] of Object.entries(item))
    if (typeof value === "string" && PLACE.test(name)) taken.push([Number(name.slice(1)), value]);
  return taken;
}

const PLACE = /^p\d+$/;

/** One life of an invocation, and one taking of a place by it. */
export interface PlaceHolder {
  readonly id: InvocationId;
  readonly nonce: Nonce;
  /** A random number. It changes when the holder begins to use a place that another process has given to it. */
  readonly stamp: number;
}

/** So many that two stamps of one life are never equal, and so few that an item of places stays below a kilobyte. */
export const STAMP_BYTES = 5;

/** All ids of invocations begin like this. */
const ID_PREFIX = "inv_1";

export function holderText({ stamp, ...life }: PlaceHolder): string {
  return `${lifeText(life)}${stamp.toString(36)}`;
}

/** Each holder text of the life begins like this. */
export function lifeText({ id, nonce }: Omit<PlaceHolder, "stamp">): string {
  return `${id.slice(ID_PREFIX.length)}.${nonce}.`;
}

export function holderOf(text: string): PlaceHolder {
  const [id, nonce, stamp] = text.split(".") as [string, string, string];
  return { id: (ID_PREFIX + id) as InvocationId, nonce: nonce as Nonce, stamp: parseInt(stamp, 36) };
}

/** A turn: an item that says that an invocation waits at a gate of a pool. */
export interface Turn {
  readonly key: Key;
  readonly id: InvocationId;
  readonly nonce: Nonce;
  readonly turnKey: string;
  readonly drawnAtMs: number;
  /** Empty in an item of another format. */
  readonly service: string;
}

const ORDER_DIGITS = 16;
const INDEX_DIGITS = 10;

export interface TurnPlace {
  readonly gate: Gate;
  readonly turnKey: string;
  readonly order: number;
  /** The first of those that a handler has started in one moment comes first. */
  readonly commandIndex?: number | undefined;
}

/** The same invocation has the same turn as long as it waits, however often it is written. */
export function turnKeyIn(pk: string, { gate, turnKey, order, commandIndex }: TurnPlace, id: InvocationId): Key {
  const within = commandIndex === undefined ? "" : `.${String(commandIndex).padStart(INDEX_DIGITS, "0")}`;
  return { pk, sk: `turn#${gate}#${turnKey}#${String(order).padStart(ORDER_DIGITS, "0")}${within}#${id}` };
}

export function turnsOf(gate: Gate): { from: string; below: string } {
  return { from: `turn#${gate}#`, below: `turn#${gate}$` };
}

export function turnsOfKey(gate: Gate, turnKey: string): { from: string; below: string } {
  return { from: `turn#${gate}#${turnKey}#`, below: `turn#${gate}#${turnKey}$` };
}

/** The turns of the keys after this one. */
export function turnsAfter(gate: Gate, turnKey: string): { from: string; below: string } {
  return { from: `turn#${gate}#${turnKey}$`, below: turnsOf(gate).below };
}

export function turnOf(item: Item): Turn {
  const { n, drawnAtMs, service } = item;
  const [, , turnKey = "", , id = ""] = item.sk.split("#");
  return {
    key: { pk: item.pk, sk: item.sk },
    id: id as InvocationId,
    nonce: String(n) as Nonce,
    turnKey,
    drawnAtMs: typeof drawnAtMs === "number" ? drawnAtMs : 0,
    service: typeof service === "string" ? service : "",
  };
}
