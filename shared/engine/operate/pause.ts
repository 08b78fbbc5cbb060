/** Pauses an invocation: no further attempt begins until it is resumed. A running attempt goes on to its end. */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { giveOrder, isToGoOn } from "./give-order.ts";
import { knownNow } from "./known-now.ts";
import { hasExpired } from "../store/load.ts";
import { loadHeads } from "../store/operator-loads.ts";
import type { Pausing } from "../ports/submission.ts";

/** @param by the operator, if one was authenticated */
export async function pause(engine: Engine, id: InvocationId, by?: string): Promise<Pausing> {
  const loaded = await loadHeads(engine, id);
  if (loaded === undefined || hasExpired(loaded, engine.clock.nowMs())) return "unknown";
  const { status } = knownNow(engine, loaded).phase;
  if (status === "completed") return "completed";
  if (status === "paused" && !isToGoOn(loaded)) return "done";
  await giveOrder(engine, loaded, { kind: "pause" }, by);
  return "noted";
}
