/** The table of a run, which notes every write that changes a segment (I1). */
import type { Condition, Item, Key, Update, Updated, Written } from "../../../shared/engine/ports/table.ts";
import { MemoryTable } from "../memory-table.ts";

export class CheckedTable extends MemoryTable {
  readonly changedSegments: string[] = [];

  override async put(item: Item, condition?: Condition): Promise<Written> {
    const before = this.shown(item);
    const written = await super.put(item, condition);
    if (written.written && before !== undefined && isSegment(item) && contentOf(before) !== contentOf(item))
      this.changedSegments.push(`put ${item.pk} ${item.sk}`);
    return written;
  }

  override async update(key: Key, update: Update, condition?: Condition): Promise<Updated> {
    const touched = [...Object.keys({ ...update.set, ...update.add }), ...(update.remove ?? [])];
    if (isSegment(key) && touched.some((name) => name !== "expiresAtS"))
      this.changedSegments.push(`update ${key.pk} ${key.sk}`);
    return super.update(key, update, condition);
  }

  override async delete(key: Key, condition?: Condition): Promise<Written> {
    if (isSegment(key)) this.changedSegments.push(`delete ${key.pk} ${key.sk}`);
    return super.delete(key, condition);
  }
}

function isSegment({ sk }: Key): boolean {
  return sk.startsWith("seg#");
}

/** Only the time to live may change. */
function contentOf(item: Item): string {
  return JSON.stringify({ ...item, expiresAtS: 0 }, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
  );
}
