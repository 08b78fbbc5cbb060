/** The port of durable truth: items in partitions, ordered by sort key, written under conditions. */

export type Scalar = string | number | boolean | Uint8Array;

/** Where an item stands. Sort keys of one partition are ordered by their UTF-8 bytes. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/**
 * One item: its key, plain attributes, at most 400 KB in all.
 * - `expiresAtS` (epoch seconds): from then on the item may vanish at any time; until it does, reads show it.
 * - `listPk`/`listSk` and `openPk`/`openSk` place it in the listing index and in the sparse open index.
 */
export interface Item extends Key {
  readonly [attribute: string]: Scalar | undefined;
}

/** A test of the item that stands at the key when the write arrives. An attribute of an absent item is absent. */
export type Condition =
  | { readonly kind: "absent" }
  | { readonly kind: "present" }
  | { readonly kind: "equal"; readonly attribute: string; readonly value: Scalar }
  /** True only where the attribute is present and of the same type. */
  | { readonly kind: "less"; readonly attribute: string; readonly than: number | string }
  | { readonly kind: "all"; readonly of: readonly Condition[] }
  | { readonly kind: "any"; readonly of: readonly Condition[] };

/** `written: false` carries the item that stood in the way, read at the very moment of the refusal. */
export type Written = { readonly written: true } | { readonly written: false; readonly existing: Item | undefined };

/** As `Written`; a success carries the item as this very write left it. */
export type Updated =
  | { readonly written: true; readonly item: Item }
  | { readonly written: false; readonly existing: Item | undefined };

export interface Update {
  readonly set?: Readonly<Record<string, Scalar>>;
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
  /** One answer per write, in order: true where its own condition refused it. */
  | { readonly written: false; readonly refused: readonly boolean[] };

export interface Range {
  /** Inclusive lower bound of the sort key. */
  readonly from?: string;
  /** Exclusive upper bound of the sort key. */
  readonly below?: string;
  readonly limit?: number;
  readonly reverse?: boolean;
  /** What an earlier page gave as `next`. */
  readonly after?: string;
}

export interface Page {
  readonly items: readonly Item[];
  /** Present where more may follow. */
  readonly next?: string;
}

/** Of one `getMany`. */
export const KEYS_MAX = 100;

export type IndexName = "list" | "open";

/**
 * Every promise resolves only when its effect is durable; reads are strongly consistent but for `getMany` and `queryIndex`,
 * which may lag. `queryIndex` shows at least the keys and the projected attributes of each item.
 * Failures of the store itself reject with `StoreError`.
 */
export interface Table {
  get(key: Key): Promise<Item | undefined>;
  /**
   * Many items in few requests, in the order of the keys; at most 100, no key twice. The answer may lag as an index does,
   * so it serves a look that decides nothing by what is absent.
   */
  getMany(keys: readonly Key[]): Promise<readonly (Item | undefined)[]>;
  /** All items of a partition in key order, page by page. */
  query(pk: string, range?: Range): Promise<Page>;
  queryIndex(index: IndexName, pk: string, range?: Range): Promise<Page>;
  put(item: Item, condition?: Condition): Promise<Written>;
  update(key: Key, update: Update, condition?: Condition): Promise<Updated>;
  delete(key: Key, condition?: Condition): Promise<Written>;
  /** All or nothing; at most 100 writes, no two to the same key. */
  transact(writes: readonly Write[]): Promise<Transacted>;
}

/** The store could not do what was asked; nothing is known of whether a write took effect. */
export class StoreError extends Error {
  override name = "StoreError";
  /** Set where waiting changes nothing, such as for want of a permission. */
  readonly lasts: boolean;

  constructor(message: string, options: ErrorOptions & { readonly lasts?: boolean } = {}) {
    super(message, options);
    this.lasts = options.lasts === true;
  }
}
