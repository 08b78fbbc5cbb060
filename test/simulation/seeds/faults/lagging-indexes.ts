/**
 * The indexes of a table that follow the table late: each entry by itself, after a moment or after minutes. A read of an index
 * then omits an item, shows an item that is gone, or shows an item as it was before.
 */
import type { IndexName, Item, Key, Page, Range } from "../../../../shared/engine/ports/table.ts";
import type { Clock } from "../../../../shared/engine/ports/clock.ts";
import { MemoryTable } from "../../memory-table.ts";
import type { Random } from "../../random.ts";

/** The longest lag of an entry: less than the age at which the sweeper takes the listing for complete, a minute in this simulation. */
const LAG_MAX_MS = 45_000;
/** The share of writes that reach the indexes late; the others reach them at once. */
const LATE_SHARE = 0.3;

interface Change extends Key {
  readonly after: Item | undefined;
  readonly visibleAtMs: number;
}

export class LaggingIndexes {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #onLate: () => void;
  /** The items as the indexes show them. */
  readonly #shown = new MemoryTable();
  #waiting: Change[] = [];

  /** @param onLate called for each write that the indexes follow late */
  constructor(clock: Clock, random: Random, onLate: () => void) {
    this.#clock = clock;
    this.#random = random;
    this.#onLate = onLate;
  }

  /** Called with each write of an item, in the order of the writes. */
  follow({ pk, sk }: Key, before: Item | undefined, after: Item | undefined): void {
    if (!isIndexed(before) && !isIndexed(after)) return;
    const nowMs = this.#clock.nowMs();
    const isLate = this.#random.chance(LATE_SHARE);
    if (isLate) this.#onLate();
    const lagMs = isLate ? this.#random.between(1, LAG_MAX_MS) : 0;
    // The changes of one item become visible in their order.
    const former = this.#waiting.findLast((change) => change.pk === pk && change.sk === sk);
    const visibleAtMs = Math.max(nowMs + lagMs, former?.visibleAtMs ?? 0);
    this.#waiting.push({ pk, sk, after, visibleAtMs });
  }

  async queryIndex(index: IndexName, pk: string, range?: Range): Promise<Page> {
    const nowMs = this.#clock.nowMs();
    const due = this.#waiting.filter(({ visibleAtMs }) => visibleAtMs <= nowMs);
    if (due.length > 0) this.#waiting = this.#waiting.filter(({ visibleAtMs }) => visibleAtMs > nowMs);
    for (const { after, ...key } of due)
      await (after === undefined ? this.#shown.delete({ pk: key.pk, sk: key.sk }) : this.#shown.put(after));
    return await this.#shown.queryIndex(index, pk, range);
  }
}

function isIndexed(item: Item | undefined): boolean {
  return item !== undefined && Object.keys(item).some((name) => name.endsWith("Pk"));
}
