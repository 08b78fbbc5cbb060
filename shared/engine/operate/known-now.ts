/** An invocation as it stands now: what this process drives it knows better than the table. */
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { Engine } from "../engine.ts";
import type { Loaded } from "../store/load.ts";

/** Attempts, retries and short waits of a driver are in its memory alone, as long as it has not lost its hold. */
export function knownNow(engine: Engine, { invocation }: Loaded): Invocation {
  const driven = engine.activeInvocations.find(invocation.acceptance.id)?.invocation;
  return driven !== undefined && driven.segmentIndex >= invocation.segmentIndex ? driven : invocation;
}
