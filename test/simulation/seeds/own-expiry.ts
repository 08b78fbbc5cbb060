/** The deletion of expired items by the sole owner of the table: the loop of the local process, over the table of the simulation. */
import type { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { StoreError, type Item } from "../../../shared/engine/ports/table.ts";
import { expireItems } from "../../../shared/wiring/expire-items.ts";
import type { Leap } from "./leap.ts";
import type { Mortal } from "./mortal.ts";
import { isExpired } from "./faults/expirer.ts";
import type { WatchedTable } from "./watched-table.ts";

/** The interval of the local process by default. */
const EVERY_MS = 60_000;

export interface Expiring {
  readonly table: WatchedTable;
  readonly leap: Leap;
  /** True while the disk is full, so that a deletion fails, too. */
  readonly isFull: () => boolean;
  /** Called before each deletion. */
  readonly onExpired: (item: Item) => void;
}

export function expireBeside(engine: Engine, mortal: Mortal, { table, leap, isFull, onExpired }: Expiring): void {
  const { log, activeInvocations } = engine;
  const swept = {
    sweepExpired: (nowS: number, limit: number) =>
      mortal.call({
        what: "delete expired items",
        kind: "write",
        async effect() {
          if (isFull()) throw new StoreError("no space left on device");
          const expired = table.all().filter((item) => isExpired(item, nowS * 1000));
          for (const item of expired.slice(0, limit)) {
            onExpired(item);
            await table.expire(item);
          }
          return Math.min(expired.length, limit);
        },
        failure: () => new StoreError("it failed, and its effect is unknown"),
      }),
  };
  const { signal } = new AbortController();
  const clock = leap.clockOf(engine.clock);
  void expireItems(
    { table: swept as unknown as EmbeddedTable, clock, log, activeInvocations, everyMs: EVERY_MS },
    signal,
  );
}
