/** The latest state of an invocation: the memory of a driver in this process is newer than the table. */
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { Engine } from "../engine.ts";
import type { Loaded } from "../store/load.ts";

/** Attempts, retries and short waits of a driver are in its memory alone until it writes a segment or parks. */
export function knownNow(engine: Engine, { invocation }: Pick<Loaded, "invocation">): Invocation {
  const driven = engine.activeInvocations.find(invocation.acceptance.id)?.invocation;
  return driven !== undefined && driven.segmentIndex >= invocation.segmentIndex ? driven : invocation;
}
