/** A table that counts its queries and reads, and what they would cost in DynamoDB. */
import type { IndexName, Item, Key, Page, Range, Table } from "../../../shared/engine/ports/table.ts";

const UNIT_BYTES = 4096;
const INDEX_KEYS = { list: ["listPk", "listSk"], open: ["openPk", "openSk"] } as const;

export class ReadMeter implements Table {
  /** Read units: one for each 4 KB of a strong read; half of one for a read of an index, or of several items at once. */
  units = 0;
  /** Queries of an index or of a partition. */
  queries = 0;
  /** Queries of an index. */
  indexQueries = 0;
  /** Requests that each read one or several items by their keys. */
  gets = 0;
  readonly #table: Table;
  readonly #shown: Readonly<Record<string, readonly string[]>>;

  /** @param shown the attributes, other than the keys, that a read of each index returns */
  constructor(table: Table, shown: Readonly<Record<string, readonly string[]>>) {
    this.#table = table;
    this.#shown = shown;
  }

  async get(key: Key): Promise<Item | undefined> {
    this.gets++;
    const item = await this.#table.get(key);
    this.units += unitsOf(item === undefined ? 0 : sizeOf(item));
    return item;
  }

  async getMany(keys: readonly Key[]): Promise<readonly (Item | undefined)[]> {
    this.gets++;
    const items = await this.#table.getMany(keys);
    for (const item of items) this.units += unitsOf(item === undefined ? 0 : sizeOf(item)) / 2;
    return items;
  }

  async query(pk: string, range?: Range): Promise<Page> {
    this.queries++;
    const page = await this.#table.query(pk, range);
    this.units += unitsOf(page.items.reduce((bytes, item) => bytes + sizeOf(item), 0));
    return page;
  }

  async queryIndex(index: IndexName, pk: string, range?: Range): Promise<Page> {
    this.queries++;
    this.indexQueries++;
    const page = await this.#table.queryIndex(index, pk, range);
    const names = ["pk", "sk", ...INDEX_KEYS[index], ...(this.#shown[index] ?? [])];
    const bytes = page.items.reduce((sum, item) => sum + sizeOf(item, names), 0);
    this.units += unitsOf(bytes) / 2;
    return page;
  }

  partitions: Table["partitions"] = (prefix, after) => this.#table.partitions(prefix, after);
  put: Table["put"] = (item, condition) => this.#table.put(item, condition);
  update: Table["update"] = (key, update, condition) => this.#table.update(key, update, condition);
  delete: Table["delete"] = (key, condition) => this.#table.delete(key, condition);
  transact: Table["transact"] = (writes) => this.#table.transact(writes);
}

function unitsOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / UNIT_BYTES));
}

function sizeOf(item: Item, names = Object.keys(item)): number {
  let bytes = 0;
  for (const name of names) {
    const value = item[name];
    if (value === undefined) continue;
    bytes += name.length;
    if (typeof value === "string") bytes += Buffer.byteLength(value);
    else if (value instanceof Uint8Array) bytes += value.length;
    else bytes += typeof value === "number" ? Math.ceil(String(value).length / 2) + 1 : 1;
  }
  return bytes;
}
