/** The table of a run, which records every write that changes a segment (I1) and every lock whose holder changes (I6). */
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { readAcceptance } from "../../../shared/engine/store/acceptance-record.ts";
import { type Lock, readLock } from "../../../shared/engine/store/lock-record.ts";
import type { Clock } from "../../../shared/engine/ports/clock.ts";
import type {
  Condition,
  IndexName,
  Item,
  Key,
  Page,
  Range,
  Update,
  Updated,
  Write,
  Written,
} from "../../../shared/engine/ports/table.ts";
import { MemoryTable } from "../memory-table.ts";
import { contentOf } from "../stored-content.ts";

export interface HandOver {
  readonly pk: string;
  readonly from: NonNullable<Lock["holder"]>;
  /** The grant of the holder that gives the key away. */
  readonly grant: number;
  readonly atMs: number;
}

/** How far an index lags behind the table in the fault `stale`: less than the age at which the sweeper looks at an entry. */
const LAG_MS = 60_000;

export class CheckedTable extends MemoryTable {
  readonly changedSegments: string[] = [];
  readonly handOvers: HandOver[] = [];
  /** Called with each written item, for a judge of pools. */
  whenWritten: ((item: Item) => void) | undefined;
  readonly #clock: Clock;
  /** What each write of the last minute replaced, so that an index can be shown as it was. */
  readonly #replaced: { readonly key: Key; readonly item: Item | undefined; readonly atMs: number }[] = [];

  constructor(clock: Clock) {
    super();
    this.#clock = clock;
  }

  override async put(item: Item, condition?: Condition): Promise<Written> {
    const before = this.shown(item);
    this.#keep(item, before);
    const written = await super.put(item, condition);
    const isChange =
      written.written && before !== undefined && isSegment(item) && contentOf(before) !== contentOf(item);
    if (isChange && !this.#isNextLife(before, item)) this.#note("put", item);
    if (written.written) this.whenWritten?.(item);
    return written;
  }

  override async update(key: Key, update: Update, condition?: Condition): Promise<Updated> {
    const touched = [...Object.keys({ ...update.set, ...update.add }), ...(update.remove ?? [])];
    if (isSegment(key) && touched.some((name) => name !== "expiresAtS") && !this.#isErasure(key, update))
      this.#note("update", key);
    const before = this.shown(key);
    this.#keep(key, before);
    const { holder, grant } = readLock(key.sk === "lock" ? before : undefined);
    const updated = await super.update(key, update, condition);
    if (holder !== undefined && updated.written && readLock(updated.item).holder?.nonce !== holder.nonce)
      this.handOvers.push({ pk: key.pk, from: holder, grant, atMs: this.#clock.nowMs() });
    if (updated.written) this.whenWritten?.(updated.item);
    return updated;
  }

  override async delete(key: Key, condition?: Condition): Promise<Written> {
    const before = this.shown(key);
    this.#keep(key, before);
    if (isSegment(key) && !this.#hasExpired(before)) this.#note("delete", key);
    return super.delete(key, condition);
  }

  override async transact(writes: readonly Write[]): ReturnType<MemoryTable["transact"]> {
    for (const write of writes) {
      const key = write.kind === "put" ? write.item : write.key;
      this.#keep(key, this.shown(key));
    }
    const done = await super.transact(writes);
    if (done.written) for (const write of writes) if (write.kind === "put") this.whenWritten?.(write.item);
    return done;
  }

  /** @returns the items whose time to live is over, in a fixed order */
  expired(): readonly Item[] {
    const found = this.all().filter((item) => this.#hasExpired(item));
    return found.sort((a, b) => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1));
  }

  /** Reads an index as it was a minute ago. */
  async indexAsItWas(index: IndexName, pk: string, range?: Range): Promise<Page> {
    return await (await this.#asItWas()).queryIndex(index, pk, range);
  }

  /** Reads many items as they were a minute ago. */
  async manyAsTheyWere(keys: readonly Key[]): Promise<readonly (Item | undefined)[]> {
    return await (await this.#asItWas()).getMany(keys);
  }

  async #asItWas(): Promise<MemoryTable> {
    const former = this.fork();
    const sinceMs = this.#clock.nowMs() - LAG_MS;
    for (const { key, item, atMs } of this.#replaced.toReversed()) {
      if (atMs < sinceMs) break;
      if (item === undefined) await former.delete({ pk: key.pk, sk: key.sk });
      else await former.put(item);
    }
    return former;
  }

  #keep({ pk, sk }: Key, item: Item | undefined): void {
    const nowMs = this.#clock.nowMs();
    while (this.#replaced.length > 0 && this.#replaced[0]!.atMs < nowMs - LAG_MS) this.#replaced.shift();
    this.#replaced.push({ key: { pk, sk }, item, atMs: nowMs });
  }

  #hasExpired(item: Item | undefined): boolean {
    const untilS = item?.["expiresAtS"];
    return typeof untilS === "number" && untilS * 1000 <= this.#clock.nowMs();
  }

  /** True if the acceptance of the next life replaces that of a life that has ended, or whose time to live is over. */
  #isNextLife(before: Item, { pk, sk, n }: Item): boolean {
    if (sk !== "seg#000000" || before["n"] === n) return false;
    const own = `seg#${String(before["n"])}#`;
    return (
      this.#hasExpired(before) ||
      this.all().some((item) => item.pk === pk && item.sk.startsWith(own) && item["end"] === true)
    );
  }

  /** After its tombstone an acceptance loses its content and its listing keys, and is marked as ended. Nothing else in it may change. */
  #isErasure({ pk, sk }: Key, { set, remove = [], add }: Update): boolean {
    const before = this.shown({ pk, sk });
    const hasTombstone = this.all().some(
      (item) => item.pk === pk && item["tombstone"] === true && item.sk.startsWith(`seg#${String(before?.["n"])}#`),
    );
    if (!hasTombstone || sk !== "seg#000000" || add !== undefined || set?.["end"] !== true) return false;
    const { acceptance } = readAcceptance(pk.replace("inv#", "") as InvocationId, { ...before!, b: set["b"] });
    return (
      acceptance.input.length + acceptance.headers.length === 0 &&
      Object.keys(set).every((name) => name === "b" || name === "end") &&
      remove.every((name) => name === "listPk" || name === "listSk")
    );
  }

  /**
   * Records a changed segment, unless the partition contains an end without a journal (`endAlone`). After a purge has written
   * such an end, the purge may change or delete the other segments.
   */
  #note(what: string, { pk, sk }: Key): void {
    const isForgotten = this.all().some((item) => item.pk === pk && item["endAlone"] === true);
    if (!isForgotten) this.changedSegments.push(`${what} ${pk} ${sk}`);
  }
}

function isSegment({ sk }: Key): boolean {
  return sk.startsWith("seg#");
}
