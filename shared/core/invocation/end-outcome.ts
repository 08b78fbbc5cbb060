/** How a completed invocation ended, in one word. */
import { CANCEL_SIGNAL } from "../protocol/command-parts.ts";
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
  if (phase.status !== "completed") return undefined;
  if (phase.killed) return "killed";
  if (phase.result.kind === "success") return "succeeded";
  if (phase.result.failure.code !== CANCELLED_CODE) return "failed";
  return isKnownCancelled || hasCancel(journal) ? "cancelled" : "failed";
}

function hasCancel({ entries }: Journal): boolean {
  return entries.some(
    (entry) => entry.kind === "notification" && "index" in entry.id && entry.id.index === CANCEL_SIGNAL,
  );
}
