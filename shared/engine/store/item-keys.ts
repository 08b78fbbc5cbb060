/** The key scheme of invocations, of the sweeper and of the two indexes (ADR 0003). */
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import { textHash } from "../../core/model/text-hash.ts";
import { DAY_MS } from "../../core/model/time-units.ts";
import type { Key } from "../ports/table.ts";

/**
 * A range of sort keys. The sort keys of one invocation begin with `arr#`, `blob#`, `hold#`, `seg#`, `sink#`, `try#`, in this
 * order.
 */
export const ARRIVALS = { from: "arr#", below: "arr$" };
/** The pieces of records that are too large for one item. */
export const PIECES = { from: "blob#", below: "blob$" };
export const ARRIVALS_AND_PIECES = { from: "arr#", below: "blob$" };
/** The items after the pieces, in the order of the keys: the lease record, the acceptance and the segments. */
export const HOLD_TO_SEGMENTS = { from: "hold#", below: "seg$" };
/** All items of an invocation except sinks and failure events. */
export const ARRIVALS_TO_SEGMENTS = { from: "arr#", below: "seg$" };
export const HOLDS = "hold#";
export const EVENTS = { from: "try#", below: "try$" };

export const ACCEPTANCE_SK = "seg#000000";

/** Replaces the nonce in the key of an early arrival (ADR 0021). Every real nonce is longer. */
export const EARLY = "-" as Nonce;

/** The settings of an environment that determine its keys. */
export interface KeyScheme {
  readonly keyPrefix: string;
  /** The number of partitions of each index; one by default. Each partition takes about 1,000 writes a second. */
  readonly indexShards?: number;
}

/** The sweeper always walks this many shards, so that a change of the setting loses no work. */
export const INDEX_SHARDS_MAX = 16;

export function invocationPk(prefix: string, id: InvocationId | string): string {
  return `${prefix}inv#${id}`;
}

export function segmentKey(pk: string, nonce: Nonce, index: number): Key {
  return { pk, sk: index === 0 ? ACCEPTANCE_SK : `seg#${nonce}#${String(index).padStart(6, "0")}` };
}

/** The segments of this life in order, without the acceptance; segments of former lives have another nonce (I12). */
export function segmentsOf<I extends Key>(items: readonly I[], nonce: Nonce): readonly I[] {
  return items.filter(({ sk }) => sk.startsWith(`seg#${nonce}#`));
}

/** The segments after the acceptance, in order. */
export function segmentRange(nonce: Nonce): { from: string; below: string } {
  return { from: `seg#${nonce}#`, below: `seg#${nonce}$` };
}

/** The index of the segment in an item of `segmentRange`. */
export function segmentIndexOf({ sk }: Key): number {
  return Number(sk.slice(sk.lastIndexOf("#") + 1));
}

export function leaseRecordKey(pk: string, nonce: Nonce): Key {
  return { pk, sk: `${HOLDS}${nonce}` };
}

export function arrivalKey(pk: string, nonce: Nonce, unique: string): Key {
  return { pk, sk: `arr#${nonce}#${unique}` };
}

/** @param name the name of the record: it begins with the nonce, and is unique to one record */
export function pieceKey(pk: string, name: string, at: number): Key {
  return { pk, sk: `blob#${name}#${String(at).padStart(5, "0")}` };
}

export function pieceRange(name: string): { from: string; below: string } {
  return { from: `blob#${name}#`, below: `blob#${name}$` };
}

/** The keys repeat after 32 attempts, so the latest 32 failure events remain. */
export function eventKey(pk: string, nonce: Nonce, attempt: number): Key {
  return { pk, sk: `try#${nonce}#${String(attempt % 32).padStart(2, "0")}` };
}

export function sinkKey(pk: string, nonce: Nonce, unique: string): Key {
  return { pk, sk: `sink#${nonce}#${unique}` };
}

export function sinkRange(nonce: Nonce): { from: string; below: string } {
  return { from: `sink#${nonce}#`, below: `sink#${nonce}$` };
}

/** False for an item of a former life of the same id (I12). Early arrivals belong to the current life. */
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

/** The key of a completion. It does not depend on the sender, so only the first completion of a command counts. */
export function completionArrival(completionId: number): string {
  return `c${completionId}`;
}

/**
 * The key of an awakeable's signal. It does not depend on the sender, so only the first signal counts. The index is above the
 * indexes of built-in signals.
 */
export function awakeableArrival(index: number): string {
  return `s${index}`;
}

/**
 * The shard of an id, by a hash, because a hash spreads ids evenly. The last characters of an id, which are of base 62, would
 * give some shards 1.5 times as many entries as others. The rule may change, because every reader walks all shards.
 */
export function shardOf(id: InvocationId, { indexShards = 1 }: Pick<KeyScheme, "indexShards">): number {
  return textHash(id) % indexShards;
}

/** The shards of the current setting. Lists of invocations read these shards. */
export function shardsOf({ indexShards = 1 }: KeyScheme): readonly number[] {
  return Array.from({ length: indexShards }, (_, shard) => shard);
}

/** The first position of a moment, in both indexes. */
export function placeAt(atMs: number): string {
  return String(Math.max(0, Math.floor(atMs))).padStart(15, "0");
}

/** The moment of a position, in both indexes. */
export function momentOfPlace(place: string): number {
  return Number(place.slice(0, 15));
}

/** The keys of the listing, which contains every invocation by the UTC day and the moment of its acceptance. */
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

/** The keys of the open index, which contains parked and long-driven invocations by the moment of the next look. */
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

/** The bounds of the moments from `fromMs` to before `belowMs`, in both indexes. */
export function momentRange(fromMs: number, belowMs: number): { from: string; below: string } {
  return { from: placeAt(fromMs), below: placeAt(belowMs) };
}
