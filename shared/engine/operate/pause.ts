/** Pauses an invocation. A running attempt goes on to its end, and no further attempt begins. */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { giveOrder } from "./give-order.ts";
import { knownNow } from "./known-now.ts";
import { hasExpired, isLeased, load, type Loaded } from "../store/load.ts";
import type { Pausing } from "../ports/submission.ts";

/** @param by the operator, if one was authenticated */
export async function pause(engine: Engine, id: InvocationId, by?: string): Promise<Pausing> {
  const loaded = await load(engine, id);
  if (loaded === undefined || hasExpired(loaded, engine.clock.nowMs())) return "unknown";
  const { status } = knownNow(engine, loaded).phase;
  switch (status) {
    case "completed":
      return "completed";
    case "scheduled":
    case "pending":
      return "not-begun";
    case "paused":
      return "done";
    case "suspended":
      // A suspended invocation makes no attempt until its await is satisfied, so it gets no order.
      if (!isAttempting(engine, loaded)) return "suspended";
      break;
    case "ready":
    case "running":
    case "backing-off":
      break;
  }
  await giveOrder(engine, loaded, { kind: "pause" }, by);
  return "noted";
}

/** True if a driver in another process may have ended the suspension. For drivers of this process, `knownNow` shows it. */
function isAttempting(engine: Engine, loaded: Loaded): boolean {
  const isOurs = engine.activeInvocations.find(loaded.invocation.acceptance.id) !== undefined;
  return !isOurs && isLeased(engine, loaded, engine.clock.nowMs());
}
