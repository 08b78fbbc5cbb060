/** Decides whether the result of an ended invocation may be returned: only after its changes are in the state of its key. */
import { needsLock } from "../../core/invocation/acceptance.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { Engine } from "../engine.ts";
import { isHeldBy } from "./object-lock.ts";
import { lockAt, objectPartition } from "../store/object-partition.ts";

/**
 * The final segment is durable a moment before the state of the key is written and the lock is handed on. Costs one read of
 * the lock for an invocation that needed the lock, and nothing for any other.
 */
export async function isResultVisible(engine: Engine, { acceptance, phase }: Invocation): Promise<boolean> {
  if (phase.status !== "completed") return false;
  if (!needsLock(acceptance)) return true;
  const lock = await lockAt(engine, objectPartition(engine, acceptance.target));
  // The run of a workflow still holds its key after its end. `closeWorkflow` writes the state and then sets `goneAtMs`.
  return !isHeldBy(lock, acceptance) || lock.goneAtMs !== undefined;
}
