/** Removes expired items from an embedded table, as DynamoDB does on its own. */
import type { EmbeddedTable } from "../adapters/embedded/embedded-table.ts";
import type { ActiveInvocations } from "../engine/local/active-invocations.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Log } from "../engine/ports/log.ts";

/** Small batches, so that a removal delays a call only briefly. */
const BATCH_ITEMS = 200;

export interface Expiry {
  readonly table: EmbeddedTable;
  readonly clock: Clock;
  readonly log: Log;
  readonly activeInvocations: Pick<ActiveInvocations, "expirableBeforeMs">;
  readonly everyMs: number;
}

/**
 * Removes expired items at each interval, until the signal aborts. A failed removal is logged and repeated at the next interval.
 * The sweeper must extend the open invocations first, also after the machine has slept for long: an item is removed only if it expired
 * before `expirableBeforeMs`, which a finished walk over the open index has set.
 */
export async function expireItems(
  { table, clock, log, activeInvocations, everyMs }: Expiry,
  signal: AbortSignal,
): Promise<void> {
  while (await clock.sleep(everyMs, signal)) {
    try {
      while (!signal.aborted && activeInvocations.expirableBeforeMs !== undefined) {
        const removed = await table.sweepExpired(Math.floor(activeInvocations.expirableBeforeMs / 1000), BATCH_ITEMS);
        if (removed < BATCH_ITEMS) break;
      }
    } catch (error) {
      log.write("item.expiry-failed", { error: error instanceof Error ? error.message : String(error) });
    }
  }
}
