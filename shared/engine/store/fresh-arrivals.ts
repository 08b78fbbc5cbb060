/** The fresh arrivals among the items of an invocation: no segment lists them yet. */
import { livesOnce } from "../../core/invocation/acceptance.ts";
import type { Arrival } from "../../core/invocation/event.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import { EMPTY_JOURNAL } from "../../core/invocation/journal.ts";
import { isCancel } from "../../core/invocation/orders.ts";
import type { Nonce } from "../../core/model/ids.ts";
import { PROTOCOL_VERSION_MAX, isProtocolVersion } from "../../core/protocol/version.ts";
import { readArrival } from "./arrival-record.ts";
import { EARLY, uniquePart } from "./item-keys.ts";
import type { Item } from "../ports/table.ts";
import { isPlain } from "./record-envelope.ts";

/** The memory that an arrival takes in addition to its bytes. */
export const ARRIVAL_BYTES = 500;
/**
 * A read returns up to this many orders and cancels beyond its bound in bytes. More of them, which only a loop can send, are
 * bounded like other arrivals.
 */
export const URGENT_MAX = 1_000;
/** Orders and cancels contain no result, so their records are smaller than this. */
const URGENT_MAX_BYTES = 512;

export function freshArrivals(arrived: readonly Item[], invocation: Invocation, nonce: Nonce): Map<string, Arrival> {
  const fresh = new Map<string, Arrival>();
  for (const item of arrived) {
    const found = freshKey(item, invocation, nonce);
    // An early arrival counts as earlier than any other arrival, and its item comes first in key order. If two arrivals have one
    // key, the first counts.
    if (found === undefined || fresh.has(found.key)) continue;
    const arrival = freshArrival(item, found.owner, invocation);
    if (arrival !== undefined) fresh.set(found.key, arrival);
  }
  return fresh;
}

/** @returns undefined for an arrival of another life (I12), and for one that a segment lists */
export function freshKey(
  { sk }: Pick<Item, "sk">,
  { acceptance, consumed }: Invocation,
  nonce: Nonce,
): { readonly key: string; readonly owner: Nonce } | undefined {
  const owner = isEarly(sk) && livesOnce(acceptance) ? EARLY : nonce;
  const key = uniquePart(sk, "arr", owner);
  return key === undefined || consumed.has(key) ? undefined : { key, owner };
}

/** @param item an item with a plain record @returns undefined for an arrival of a former life */
export function freshArrival(item: Item, owner: Nonce, invocation: Invocation): Arrival | undefined {
  const arrival = readArrival(item, owner, invocation.journal, versionOf(invocation));
  return arrival !== undefined && owner === EARLY ? inSegment(arrival) : arrival;
}

/** True for an order and for a cancel: a read returns them even if other arrivals have used up its bound in bytes. */
export function isUrgent(item: Item): boolean {
  const { b, sk } = item;
  if (!(b instanceof Uint8Array) || b.length > URGENT_MAX_BYTES || !isPlain(b)) return false;
  const owner = sk.split("#", 2)[1] as Nonce;
  const arrival = readArrival(item, owner, EMPTY_JOURNAL, PROTOCOL_VERSION_MAX);
  return arrival !== undefined && (arrival.kind !== "notification" || isCancel(arrival));
}

function isEarly(sk: string): boolean {
  return sk.startsWith(`arr#${EARLY}#`);
}

/** The segment that lists an early arrival also contains it, so that versions without early arrivals can read the journal. */
function inSegment(arrival: Arrival): Arrival {
  return arrival.kind === "notification"
    ? { ...arrival, consumption: { ...arrival.consumption, inline: true } }
    : arrival;
}

/** Before the pin the latest version is assumed: versions differ here only in the metadata of failures. */
export function versionOf({ pin }: Invocation): 5 | 6 | 7 {
  return pin !== undefined && isProtocolVersion(pin.protocolVersion) ? pin.protocolVersion : PROTOCOL_VERSION_MAX;
}
