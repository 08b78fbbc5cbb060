/** The port of the table: items in partitions, ordered by sort key, written under conditions. */

export type ItemValue = string | number | boolean | Uint8Array;

/** The address of an item. Sort keys of one partition are ordered by their UTF-8 bytes. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/**
 * One item: its key and plain attributes, at most 400 KB in all.
 * - `expiresAtS` (epoch seconds): from this moment on the store may delete the item at any time. Before the deletion, reads
 *   return the item, even if it has expired.
 * - `listPk`/`listSk` and `openPk`/`openSk` place the item in the listing and in the sparse open index.
 */
export interface Item extends Key {
  readonly [attribute: string]: ItemValue | undefined;
}

/** A test of the stored item at the moment of the write. An absent item counts as an item without attributes. */
export type Condition =
  | { readonly kind: "absent" }
  | { readonly kind: "present" }
  | { readonly kind: "equal"; readonly attribute: string; readonly value: ItemValue }
  /** True if the attribute is present, has the type of `than`, and is less. */
  | { readonly kind: "less"; readonly attribute: string; readonly than: number | string }
  | { readonly kind: "all"; readonly of: readonly Condition[] }
  | { readonly kind: "any"; readonly of: readonly Condition[] };

/** If the condition refuses the write, `existing` is the item at the moment of the refusal. */
export type Written = { readonly written: true } | { readonly written: false; readonly existing: Item | undefined };

/** Like `Written`. After a success, `item` is the item as this write left it. */
export type Updated =
  | { readonly written: true; readonly item: Item }
  | { readonly written: false; readonly existing: Item | undefined };

export interface Update {
  readonly set?: Readonly<Record<string, ItemValue>>;
  readonly remove?: readonly string[];
  /** Adds to numbers; an absent attribute counts as 0. */
  readonly add?: Readonly<Record<string, number>>;
}

export type Write =
  | { readonly kind: "put"; readonly item: Item; readonly condition?: Condition }
  | { readonly kind: "update"; readonly key: Key; readonly update: Update; readonly condition?: Condition }
  | { readonly kind: "delete"; readonly key: Key; readonly condition?: Condition };

export type Transacted =
  | { readonly written: true }
  /** One flag per write, in order: true if the condition of this write failed. */
  | { readonly written: false; readonly refused: readonly boolean[] };

export interface Range {
  /** Inclusive lower bound of the sort key. */
  readonly from?: string;
  /** Exclusive upper bound of the sort key. */
  readonly below?: string;
  readonly limit?: number;
  readonly reverse?: boolean;
  /** The `next` of the previous page. */
  readonly after?: string;
}

export interface Page {
  readonly items: readonly Item[];
  /** Present if more items may follow. */
  readonly next?: string;
}

/** Some of the partitions whose keys begin alike. */
export interface PartitionPage {
  /** Each key once. A page may be empty although more follow, and its first key may be the last one of the page before. */
  readonly pks: readonly string[];
  /** Present if more partitions may follow. */
  readonly next?: string;
}

/** The most keys of one `getMany`. */
export const KEYS_MAX = 100;

export type IndexName = "list" | "open";

/**
 * A promise resolves only when its effect is durable. Reads are strongly consistent, except `getMany` and `queryIndex`, which
 * may lag. `queryIndex` returns at least the keys and the projected attributes of each item.
 * @throws StoreError, from every method, when the store itself fails
 */
export interface Table {
  get(key: Key): Promise<Item | undefined>;
  /**
   * Reads many items in few requests and returns them in the order of the keys. Takes at most 100 keys, all different. The
   * answer may lag, so a missing item proves nothing.
   */
  getMany(keys: readonly Key[]): Promise<readonly (Item | undefined)[]>;
  /** Items of a partition in key order, one page per call. */
  query(pk: string, range?: Range): Promise<Page>;
  queryIndex(index: IndexName, pk: string, range?: Range): Promise<Page>;
  /**
   * The partitions that have at least one item and a key that begins with the prefix, one page per call; the answer may lag.
   * In a table that many processes share, each page scans 1 MB of items, also of items whose keys do not begin with the prefix.
   * @param prefix the prefix, which ends with an ASCII character
   * @param after the `next` of the previous page
   */
  partitions(prefix: string, after?: string): Promise<PartitionPage>;
  put(item: Item, condition?: Condition): Promise<Written>;
  update(key: Key, update: Update, condition?: Condition): Promise<Updated>;
  delete(key: Key, condition?: Condition): Promise<Written>;
  /** Applies all writes or none; at most 100 writes, all to different keys. */
  transact(writes: readonly Write[]): Promise<Transacted>;
}

/** The store failed to answer; whether a write took effect is unknown. */
export class StoreError extends Error {
  override name = "StoreError";
  /** True if a repetition would fail in the same way, for example because a permission is missing. */
  readonly lasts: boolean;

  constructor(message: string, options: ErrorOptions & { readonly lasts?: boolean } = {}) {
    super(message, options);
    this.lasts = options.lasts === true;
  }
}
