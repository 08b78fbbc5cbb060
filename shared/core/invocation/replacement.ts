/**
 * A later request with the same singleton key replaces an invocation: it ends before its start, or it is cancelled, and killed if it
 * takes longer than the grace.
 */
import { codedText } from "../errors/coded-error.ts";
import type { Failure } from "../model/failure.ts";
import { clockCancel, type NotificationArrival } from "./clock-cancel.ts";
import { neverStarted } from "./deadlines.ts";
import type { Arrival } from "./event.ts";
import type { Invocation } from "./invocation.ts";

export type Replacement = Extract<Arrival, { kind: "replaced" }>;

/** No item has this key. The arrival itself stays fresh to the end: no segment lists it, so every driver knows when to kill. */
const CANCEL_KEY = "replaced-cancel";

export function replacementIn(arrivals: Iterable<Arrival>): Replacement | undefined {
  for (const arrival of arrivals) if (arrival.kind === "replaced") return arrival;
  return undefined;
}

/** When a started invocation is killed; infinite if the replacement only concerns one that waits for its start. */
export function killOfReplacementMs({ atMs, graceMs = Infinity }: Replacement): number {
  return atMs + graceMs;
}

/** True if the invocation has to end now. */
export function isReplacedNow(invocation: Invocation, replacement: Replacement, atMs: number): boolean {
  return neverStarted(invocation) || atMs >= killOfReplacementMs(replacement);
}

/** The cancel that a replacement brings, until a segment lists it. */
export function cancelByReplacement(
  { consumed }: Invocation,
  replacement: Replacement,
): NotificationArrival | undefined {
  if (replacement.graceMs === undefined || consumed.has(CANCEL_KEY)) return undefined;
  return clockCancel(CANCEL_KEY, replacement.atMs, replacement.atMs);
}

export function replacedBy({ by }: Replacement): Failure {
  return { code: 409, message: codedText("RT0913", `replaced by ${by}`) };
}
