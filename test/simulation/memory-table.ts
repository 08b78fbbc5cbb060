/** A table in memory that keeps the promises of its port in the plainest way: one map, one write at a time. */
import {
  KEYS_MAX,
  StoreError,
  type Condition,
  type IndexName,
  type Item,
  type Key,
  type Page,
  type PartitionPage,
  type Range,
  type ItemValue,
  type Table,
  type Transacted,
  type Update,
  type Updated,
  type Write,
  type Written,
} from "../../shared/engine/ports/table.ts";
import { INDEX_FACTS, TABLE_FACTS } from "../../shared/config/table-facts.ts";

const ITEM_MAX_BYTES = 400_000;
const TRANSACTION_WRITES_MAX = 100;
const SURROGATES_FROM = 0xd800;
const KEY_ATTRIBUTES = new Set(["pk", "sk"]);

/** The position of an item in an order: one text per level, compared by UTF-8 bytes. */
type Place = readonly string[];

export class MemoryTable implements Table {
  readonly #partitions = new Map<string, Map<string, Item>>();

  /** @returns a separate table with the same content */
  fork(): MemoryTable {
    const fork = new MemoryTable();
    for (const item of this.all()) fork.#store(copyOf(item));
    return fork;
  }

  /** @returns every item, for the judges of a run; not to be changed */
  all(): readonly Item[] {
    return [...this.#partitions.values()].flatMap((partition) => [...partition.values()]);
  }

  /** @returns the item at a key, for tests */
  shown(key: Key): Item | undefined {
    const existing = this.#existing(key);
    return existing && copyOf(existing);
  }

  get(key: Key): Promise<Item | undefined> {
    return settled(() => this.shown(key));
  }

  getMany(keys: readonly Key[]): Promise<readonly (Item | undefined)[]> {
    return settled(() => {
      if (keys.length > KEYS_MAX) throw new StoreError(`${keys.length} keys are too many for one read`);
      return keys.map((key) => this.shown(key));
    });
  }

  query(pk: string, range: Range = {}): Promise<Page> {
    return settled(() => {
      const items: Item[] = [];
      for (const item of this.#partitions.get(pk)?.values() ?? []) if (isWithin(range, item.sk)) items.push(item);
      return pageOf(items, range, ({ sk }) => [sk]);
    });
  }

  queryIndex(index: IndexName, pk: string, range: Range = {}): Promise<Page> {
    return settled(() => {
      const [pkName, skName] = [`${index}Pk`, `${index}Sk`];
      const items: Item[] = [];
      for (const partition of this.#partitions.values())
        for (const item of partition.values())
          if (item[pkName] === pk && typeof item[skName] === "string" && isWithin(range, item[skName]))
            items.push(projected(index, item));
      return pageOf(items, range, (item) => [String(item[skName]), item.pk, item.sk]);
    });
  }

  partitions(prefix: string, _after?: string): Promise<PartitionPage> {
    return settled(() => {
      const all = [...this.#partitions].filter(([pk, items]) => pk.startsWith(prefix) && items.size > 0);
      return { pks: all.map(([pk]) => pk) };
    });
  }

  put(item: Item, condition?: Condition): Promise<Written> {
    return settled(() => this.#write({ kind: "put", item, ...(condition && { condition }) }));
  }

  update(key: Key, update: Update, condition?: Condition): Promise<Updated> {
    return settled(() => {
      const outcome = this.#write({ kind: "update", key, update, ...(condition && { condition }) });
      return outcome.written ? { written: true, item: this.shown(key)! } : outcome;
    });
  }

  delete(key: Key, condition?: Condition): Promise<Written> {
    return settled(() => this.#write({ kind: "delete", key, ...(condition && { condition }) }));
  }

  /** Deletes an item because its time to live is over: no caller of the table asked for it. */
  async expire(key: Key): Promise<void> {
    this.#write({ kind: "delete", key });
  }

  transact(writes: readonly Write[]): Promise<Transacted> {
    return settled(() => {
      if (writes.length === 0 || writes.length > TRANSACTION_WRITES_MAX)
        throw new StoreError(`a transaction has 1 to ${TRANSACTION_WRITES_MAX} writes, not ${writes.length}`);
      const places = new Set(writes.map((write) => JSON.stringify([keyOf(write).pk, keyOf(write).sk])));
      if (places.size < writes.length) throw new StoreError("a transaction writes no item twice");
      const refused = writes.map((write) => !holds(write.condition, this.#existing(keyOf(write))));
      if (refused.includes(true)) return { written: false, refused };
      const made = writes.map((write) => ({ write, item: itemAfter(write, this.#existing(keyOf(write))) }));
      for (const { write, item } of made) this.#replace(keyOf(write), item);
      return { written: true };
    });
  }

  #write(write: Write): Written {
    const key = keyOf(write);
    const existing = this.#existing(key);
    if (!holds(write.condition, existing)) return { written: false, existing: existing && copyOf(existing) };
    this.#replace(key, itemAfter(write, existing));
    return { written: true };
  }

  #existing({ pk, sk }: Key): Item | undefined {
    return this.#partitions.get(pk)?.get(sk);
  }

  #replace({ pk, sk }: Key, item: Item | undefined): void {
    if (item === undefined) this.#partitions.get(pk)?.delete(sk);
    else this.#store(item);
  }

  /** @param item a copy that belongs to the table */
  #store(item: Item): void {
    const partition = this.#partitions.get(item.pk) ?? new Map<string, Item>();
    this.#partitions.set(item.pk, partition.set(item.sk, item));
  }
}

/** The effect happens at the call, and only the answer comes later. */
async function settled<T>(effect: () => T): Promise<T> {
  return effect();
}

const SHOWN = new Map(
  INDEX_FACTS.map(({ name, partitionKey, sortKey, shown }) => [
    name,
    new Set([TABLE_FACTS.partitionKey, TABLE_FACTS.sortKey, partitionKey, sortKey, ...shown]),
  ]),
);

/** An index shows some attributes, and a local store has no reason to hide the others: code that reads them fails here alone. */
function projected(index: IndexName, item: Item): Item {
  const shown = SHOWN.get(index)!;
  return Object.fromEntries(Object.entries(item).filter(([name]) => shown.has(name))) as Item;
}

function keyOf(write: Write): Key {
  return write.kind === "put" ? write.item : write.key;
}

/** @returns a new item, which is at the key after a write; undefined after a delete. @throws StoreError if the table refuses the write */
function itemAfter(write: Write, existing: Item | undefined): Item | undefined {
  if (write.kind === "delete") return undefined;
  const item = write.kind === "put" ? copyOf(write.item) : updated(write.key, write.update, existing);
  assertStorable(item);
  return item;
}

function updated({ pk, sk }: Key, { set = {}, remove = [], add = {} }: Update, existing: Item | undefined): Item {
  const touched = [...Object.keys(set), ...remove, ...Object.keys(add)];
  if (new Set(touched).size < touched.length) throw new StoreError("an update touches no attribute twice");
  if (touched.some((name) => KEY_ATTRIBUTES.has(name))) throw new StoreError("an update leaves the key alone");
  const attributes: Record<string, ItemValue | undefined> = { ...existing, ...set };
  for (const name of remove) delete attributes[name];
  for (const [name, by] of Object.entries(add)) {
    const before = attributes[name] ?? 0;
    if (typeof before !== "number") throw new StoreError(`${name} is no number to add to`);
    attributes[name] = before + by;
  }
  return copyOf({ ...attributes, pk, sk });
}

function assertStorable(item: Item): void {
  let sizeBytes = 0;
  for (const [name, value] of Object.entries(item)) {
    if (typeof value === "number" && !Number.isFinite(value)) throw new StoreError(`${name} is no finite number`);
    const long = typeof value === "string" || value instanceof Uint8Array;
    sizeBytes += Buffer.byteLength(name) + (long ? Buffer.byteLength(value) : 8);
  }
  if (sizeBytes > ITEM_MAX_BYTES) throw new StoreError(`an item of ${sizeBytes} bytes is too large`);
}

/** Copies bytes, so that callers share none with the table, and drops undefined attributes. */
function copyOf(item: Item): Item {
  const copy: Record<string, ItemValue> = {};
  for (const name of Object.keys(item)) {
    const value = item[name];
    if (value !== undefined) copy[name] = value instanceof Uint8Array ? Uint8Array.from(value) : value;
  }
  return copy as Item;
}

function holds(condition: Condition | undefined, existing: Item | undefined): boolean {
  if (condition === undefined) return true;
  switch (condition.kind) {
    case "absent":
      return existing === undefined;
    case "present":
      return existing !== undefined;
    case "equal":
      return same(existing?.[condition.attribute], condition.value);
    case "less":
      return less(existing?.[condition.attribute], condition.than);
    case "all":
      return condition.of.every((one) => holds(one, existing));
    case "any":
      return condition.of.some((one) => holds(one, existing));
  }
}

function same(found: ItemValue | undefined, value: ItemValue): boolean {
  if (found instanceof Uint8Array && value instanceof Uint8Array) return Buffer.compare(found, value) === 0;
  return found === value;
}

function less(found: ItemValue | undefined, than: number | string): boolean {
  if (typeof found === "string" && typeof than === "string") return byBytes(found, than) < 0;
  return typeof found === "number" && typeof than === "number" && found < than;
}

/** Compares two texts by their UTF-8 bytes. Characters below the surrogates have the same order as their UTF-8 bytes. */
function byBytes(a: string, b: string): number {
  if (a === b) return 0;
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)];
  if (one >= SURROGATES_FROM && other >= SURROGATES_FROM) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  // Past the end of the shorter text there is no character, and the shorter text comes first.
  return at === shorter ? a.length - b.length : one - other;
}

function byPlace(a: Place, b: Place): number {
  for (const [level, text] of a.entries()) {
    const order = byBytes(text, b[level] ?? "");
    if (order !== 0) return order;
  }
  return 0;
}

function isWithin({ from, below }: Range, sk: string): boolean {
  return (from === undefined || byBytes(sk, from) >= 0) && (below === undefined || byBytes(sk, below) < 0);
}

/** @param items the items within the bounds of the range */
function pageOf(items: readonly Item[], range: Range, placeOf: (item: Item) => Place): Page {
  const { limit = Infinity, reverse = false, after } = range;
  const direction = reverse ? -1 : 1;
  const behind = after === undefined ? undefined : (JSON.parse(after) as Place);
  const found = items
    .map((item) => ({ item, place: placeOf(item) }))
    .filter(({ place }) => behind === undefined || direction * byPlace(place, behind) > 0)
    .sort((a, b) => direction * byPlace(a.place, b.place));
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(({ item }) => copyOf(item)),
    ...(last !== undefined && shown.length < found.length && { next: JSON.stringify(last.place) }),
  };
}
