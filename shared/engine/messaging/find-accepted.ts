/**
 * Finds an invocation whose acceptance may not be durable yet: its first attempt runs while the acceptance is written, so the
 * handler may already have passed on the id.
 */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { knowsEveryAcceptance } from "../ports/store-ownership.ts";

/** The delays before further looks, if another process may be accepting: most puts take a few milliseconds. */
const LOOK_AGAIN_AFTER_MS = [20, 100, 400];

/** @param look reads the table @returns undefined if no acceptance is stored, and none is seen to be under way */
export async function findAccepted<T>(
  engine: Engine,
  id: InvocationId,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const underWay = engine.activeInvocations.find(id)?.ownAcceptance?.durable;
  const found = await look();
  if (found !== undefined) return found;
  if (underWay !== undefined) {
    await underWay.catch(() => undefined);
    return await look();
  }
  if (knowsEveryAcceptance(engine.settings)) return undefined;
  for (const waitMs of LOOK_AGAIN_AFTER_MS) {
    await engine.clock.sleep(waitMs);
    const late = await look();
    if (late !== undefined) return late;
  }
  return undefined;
}
