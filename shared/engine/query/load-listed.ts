/** Loads an invocation for a row of a list, unless it is gone or too large to be read beside others. */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { StoreError } from "../ports/table.ts";
import { hasExpired, type Loaded, SMALL_MAX_BYTES } from "../store/load.ts";
import { loadWithMoments } from "../store/operator-loads.ts";
import { TooLargeError } from "../store/read-partition.ts";

export async function loadListed(engine: Engine, id: InvocationId): Promise<Loaded | undefined> {
  try {
    const loaded = await loadWithMoments(engine, id, SMALL_MAX_BYTES);
    return loaded === undefined || hasExpired(loaded, engine.clock.nowMs()) ? undefined : loaded;
  } catch (error) {
    if (error instanceof TooLargeError || error instanceof StoreError) return undefined;
    throw error;
  }
}
