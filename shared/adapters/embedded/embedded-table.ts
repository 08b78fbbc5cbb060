/** The table on the embedded store. It judges conditions in the order of calls, against durable and pending writes. */
import { TransientMap } from "../../core/model/transient-map.ts";
import {
  KEYS_MAX,
  StoreError,
  type IndexName,
  type Item,
  type Key,
  type Page,
  type PartitionPage,
  type Range,
  type Table,
  type Transacted,
  type Update,
  type Updated,
  type Write,
  type Written,
  type Condition,
  type ItemValue,
} from "../../engine/ports/table.ts";
import type { CommitGroup, Operation } from "./commit-groups.ts";
import { decodeItem, encodeItem } from "./item-encoding.ts";
import { baseOfExpiryKey, expiryBounds, itemKey, keyOfItem, expiryKey, indexKey } from "./key-encoding.ts";
import type { Store } from "./store.ts";
import { readIndexPage, readPage, readPartitions } from "./table-pages.ts";

const TRANSACTION_MAX_WRITES = 100;
const WRITTEN: Written = { written: true };
const TRANSACTED: Transacted = { written: true };

/** The item under a key, and the group that is making it durable, if any. */
interface Existing {
  readonly item: Item | undefined;
  readonly group: CommitGroup | undefined;
}

interface Judged {
  readonly base: string;
  readonly write: Write;
  readonly existing: Existing;
  readonly holds: boolean;
}

/** A store must have one table only: a second table would judge conditions without the pending writes of the first. */
export class EmbeddedTable implements Table {
  readonly #store: Store;
  readonly #shown: Shown;
  /**
   * The encoded new states of the items that pending writes change; undefined for a deleted item. The table judges conditions
   * against these states. Reads return only durable items.
   */
  readonly #pending = new TransientMap<
    string,
    { readonly bytes: Uint8Array | undefined; readonly group: CommitGroup }
  >();

  /** @param shown the attributes that queries of an index return beside the keys; by default queries return whole items */
  constructor(store: Store, shown: Shown = {}) {
    this.#store = store;
    this.#shown = shown;
  }

  get(key: Key): Promise<Item | undefined> {
    return this.#whenUsable(() => {
      const bytes = this.#store.read(itemKey(key.pk, key.sk));
      return bytes === undefined ? undefined : decodeItem(key.pk, key.sk, bytes);
    });
  }

  getMany(keys: readonly Key[]): Promise<readonly (Item | undefined)[]> {
    if (keys.length > KEYS_MAX) return Promise.reject(new StoreError(`${keys.length} keys are too many for one read`));
    return Promise.all(keys.map((key) => this.get(key)));
  }

  query(pk: string, range: Range = {}): Promise<Page> {
    return this.#whenUsable(() => readPage(this.#store, pk, range));
  }

  queryIndex(index: IndexName, pk: string, range: Range = {}): Promise<Page> {
    return this.#whenUsable(() => readIndexPage(this.#store, index, pk, range));
  }

  partitions(prefix: string, after?: string): Promise<PartitionPage> {
    return this.#whenUsable(() => readPartitions(this.#store, prefix, after));
  }

  put(item: Item, condition?: Condition): Promise<Written> {
    return this.#writeOne({ kind: "put", item, ...(condition && { condition }) });
  }

  update(key: Key, update: Update, condition?: Condition): Promise<Updated> {
    return this.#whenUsable(() => {
      const judged = this.#judge({ kind: "update", key, update, ...(condition && { condition }) });
      const { item: existing } = judged.existing;
      if (!judged.holds) return durable([judged]).then((): Updated => ({ written: false, existing }));
      const item = updatedItem(key, existing, update);
      return this.#apply([judged]).then((): Updated => ({ written: true, item }));
    });
  }

  delete(key: Key, condition?: Condition): Promise<Written> {
    return this.#writeOne({ kind: "delete", key, ...(condition && { condition }) });
  }

  transact(writes: readonly Write[]): Promise<Transacted> {
    return this.#whenUsable(() => {
      if (writes.length === 0 || writes.length > TRANSACTION_MAX_WRITES)
        throw new StoreError(`a transaction has 1 to 100 writes, not ${writes.length}`);
      const judged = writes.map((write) => this.#judge(write));
      if (new Set(judged.map(({ base }) => base)).size < judged.length)
        throw new StoreError("a transaction writes each item once only");
      if (judged.every((one) => one.holds)) return this.#apply(judged).then(() => TRANSACTED);
      const refused = judged.map((one) => !one.holds);
      return durable(judged).then(() => ({ written: false, refused }));
    });
  }

  /**
   * Deletes items that are expired at `nowS`, at most `limit` of them.
   * @returns the number of deleted items
   */
  sweepExpired(nowS: number, limit: number): Promise<number> {
    return this.#whenUsable(async () => {
      const { entries } = await this.#store.entries(expiryBounds(nowS), limit);
      const outcomes = entries.map(([entry]) => {
        const key = keyOfItem(baseOfExpiryKey(entry));
        // The delete checks the expiry again: a write may have extended the item since the entry was read.
        return this.delete(key, { kind: "less", attribute: "expiresAtS", than: Math.floor(nowS) + 1 });
      });
      return (await Promise.all(outcomes)).filter(({ written }) => written).length;
    });
  }

  /** Judges and stages synchronously, so that writes take effect in the order of the calls. */
  #writeOne(write: Write): Promise<Written> {
    return this.#whenUsable(() => {
      const judged = this.#judge(write);
      if (judged.holds) return this.#apply([judged]).then(() => WRITTEN);
      const refusal: Written = { written: false, existing: judged.existing.item };
      return durable([judged]).then(() => refusal);
    });
  }

  #whenUsable<T>(work: () => T | Promise<T>): Promise<T> {
    const usable = this.#store.whenUsable();
    if (usable !== undefined) return usable.then(() => this.#whenUsable(work));
    try {
      const outcome = work();
      return outcome instanceof Promise ? outcome : Promise.resolve(outcome);
    } catch (error) {
      return Promise.reject(
        error instanceof StoreError ? error : new StoreError("the store could not do this", { cause: error }),
      );
    }
  }

  #judge(write: Write): Judged {
    const { pk, sk } = write.kind === "put" ? write.item : write.key;
    const base = itemKey(pk, sk);
    const pending = this.#pending.get(base);
    const bytes = pending === undefined ? this.#store.read(base) : pending.bytes;
    const item = bytes === undefined ? undefined : decodeItem(pk, sk, bytes);
    const { condition } = write;
    return {
      base,
      write,
      existing: { item, group: pending?.group },
      holds: condition === undefined || holds(condition, item),
    };
  }

  #apply(judged: readonly Judged[]): Promise<void> {
    // Encoding comes before staging: an item that cannot be stored must not leave other writes of its transaction staged.
    const changes = judged.map((one) => ({ ...one, ...changeOf(one, this.#shown) }));
    let group: CommitGroup | undefined;
    for (const { base, bytes, operations, existing } of changes) {
      group = this.#store.groups.stage(operations, existing.group);
      this.#pending.set(base, { bytes, group });
    }
    group!.onSettled(() => {
      for (const { base } of changes) if (this.#pending.get(base)?.group === group) this.#pending.delete(base);
    });
    return group!.done;
  }
}

function changeOf(
  { base, write, existing }: Judged,
  shown: Shown,
): { bytes: Uint8Array | undefined; operations: Operation[] } {
  const next = nextItem(write, existing.item);
  const operations = sideOperations(sideEntriesOf(existing.item, base, shown), sideEntriesOf(next, base, shown));
  if (next === undefined) return { bytes: undefined, operations: [...operations, { type: "del", key: base }] };
  const bytes = encodeItem(next);
  return { bytes, operations: [...operations, { type: "put", key: base, value: bytes }] };
}

function nextItem(write: Write, existing: Item | undefined): Item | undefined {
  if (write.kind === "put") return write.item;
  return write.kind === "update" ? updatedItem(write.key, existing, write.update) : undefined;
}

/** Waits until the existing items are durable, because a refusal rests on them and may report them. */
async function durable(judged: readonly Judged[]): Promise<void> {
  for (const { existing } of judged) await existing.group?.done;
}

/** Judges conditions against the existing item. */
function holds(condition: Condition, existing: Item | undefined): boolean {
  switch (condition.kind) {
    case "absent":
      return existing === undefined;
    case "present":
      return existing !== undefined;
    case "equal":
      return same(existing?.[condition.attribute], condition.value);
    case "less":
      return isLess(existing?.[condition.attribute], condition.than);
    case "all":
      return condition.of.every((part) => holds(part, existing));
    case "any":
      return condition.of.some((part) => holds(part, existing));
  }
}

function same(found: ItemValue | undefined, wanted: ItemValue): boolean {
  if (found instanceof Uint8Array) return wanted instanceof Uint8Array && Buffer.compare(found, wanted) === 0;
  return found === wanted;
}

/** Texts compare by their UTF-8 bytes, as keys do. */
function isLess(found: ItemValue | undefined, than: number | string): boolean {
  if (typeof found === "number" && typeof than === "number") return found < than;
  if (typeof found === "string" && typeof than === "string")
    return Buffer.compare(Buffer.from(found), Buffer.from(than)) < 0;
  return false;
}

/** @throws StoreError if the update touches the key, or one attribute twice, or if it adds to a value that is no number */
function updatedItem(key: Key, existing: Item | undefined, update: Update): Item {
  const next: Record<string, ItemValue | undefined> & { pk: string; sk: string } = {
    ...existing,
    pk: key.pk,
    sk: key.sk,
  };
  const touched = new Set(["pk", "sk"]);
  const touch = (attribute: string): void => {
    if (touched.has(attribute)) throw new StoreError(`an update may touch ${attribute} only once and never the key`);
    touched.add(attribute);
  };
  for (const [attribute, value] of Object.entries(update.set ?? {})) {
    touch(attribute);
    next[attribute] = value;
  }
  for (const attribute of update.remove ?? []) {
    touch(attribute);
    delete next[attribute];
  }
  for (const [attribute, amount] of Object.entries(update.add ?? {})) {
    touch(attribute);
    const existing = next[attribute] ?? 0;
    if (typeof existing !== "number") throw new StoreError(`${attribute} is no number, nothing can be added to it`);
    next[attribute] = existing + amount;
  }
  return next;
}

/**
 * The attributes that the entries of an index contain, so that a walk reads no items. The entries of an index that is not named
 * here are empty.
 */
type Shown = Partial<Readonly<Record<IndexName, readonly string[]>>>;

/** The encoded attributes of each entry by the key of the entry. */
type SideEntries = ReadonlyMap<string, Uint8Array>;

const EMPTY = new Uint8Array(0);
const NONE: SideEntries = new Map();

/** @throws StoreError if an attribute of an index key is not a text or is empty */
function sideEntriesOf(item: Item | undefined, base: string, shown: Shown): SideEntries {
  if (item === undefined) return NONE;
  const entries = new Map<string, Uint8Array>();
  const { listPk, listSk, openPk, openSk, expiresAtS } = item as Readonly<Record<string, unknown>>;
  const place = (index: IndexName, pk: unknown, sk: unknown): void => {
    if (isPlaced(pk, sk)) entries.set(indexKey(index, pk as string, sk as string, base), shownOf(item, shown[index]));
  };
  place("list", listPk, listSk);
  place("open", openPk, openSk);
  if (typeof expiresAtS === "number") entries.set(expiryKey(expiresAtS, base), EMPTY);
  return entries;
}

/** The key of an entry contains the key of its item, so the value of the entry contains only further attributes. */
function shownOf(item: Item, names: readonly string[] | undefined): Uint8Array {
  if (names === undefined) return EMPTY;
  const attributes: Record<string, ItemValue | undefined> = {};
  for (const name of names) attributes[name] = item[name];
  return encodeItem({ ...attributes, pk: "", sk: "" });
}

/** @returns true if the item has both parts of the index key @throws StoreError if a part is not a text or is empty */
function isPlaced(pk: unknown, sk: unknown): boolean {
  for (const part of [pk, sk]) {
    if (part !== undefined && (typeof part !== "string" || part === ""))
      throw new StoreError("an index key must be a text that is not empty");
  }
  return pk !== undefined && sk !== undefined;
}

/** The operations that turn the entries `before` into the entries `after`. */
function sideOperations(before: SideEntries, after: SideEntries): Operation[] {
  const operations: Operation[] = [];
  for (const key of before.keys()) if (!after.has(key)) operations.push({ type: "del", key });
  for (const [key, value] of after) {
    const former = before.get(key);
    if (former === undefined || Buffer.compare(former, value) !== 0) operations.push({ type: "put", key, value });
  }
  return operations;
}
