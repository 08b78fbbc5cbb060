/** Adds to a folded invocation what only its lease record contains: the kind of the park, attempts, the last failure. */
import type { Invocation, Phase } from "../../core/invocation/invocation.ts";
import type { LeaseRecord } from "./lease-record.ts";

/** @param leaseRecord a lease record that is not older than the last segment */
export function underHold(invocation: Invocation, leaseRecord: LeaseRecord): Invocation {
  if (invocation.phase.status === "completed") return invocation;
  const { neverBegan = false, ...kept } = invocation;
  // If only the lease record shows the pause, an attempt may have begun before it, and may have killed its process before the
  // process wrote a segment.
  const mayHaveBegun = leaseRecord.status === "paused" && invocation.phase.status !== "paused";
  return {
    ...kept,
    ...(neverBegan && !mayHaveBegun && { neverBegan }),
    phase: phaseUnder(invocation.phase, leaseRecord),
    attempts: Math.max(invocation.attempts, leaseRecord.attempts),
    retries: leaseRecord.retries,
    ...(leaseRecord.lastFailure && { lastFailure: leaseRecord.lastFailure }),
  };
}

function phaseUnder(phase: Phase, { status, untilMs, wakeAtMs }: LeaseRecord): Phase {
  switch (status) {
    case "backing-off":
      return { status, retryAtMs: wakeAtMs ?? 0 };
    case "paused":
    case "pending":
      return { status };
    case "running":
      // A lease that was over before the scheduled start served only to end the invocation or to park it again: no attempt has
      // begun under the lease.
      if (phase.status === "scheduled" && untilMs < phase.startAtMs) return phase;
      return phase.status === "ready" || phase.status === "scheduled" ? { status } : phase;
    case "ready":
    case "scheduled":
    case "suspended":
    case "completed":
      return phase;
  }
}
