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
 * Removes expired items at each interval, until the signal aborts. A failed removal is logged, and the next interval repeats
 * it. The function removes only what a finished walk of the sweeper has shown to belong to no open invocation
 * (`expirableBeforeMs`). So after a long sleep of the machine, the sweeper notes and extends open invocations before their items
 * can be removed.
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
