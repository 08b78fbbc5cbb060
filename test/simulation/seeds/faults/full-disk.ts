/** A full disk: for a while after the start of a process, each of its writes fails; reads go on. */
import { type Table, StoreError } from "../../../../shared/engine/ports/table.ts";
import type { Clock } from "../../../../shared/engine/ports/clock.ts";

/**
 * @param untilMs when the disk has room again
 * @param onRefusal called for each refused write
 */
export function onFullDisk(table: Table, clock: Clock, untilMs: number, onRefusal: () => void): Table {
  const writing = async <T>(write: () => Promise<T>): Promise<T> => {
    if (clock.nowMs() >= untilMs) return await write();
    onRefusal();
    // The refusal takes a moment, so that a caller that tries again at once lets time pass.
    await clock.sleep(1);
    throw new StoreError("no space left on device");
  };
  return {
    ...table,
    put: (item, condition) => writing(() => table.put(item, condition)),
    update: (key, update, condition) => writing(() => table.update(key, update, condition)),
    delete: (key, condition) => writing(() => table.delete(key, condition)),
    transact: (writes) => writing(() => table.transact(writes)),
  };
}
