/** Looking for an invocation whose id was told to others before its acceptance was durable: the first attempt overlaps the put. */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";

/** Where another process may be accepting, it is looked for again after each of these: most puts take a few milliseconds. */
const LOOK_AGAIN_AFTER_MS = [20, 100, 400];

/** @param look reads the table. @returns undefined where nothing stands there and nothing is on its way, as far as can be told */
export async function findAccepted<T>(
  engine: Engine,
  id: InvocationId,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const underWay = engine.activeInvocations.find(id)?.durable;
  const found = await look();
  if (found !== undefined) return found;
  if (underWay !== undefined) {
    await underWay.catch(() => undefined);
    return await look();
  }
  // In a process that owns the store alone, all that is on its way is known.
  if (engine.settings.exclusiveOwnerPrefix !== undefined) return undefined;
  for (const waitMs of LOOK_AGAIN_AFTER_MS) {
    await engine.clock.sleep(waitMs);
    const late = await look();
    if (late !== undefined) return late;
  }
  return undefined;
}
