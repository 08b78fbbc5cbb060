/** How a completed invocation ended, in one word. */
import { CANCEL_SIGNAL } from "../protocol/command-parts.ts";
import type { Result } from "../model/failure.ts";
import type { Invocation } from "./invocation.ts";
import type { Journal } from "./journal.ts";

export const END_OUTCOMES = ["succeeded", "failed", "cancelled", "killed"] as const;
export type EndOutcome = (typeof END_OUTCOMES)[number];

/** A handler that obeys a cancel ends with this failure code. */
export const CANCELLED_CODE = 409;

/**
 * `cancelled`: the handler ended with 409 after it got a cancel; after a cancel a handler may also end in another way.
 * @param isKnownCancelled true if the journal is dropped and the stored end still records the cancel
 * @returns undefined for an open invocation
 */
export function endOutcome(
  { phase, journal }: Pick<Invocation, "phase" | "journal">,
  isKnownCancelled = false,
): EndOutcome | undefined {
  return phase.status === "completed" ? outcomeOf(phase, journal.entries, isKnownCancelled) : undefined;
}

/** @param entries all entries of the journal, also those of the last segment */
export function outcomeOf(
  { killed, result }: { readonly killed: boolean; readonly result: Result },
  entries: Journal["entries"],
  isKnownCancelled = false,
): EndOutcome {
  if (killed) return "killed";
  if (result.kind === "success") return "succeeded";
  if (result.failure.code !== CANCELLED_CODE) return "failed";
  return isKnownCancelled || hasCancel(entries) ? "cancelled" : "failed";
}

function hasCancel(entries: Journal["entries"]): boolean {
  return entries.some(
    (entry) => entry.kind === "notification" && "index" in entry.id && entry.id.index === CANCEL_SIGNAL,
  );
}
