/** The table of a run, which records every write that changes a segment (I1) and every lock whose holder changes (I6). */
import { type Lock, readLock } from "../../../shared/engine/store/lock-record.ts";
import type { Clock } from "../../../shared/engine/ports/clock.ts";
import type { Condition, Item, Key, Update, Updated, Written } from "../../../shared/engine/ports/table.ts";
import { MemoryTable } from "../memory-table.ts";

export interface HandOver {
  readonly pk: string;
  readonly from: NonNullable<Lock["holder"]>;
  /** The grant of the holder that gives the key away. */
  readonly grant: number;
  readonly atMs: number;
}

export class CheckedTable extends MemoryTable {
  readonly changedSegments: string[] = [];
  readonly handOvers: HandOver[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    super();
    this.#clock = clock;
  }

  override async put(item: Item, condition?: Condition): Promise<Written> {
    const before = this.shown(item);
    const written = await super.put(item, condition);
    if (written.written && before !== undefined && isSegment(item) && contentOf(before) !== contentOf(item))
      this.#note("put", item);
    return written;
  }

  override async update(key: Key, update: Update, condition?: Condition): Promise<Updated> {
    const touched = [...Object.keys({ ...update.set, ...update.add }), ...(update.remove ?? [])];
    if (isSegment(key) && touched.some((name) => name !== "expiresAtS") && !this.#isUnlisting(key, update))
      this.#note("update", key);
    const { holder, grant } = readLock(key.sk === "lock" ? this.shown(key) : undefined);
    const updated = await super.update(key, update, condition);
    if (holder !== undefined && updated.written && readLock(updated.item).holder?.nonce !== holder.nonce)
      this.handOvers.push({ pk: key.pk, from: holder, grant, atMs: this.#clock.nowMs() });
    return updated;
  }

  override async delete(key: Key, condition?: Condition): Promise<Written> {
    if (isSegment(key)) this.#note("delete", key);
    return super.delete(key, condition);
  }

  /** After its tombstone an acceptance is marked as ended and loses its listing keys. Nothing else in it may change. */
  #isUnlisting({ pk, sk }: Key, { set, remove, add }: Update): boolean {
    const nonce = this.shown({ pk, sk })?.["n"];
    const hasTombstone = this.all().some(
      (item) => item.pk === pk && item["tombstone"] === true && item.sk.startsWith(`seg#${String(nonce)}#`),
    );
    const change = JSON.stringify({ set, remove, add });
    return hasTombstone && sk === "seg#000000" && change === JSON.stringify(UNLISTED);
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

const UNLISTED: Update = { set: { end: true }, remove: ["listPk", "listSk"] };

function isSegment({ sk }: Key): boolean {
  return sk.startsWith("seg#");
}

/** The content without the time to live, which may change. */
function contentOf(item: Item): string {
  return JSON.stringify({ ...item, expiresAtS: 0 }, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
  );
}
