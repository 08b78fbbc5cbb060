/** The key scheme: where everything about an invocation stands in the one table (ADR 0003). */
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import { textHash } from "../../core/model/text-hash.ts";
import type { Key } from "../ports/table.ts";

/** Sort keys of one invocation: `arr#`, `blob#`, `hold#`, `seg#`, `sink#`, `try#`, in this order. */
export const ARRIVALS = { from: "arr#", below: "arr$" };
/** Pieces of records that one item cannot hold. */
export const PIECES = { from: "blob#", below: "blob$" };
export const ARRIVALS_AND_PIECES = { from: "arr#", below: "blob$" };
/** From the first arrival over pieces and hold up to the last segment, sinks excluded. */
export const ARRIVALS_TO_SEGMENTS = { from: "arr#", below: "seg$" };
export const HOLDS = "hold#";
export const EVENTS = { from: "try#", below: "try$" };

export const ACCEPTANCE_SK = "seg#000000";

/** Stands for the nonce of an arrival that found no acceptance: its writer could not know the nonce (ADR 0021). No nonce is so short. */
export const EARLY = "-" as Nonce;

/** How one environment places its items. */
export interface KeyScheme {
  readonly keyPrefix: string;
  /** Both indexes are spread over as many partitions, each of which takes some 1,000 writes a second; one unless told. */
  readonly indexShards?: number;
}

/** Whatever the number of shards is and was, the sweeper walks them all: no work is lost where somebody changes it. */
export const INDEX_SHARDS_MAX = 16;
const DAY_MS = 86_400_000;

export function invocationPk(prefix: string, id: InvocationId | string): string {
  return `${prefix}inv#${id}`;
}

export function segmentKey(pk: string, nonce: Nonce, index: number): Key {
  return { pk, sk: index === 0 ? ACCEPTANCE_SK : `seg#${nonce}#${String(index).padStart(6, "0")}` };
}

/** The segments behind the acceptance, in their order. */
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

/** @param name begins with the nonce, and is of one record alone */
export function pieceKey(pk: string, name: string, at: number): Key {
  return { pk, sk: `blob#${name}#${String(at).padStart(5, "0")}` };
}

export function pieceRange(name: string): { from: string; below: string } {
  return { from: `blob#${name}#`, below: `blob#${name}$` };
}

/** Events are a ring: the newest 32 remain. */
export function eventKey(pk: string, nonce: Nonce, attempt: number): Key {
  return { pk, sk: `try#${nonce}#${String(attempt % 32).padStart(2, "0")}` };
}

export function sinkKey(pk: string, nonce: Nonce, unique: string): Key {
  return { pk, sk: `sink#${nonce}#${unique}` };
}

export function sinkRange(nonce: Nonce): { from: string; below: string } {
  return { from: `sink#${nonce}#`, below: `sink#${nonce}$` };
}

/** False for what a former life of the same id left behind (I12). Early arrivals are kept and deleted with the life that stands. */
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

/** The completion of command `completionId`, whoever brings it: only the first counts. */
export function completionArrival(completionId: number): string {
  return `c${completionId}`;
}

/** A signal with a number above the built-in ones (awakeables): only the first counts. */
export function awakeableArrival(index: number): string {
  return `s${index}`;
}

/**
 * Ids end in letters of base 62, of which a remainder would give some shards half as much again as others: the hash spreads
 * them evenly. An entry that stands elsewhere by a former rule is found all the same, because every reader walks all shards.
 */
export function shardOf(id: InvocationId, { indexShards = 1 }: Pick<KeyScheme, "indexShards">): number {
  return textHash(id) % indexShards;
}

/** The shards that lists are told from. */
export function shardsOf({ indexShards = 1 }: KeyScheme): readonly number[] {
  return Array.from({ length: indexShards }, (_, shard) => shard);
}

/** The first place of a moment in either index. */
export function placeAt(atMs: number): string {
  return String(Math.max(0, Math.floor(atMs))).padStart(15, "0");
}

/** The moment of a place in either index. */
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

/** Keys of the open index: invocations that are parked or held for long, by the moment at which to look at them. */
export function openKeys(scheme: KeyScheme, id: InvocationId, lookAtMs: number): { openPk: string; openSk: string } {
  return { openPk: openPk(scheme.keyPrefix, shardOf(id, scheme)), openSk: `${placeAt(lookAtMs)}#${id}` };
}

export function openPk(prefix: string, shard: number): string {
  return `${prefix}open#${shard}`;
}

/** What the sweeper remembers from pass to pass. */
export function sweeperPk(prefix: string): string {
  return `${prefix}sweeper`;
}

/** Bounds of either index for moments from `fromMs` on and before `belowMs`. */
export function momentRange(fromMs: number, belowMs: number): { from: string; below: string } {
  return { from: placeAt(fromMs), below: placeAt(belowMs) };
}
