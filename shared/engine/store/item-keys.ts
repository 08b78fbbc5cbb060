/** The key scheme of invocations, of the sweeper and of the two indexes (ADR 0003). */
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import { textHash } from "../../core/model/text-hash.ts";
import { DAY_MS } from "../../core/model/time-units.ts";
import type { Key } from "../ports/table.ts";

/** Sort keys of one invocation: `arr#`, `blob#`, `hold#`, `seg#`, `sink#`, `try#`, in this order. */
export const ARRIVALS = { from: "arr#", below: "arr$" };
/** Pieces of records that are too large for one item. */
export const PIECES = { from: "blob#", below: "blob$" };
export const ARRIVALS_AND_PIECES = { from: "arr#", below: "blob$" };
/** Arrivals, pieces, lease record and segments, without sinks. */
export const ARRIVALS_TO_SEGMENTS = { from: "arr#", below: "seg$" };
export const HOLDS = "hold#";
export const EVENTS = { from: "try#", below: "try$" };

export const ACCEPTANCE_SK = "seg#000000";

/** Replaces the nonce in an early arrival, whose writer found no acceptance and so no nonce (ADR 0021). Every nonce is longer. */
export const EARLY = "-" as Nonce;

/** The settings of an environment that determine its keys. */
export interface KeyScheme {
  readonly keyPrefix: string;
  /** The number of partitions of each index, each of which takes about 1,000 writes a second; one by default. */
  readonly indexShards?: number;
}

/** The sweeper walks this many shards, whatever the setting is and was, so that a change of the setting loses no work. */
export const INDEX_SHARDS_MAX = 16;

export function invocationPk(prefix: string, id: InvocationId | string): string {
  return `${prefix}inv#${id}`;
}

export function segmentKey(pk: string, nonce: Nonce, index: number): Key {
  return { pk, sk: index === 0 ? ACCEPTANCE_SK : `seg#${nonce}#${String(index).padStart(6, "0")}` };
}

/** The segments after the acceptance, in order. */
export function segmentRange(nonce: Nonce): { from: string; below: string } {
  return { from: `seg#${nonce}#`, below: `seg#${nonce}$` };
}

/** The index of the segment that an item in `segmentRange` contains. */
export function segmentIndexOf({ sk }: Key): number {
  return Number(sk.slice(sk.lastIndexOf("#") + 1));
}

export function leaseRecordKey(pk: string, nonce: Nonce): Key {
  return { pk, sk: `${HOLDS}${nonce}` };
}

export function arrivalKey(pk: string, nonce: Nonce, unique: string): Key {
  return { pk, sk: `arr#${nonce}#${unique}` };
}

/** @param name begins with the nonce, and is unique to one record */
export function pieceKey(pk: string, name: string, at: number): Key {
  return { pk, sk: `blob#${name}#${String(at).padStart(5, "0")}` };
}

export function pieceRange(name: string): { from: string; below: string } {
  return { from: `blob#${name}#`, below: `blob#${name}$` };
}

/** Failure events are a ring: the latest 32 remain. */
export function eventKey(pk: string, nonce: Nonce, attempt: number): Key {
  return { pk, sk: `try#${nonce}#${String(attempt % 32).padStart(2, "0")}` };
}

export function sinkKey(pk: string, nonce: Nonce, unique: string): Key {
  return { pk, sk: `sink#${nonce}#${unique}` };
}

export function sinkRange(nonce: Nonce): { from: string; below: string } {
  return { from: `sink#${nonce}#`, below: `sink#${nonce}$` };
}

/** False for an item of a former life of the same id (I12). Early arrivals are kept and deleted with the current life. */
export function belongsTo(sk: string, nonce: Nonce): boolean {
  if (sk === ACCEPTANCE_SK) return true;
  const owner = sk.split("#", 2)[1];
  return owner === nonce || owner === EARLY;
}

/** The part of a sort key after its prefix and nonce. */
export function uniquePart(sk: string, prefix: "arr" | "sink", nonce: Nonce): string | undefined {
  const head = `${prefix}#${nonce}#`;
  return sk.startsWith(head) ? sk.slice(head.length) : undefined;
}

/** The completion of command `completionId`, from any sender: only the first counts. */
export function completionArrival(completionId: number): string {
  return `c${completionId}`;
}

/** A signal with an index above the built-in ones (an awakeable): only the first counts. */
export function awakeableArrival(index: number): string {
  return `s${index}`;
}

/**
 * A hash spreads ids evenly: a remainder of their last characters, of base 62, would give some shards half as many entries
 * again as others. Entries placed by a former rule are found as well, because every reader walks all shards.
 */
export function shardOf(id: InvocationId, { indexShards = 1 }: Pick<KeyScheme, "indexShards">): number {
  return textHash(id) % indexShards;
}

/** The shards that lists read. */
export function shardsOf({ indexShards = 1 }: KeyScheme): readonly number[] {
  return Array.from({ length: indexShards }, (_, shard) => shard);
}

/** The first position of a moment in either index. */
export function placeAt(atMs: number): string {
  return String(Math.max(0, Math.floor(atMs))).padStart(15, "0");
}

/** The moment of a position in either index. */
export function momentOf(place: string): number {
  return Number(place.slice(0, 15));
}

/** Keys of the listing index: every invocation by the UTC day and the moment of its acceptance. */
export function listingKeys(
  scheme: KeyScheme,
  id: InvocationId,
  createdAtMs: number,
): { listPk: string; listSk: string } {
  const listPk = listingPk(scheme.keyPrefix, createdAtMs, shardOf(id, scheme));
  return { listPk, listSk: `${placeAt(createdAtMs)}#${id}` };
}

export function listingPk(prefix: string, atMs: number, shard: number): string {
  return `${prefix}list#${Math.floor(atMs / DAY_MS)}#${shard}`;
}

/** Keys of the open index: parked and long-driven invocations, by the moment of the next look. */
export function openKeys(scheme: KeyScheme, id: InvocationId, lookAtMs: number): { openPk: string; openSk: string } {
  return { openPk: openPk(scheme.keyPrefix, shardOf(id, scheme)), openSk: `${placeAt(lookAtMs)}#${id}` };
}

export function openPk(prefix: string, shard: number): string {
  return `${prefix}open#${shard}`;
}

/** The partition of the sweeper's progress. */
export function sweeperPk(prefix: string): string {
  return `${prefix}sweeper`;
}

/** Bounds in either index of the moments from `fromMs` on and before `belowMs`. */
export function momentRange(fromMs: number, belowMs: number): { from: string; below: string } {
  return { from: placeAt(fromMs), below: placeAt(belowMs) };
}
