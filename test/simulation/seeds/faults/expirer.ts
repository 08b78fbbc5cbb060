/**
 * The table's own deletion of expired items, as in DynamoDB: each item by itself, in any order, minutes to two days after its time
 * to live is over. Items of completed invocations go as well as all others.
 */
import type { Item, Key } from "../../../../shared/engine/ports/table.ts";
import type { MemoryTable } from "../../memory-table.ts";
import type { Random } from "../../random.ts";
import type { VirtualClock } from "../../virtual-clock.ts";

const HOUR_MS = 3_600_000;
/** The intervals at which the table looks for expired items, and the longest time from that look to the deletion. */
const LOOK_EVERY_MS = [HOUR_MS / 4, 6 * HOUR_MS];
const LATE_MAX_MS = [HOUR_MS, 48 * HOUR_MS];

export interface Expiring {
  readonly table: MemoryTable;
  readonly clock: VirtualClock;
  readonly random: Random;
  /** Called before each deletion. */
  readonly onExpired: (item: Item) => void;
}

export class Expirer {
  readonly #parts: Expiring;
  readonly #everyMs: number;
  readonly #lateMaxMs: number;
  readonly #planned = new Set<string>();
  #isOn = false;

  constructor(parts: Expiring) {
    this.#parts = parts;
    this.#everyMs = parts.random.pick(LOOK_EVERY_MS);
    this.#lateMaxMs = parts.random.pick(LATE_MAX_MS);
  }

  begin(): void {
    this.#isOn = true;
    void this.#look();
  }

  end(): void {
    this.#isOn = false;
  }

  async #look(): Promise<void> {
    const { table, clock, random } = this.#parts;
    while (this.#isOn) {
      for (const item of table.all()) {
        const name = `${item.pk} ${item.sk}`;
        if (!isExpired(item, clock.nowMs()) || this.#planned.has(name)) continue;
        this.#planned.add(name);
        void clock.sleep(random.between(1, this.#lateMaxMs)).then(() => this.#delete(item, name));
      }
      await clock.sleep(this.#everyMs);
    }
  }

  async #delete({ pk, sk }: Key, name: string): Promise<void> {
    const { table, clock, onExpired } = this.#parts;
    this.#planned.delete(name);
    const item = table.shown({ pk, sk });
    if (item === undefined || !isExpired(item, clock.nowMs())) return;
    onExpired(item);
    await table.expire({ pk, sk });
  }
}

export function isExpired({ expiresAtS }: Item, nowMs: number): boolean {
  return typeof expiresAtS === "number" && expiresAtS <= nowMs / 1000;
}
