/** Encodes the keys of items, index entries and expiry entries as texts, whose UTF-8 bytes sort in the order of the keys. */
import { StoreError, type IndexName, type Key } from "../../engine/ports/table.ts";

const ITEM = "i";
const INDEX: Readonly<Record<IndexName, string>> = { list: "l", open: "o" };
const EXPIRY = "x";
const EXPIRY_DIGITS = 12;
const EXPIRY_LATEST_S = 10 ** EXPIRY_DIGITS - 1;

export const MESSAGE = "q";
export const TIMER = "t";

/** Ends a part of a key. No escaped part contains it, so the key ranges of partitions do not overlap. */
const END = "\0";
/** A prefix that ends with this text, in place of `END`, sorts behind every key with the original prefix. */
const PAST_END = "\x01";

// The patterns match exactly these two control characters.
// oxlint-disable-next-line no-control-regex
const SPECIAL = /[\0\x01]/g;
// oxlint-disable-next-line no-control-regex
const ESCAPED = /\x01[\x01\x02]/g;

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Replaces NUL by 01 01, and 01 by 01 02. This keeps the order of the texts and reserves NUL for the end mark. */
function segment(text: string): string {
  if (LONE_SURROGATE.test(text))
    throw new StoreError("a key contains half of a surrogate pair, which has no UTF-8 form");
  SPECIAL.lastIndex = 0;
  if (!SPECIAL.test(text)) return text + END;
  return text.replace(SPECIAL, (found) => (found === "\0" ? "\x01\x01" : "\x01\x02")) + END;
}

function unescaped(text: string): string {
  return text.includes("\x01") ? text.replace(ESCAPED, (found) => (found === "\x01\x01" ? "\0" : "\x01")) : text;
}

/** A range of database keys: from `gte` on, below `lt`. */
export interface Bounds {
  readonly gte: string;
  readonly lt: string;
}

export function itemPrefix(pk: string): string {
  return ITEM + segment(pk);
}

export function itemKey(pk: string, sk: string): string {
  if (LONE_SURROGATE.test(sk))
    throw new StoreError("a sort key contains half of a surrogate pair, which has no UTF-8 form");
  return itemPrefix(pk) + sk;
}

export function indexPrefix(index: IndexName, pk: string): string {
  return INDEX[index] + segment(pk);
}

/**
 * The bounds of the items of all partitions whose keys begin with the prefix.
 * @param prefix ends with an ASCII character, because the upper bound replaces the last character by the one with the next code
 */
export function partitionsFrom(prefix: string): Bounds {
  const gte = ITEM + segment(prefix).slice(0, -END.length);
  return { gte, lt: gte.slice(0, -1) + String.fromCharCode(gte.charCodeAt(gte.length - 1) + 1) };
}

/** The lower bound of the items of all partitions that sort behind this one. */
export function pastPartition(pk: string): string {
  return boundsOf(itemPrefix(pk)).lt;
}

/** @param base the result of `itemKey` for the item's own key */
export function indexKey(index: IndexName, pk: string, sk: string, base: string): string {
  return indexPrefix(index, pk) + segment(sk) + base;
}

/** The lower bound of the index entries with this sort key or a later one. */
export function indexFloor(index: IndexName, pk: string, sk: string): string {
  return indexPrefix(index, pk) + segment(sk);
}

export function expiryKey(expiresAtS: number, base: string): string {
  return EXPIRY + expiryDigits(expiresAtS) + base;
}

/** The bounds of the expiry entries of all items that are expired at `nowS`. */
export function expiryBounds(nowS: number): Bounds {
  return { gte: EXPIRY, lt: EXPIRY + expiryDigits(Math.floor(nowS) + 1) };
}

export function baseOfExpiryKey(key: string): string {
  return key.slice(EXPIRY.length + EXPIRY_DIGITS);
}

function expiryDigits(expiresAtS: number): string {
  return String(Math.min(Math.max(Math.ceil(expiresAtS), 0), EXPIRY_LATEST_S)).padStart(EXPIRY_DIGITS, "0");
}

export function boundsOf(prefix: string): Bounds {
  return { gte: prefix, lt: prefix.slice(0, -END.length) + PAST_END };
}

/** The inverse of `itemKey`. */
export function keyOfItem(base: string): Key {
  const end = base.indexOf(END);
  return { pk: unescaped(base.slice(ITEM.length, end)), sk: base.slice(end + END.length) };
}

/** Splits the part of an index entry's key after the prefix into the sort key and the item's own database key, `base`. */
export function indexEntryOf(prefix: string, key: string): { readonly sk: string; readonly base: string } {
  const end = key.indexOf(END, prefix.length);
  return { sk: unescaped(key.slice(prefix.length, end)), base: key.slice(end + END.length) };
}
