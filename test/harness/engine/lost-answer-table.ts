/**
 * A table that loses the answer to one conditional write and sends the write again, as DynamoDB's client does after a time-out.
 */
import type { Condition, Item, Key, Table, Update, Updated, Written } from "../../../shared/engine/ports/table.ts";

export class LostAnswerTable implements Table {
  readonly get: Table["get"];
  readonly getMany: Table["getMany"];
  readonly query: Table["query"];
  readonly queryIndex: Table["queryIndex"];
  readonly partitions: Table["partitions"];
  /** Transactions lose no answer here: a repeated transaction has the same token, so the store repeats its first answer. */
  readonly transact: Table["transact"];
  /** The number of conditional writes. */
  writes = 0;
  /** The write whose answer was lost. */
  lost: string | undefined;
  readonly #table: Table;
  readonly #lostAt: number;

  /** @param lostAt the number, from 1, of the conditional write that loses its answer; 0 if no answer is lost */
  constructor(table: Table, lostAt: number) {
    this.#table = table;
    this.#lostAt = lostAt;
    this.get = (key) => table.get(key);
    this.getMany = (keys) => table.getMany(keys);
    this.query = (pk, range) => table.query(pk, range);
    this.queryIndex = (index, pk, range) => table.queryIndex(index, pk, range);
    this.partitions = (prefix, after) => table.partitions(prefix, after);
    this.transact = (writes) => table.transact(writes);
  }

  put(item: Item, condition?: Condition): Promise<Written> {
    return this.#write(`put ${item.sk}`, condition, () => this.#table.put(item, condition));
  }

  update(key: Key, update: Update, condition?: Condition): Promise<Updated> {
    return this.#write(`update ${key.sk}`, condition, () => this.#table.update(key, update, condition));
  }

  delete(key: Key, condition?: Condition): Promise<Written> {
    return this.#write(`delete ${key.sk}`, condition, () => this.#table.delete(key, condition));
  }

  async #write<T>(what: string, condition: Condition | undefined, write: () => Promise<T>): Promise<T> {
    if (condition === undefined || ++this.writes !== this.#lostAt) return await write();
    this.lost = what;
    await write();
    return await write();
  }
}
