/** Shows why an invocation is paused, since when, and which operator paused it. */
import type { Engine } from "../engine.ts";
import { knownNow } from "../operate/known-now.ts";
import type { PauseView } from "../ports/submission.ts";
import type { Loaded } from "../store/load.ts";

/** @returns undefined for an invocation that is not paused */
export function pauseView(engine: Engine, loaded: Loaded): PauseView | undefined {
  const { phase, segmentIndex, lastFailure, modifiedAtMs } = knownNow(engine, loaded);
  const { last, leaseRecord, lastAct } = loaded;
  if (phase.status !== "paused") return undefined;
  if (leaseRecord !== undefined && leaseRecord.base > segmentIndex)
    return {
      reason: "process-ends",
      atMs: lastFailure?.atMs ?? modifiedAtMs,
      ...(lastFailure && { failure: lastFailure }),
    };
  // A pause by an order writes a segment; a pause after a failure changes only the lease record.
  if (last?.segment.after.kind === "paused") {
    const by = lastAct?.kind === "pause" ? lastAct.by : undefined;
    const failure = lastFailure && { failure: lastFailure };
    return { reason: "order", atMs: last.segment.writtenAtMs, ...(by !== undefined && { by }), ...failure };
  }
  return { reason: "failure", atMs: lastFailure?.atMs ?? modifiedAtMs, ...(lastFailure && { failure: lastFailure }) };
}
