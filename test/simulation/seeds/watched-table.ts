/** The table of a run: it records each write and the process that made it, so that every write can be judged after its step. */
import type { Condition, IndexName, Item, Key, Range, Update, Write } from "../../../shared/engine/ports/table.ts";
import { MemoryTable } from "../memory-table.ts";
import type { LaggingIndexes } from "./faults/lagging-indexes.ts";
import type { Mortal } from "./mortal.ts";

export interface Note extends Key {
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  /** The process that made the write, if this process gets the answer to the write; otherwise undefined. */
  readonly writer: Mortal | undefined;
  /** The lock that the same transaction wrote, as it was before and as it is after; undefined without a transaction. */
  readonly lock?: { readonly before: Item | undefined; readonly after: Item | undefined };
}

export class WatchedTable extends MemoryTable {
  /** Indexes that follow late; absent if the indexes follow at once. */
  indexes: LaggingIndexes | undefined;
  #notes: Note[] = [];
  #writer: Mortal | undefined;

  /** Runs the effect at once, and records `writer` as the process that makes its writes. */
  writtenBy<T>(writer: Mortal | undefined, effect: () => Promise<T>): Promise<T> {
    this.#writer = writer;
    const done = effect();
    this.#writer = undefined;
    return done;
  }

  /** @returns the sort keys with this beginning in a partition */
  keysOf(pk: string, beginning: string): readonly string[] {
    return this.all().flatMap((item) => (item.pk === pk && item.sk.startsWith(beginning) ? [item.sk] : []));
  }

  /** @returns the writes since the last call */
  takeNotes(): readonly Note[] {
    return this.#notes.splice(0);
  }

  override queryIndex(index: IndexName, pk: string, range?: Range) {
    return this.indexes?.queryIndex(index, pk, range) ?? super.queryIndex(index, pk, range);
  }

  override async expire(key: Key): Promise<void> {
    this.indexes?.follow(key, this.shown(key), undefined);
    await super.expire(key);
  }

  override put(item: Item, condition?: Condition) {
    return this.#noting([item], () => super.put(item, condition));
  }

  override update(key: Key, update: Update, condition?: Condition) {
    return this.#noting([key], () => super.update(key, update, condition));
  }

  override delete(key: Key, condition?: Condition) {
    return this.#noting([key], () => super.delete(key, condition));
  }

  override transact(writes: readonly Write[]) {
    const keys = writes.map((write) => (write.kind === "put" ? write.item : write.key));
    return this.#noting(keys, () => super.transact(writes));
  }

  async #noting<T extends { readonly written: boolean }>(keys: readonly Key[], effect: () => Promise<T>): Promise<T> {
    const writer = this.#writer;
    const before = keys.map((key) => this.shown(key));
    const done = effect();
    const after = keys.map((key) => this.shown(key));
    const answer = await done;
    if (!answer.written) return answer;
    for (const [at, key] of keys.entries()) this.indexes?.follow(key, before[at], after[at]);
    const lockAt = keys.length > 1 ? keys.findIndex(({ sk }) => sk === "lock") : -1;
    const lock = lockAt >= 0 && { lock: { before: before[lockAt], after: after[lockAt] } };
    for (const [at, { pk, sk }] of keys.entries())
      this.#notes.push({ pk, sk, before: before[at], after: after[at], writer, ...lock });
    return answer;
  }
}
