/** Removes expired items from an embedded table, as a managed table does by itself. */
import type { EmbeddedTable } from "../adapters/embedded/embedded-table.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Log } from "../engine/ports/log.ts";

const EVERY_MS = 60_000;
/** Small batches, so that a sweep never stands in the way of a call for long. */
const BATCH_ITEMS = 200;

/** Resolves when the signal aborts; a failure is told and tried again at the next pass. */
export async function expireItems(table: EmbeddedTable, clock: Clock, log: Log, signal: AbortSignal): Promise<void> {
  while (await clock.sleep(EVERY_MS, signal)) {
    try {
      while (!signal.aborted) {
        const removed = await table.sweepExpired(Math.floor(clock.nowMs() / 1000), BATCH_ITEMS);
        if (removed < BATCH_ITEMS) break;
      }
    } catch (error) {
      log.warn("expired items could not be removed", { error: error instanceof Error ? error.message : String(error) });
    }
  }
}
