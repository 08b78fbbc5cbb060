/** Counts the requests to a table and their cost in DynamoDB, and passes the requests on to the table. */
import type {
  Condition,
  IndexName,
  Item,
  Key,
  Page,
  PartitionPage,
  Range,
  Table,
  Transacted,
  Update,
  Updated,
  Write,
  Written,
} from "../../../shared/engine/ports/table.ts";

/** The attributes in each index beside the keys: filters of listings, and the fields that the sweeper reads. */
export const PROJECTED: Readonly<Record<IndexName, readonly string[]>> = {
  list: ["service", "handler", "objectKey", "n"],
  open: ["service", "handler", "objectKey", "createdAtMs", "status", "deploymentId", "lookAtMs", "keepUntilS"],
};
const INDEX_KEYS = { list: ["listPk", "listSk"], open: ["openPk", "openSk"] } as const;
const UNIT_BYTES = 1024;

export interface TableCounts {
  /** Write units of the items themselves. A refused write costs one. */
  readonly items: number;
  /** The part of `items` that refused writes cost. */
  readonly refused: number;
  readonly list: number;
  readonly open: number;
  /** Requests that read, each strongly consistent except those to an index. */
  readonly reads: number;
  readonly transactions: number;
}

export class CountedTable implements Table {
  /** While it is set, every request waits for it, and so does the answer to a put. */
  frozen: Promise<void> | undefined;
  readonly #table: Table;
  readonly #last: Map<string, Item>;
  #counts: TableCounts = { items: 0, refused: 0, list: 0, open: 0, reads: 0, transactions: 0 };
  /** The requests in order, for a failure message: `put hold`, `query arr`. */
  #told: string[] = [];

  /** @param last the item at each key, shared by all tables that count requests to the same store */
  constructor(table: Table, last: Map<string, Item>) {
    this.#table = table;
    this.#last = last;
  }

  /** @returns the counts since the last call with `forget` */
  take(forget: boolean): { readonly counts: TableCounts; readonly told: readonly string[] } {
    const taken = { counts: this.#counts, told: this.#told };
    if (forget) {
      this.#counts = { items: 0, refused: 0, list: 0, open: 0, reads: 0, transactions: 0 };
      this.#told = [];
    }
    return taken;
  }

  get(key: Key): Promise<Item | undefined> {
    return this.#read("get", key.sk, () => this.#table.get(key));
  }

  getMany(keys: readonly Key[]): Promise<readonly (Item | undefined)[]> {
    return this.#read("getMany", `${keys.length} keys`, () => this.#table.getMany(keys));
  }

  query(pk: string, range?: Range): Promise<Page> {
    return this.#read("query", range?.from ?? "", () => this.#table.query(pk, range));
  }

  queryIndex(index: IndexName, pk: string, range?: Range): Promise<Page> {
    return this.#read("queryIndex", index, () => this.#table.queryIndex(index, pk, range));
  }

  partitions(prefix: string, after?: string): Promise<PartitionPage> {
    return this.#read("partitions", prefix, () => this.#table.partitions(prefix, after));
  }

  async put(item: Item, condition?: Condition): Promise<Written> {
    await this.frozen;
    const outcome = await this.#table.put(item, condition);
    this.#wrote("put", item, outcome.written ? item : undefined);
    await this.frozen;
    return outcome;
  }

  async update(key: Key, update: Update, condition?: Condition): Promise<Updated> {
    await this.frozen;
    const outcome = await this.#table.update(key, update, condition);
    this.#wrote("update", key, outcome.written ? outcome.item : undefined);
    return outcome;
  }

  async delete(key: Key, condition?: Condition): Promise<Written> {
    await this.frozen;
    const outcome = await this.#table.delete(key, condition);
    this.#wrote("delete", key, outcome.written ? { ...key } : undefined);
    return outcome;
  }

  async transact(writes: readonly Write[]): Promise<Transacted> {
    await this.frozen;
    this.#told.push(`transact ${writes.length}`);
    this.#add({ transactions: 1 });
    return await this.#table.transact(writes);
  }

  async #read<T>(operation: string, sk: string, read: () => Promise<T>): Promise<T> {
    await this.frozen;
    this.#told.push(`${operation} ${wordOf(sk)}`);
    this.#add({ reads: 1 });
    return await read();
  }

  /** @param item the item after the write; undefined if the condition refused the write */
  #wrote(operation: string, key: Key, item: Item | undefined): void {
    this.#told.push(`${operation} ${wordOf(key.sk)}${item === undefined ? " (refused)" : ""}`);
    if (item === undefined) return this.#add({ items: 1, refused: 1 });
    const before = this.#last.get(nameOf(key));
    this.#last.set(nameOf(key), item);
    this.#add({
      items: Math.ceil(sizeOf(item) / UNIT_BYTES),
      list: indexUnits("list", before, item),
      open: indexUnits("open", before, item),
    });
  }

  #add(more: Partial<TableCounts>): void {
    const sum: Record<string, number> = { ...this.#counts };
    for (const [name, by] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + by;
    this.#counts = sum as unknown as TableCounts;
  }
}

/**
 * An added or removed entry costs 1, a move to another key 2, a changed projected value 1, and anything else nothing.
 */
function indexUnits(index: IndexName, before: Item | undefined, after: Item): number {
  const [pk, sk] = INDEX_KEYS[index];
  const [was, is] = [before?.[pk] !== undefined, after[pk] !== undefined];
  if (!was || !is) return was || is ? 1 : 0;
  if (before?.[pk] !== after[pk] || before?.[sk] !== after[sk]) return 2;
  return PROJECTED[index].some((name) => before?.[name] !== after[name]) ? 1 : 0;
}

function sizeOf(item: Item): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) bytes += name.length + valueBytes(value);
  return bytes;
}

function valueBytes(value: Item[string]): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (value instanceof Uint8Array) return value.length;
  return typeof value === "number" ? Math.ceil(String(value).length / 2) + 1 : 1;
}

function nameOf({ pk, sk }: Key): string {
  return `${pk} ${sk}`;
}

function wordOf(sk: string): string {
  return sk === "seg#000000" ? sk : sk.split("#", 1)[0]!;
}
