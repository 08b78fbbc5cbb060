/** A table in memory that also removes expired items by order, as the embedded table does. */
import { MemoryTable } from "../../simulation/memory-table.ts";

export class ExpiringTable extends MemoryTable {
  /** @returns how many items it removed: those whose time to live ended before this second, at most `limit` */
  async sweepExpired(nowS: number, limit: number): Promise<number> {
    const expired = this.all().filter(({ expiresAtS }) => typeof expiresAtS === "number" && expiresAtS <= nowS);
    const removed = expired.slice(0, limit);
    for (const { pk, sk } of removed) await this.delete({ pk, sk });
    return removed.length;
  }
}
