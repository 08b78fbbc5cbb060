/** The order in which invocations wait for a place: keys take turns, and within a key priority counts, and then age. */

/** The priority of an invocation that names none, from 0 to 9; a higher one goes first. */
export const DEFAULT_PRIORITY = 5;

/**
 * Each step of priority counts as much as this time of waiting. So an invocation of the lowest priority goes before each one of
 * the highest that came nine steps later, and none starves.
 */
export const PRIORITY_STEP_MS = 60_000;

/** @param sinceMs the moment from which on the invocation could have run */
export function turnOrder(sinceMs: number, priority = DEFAULT_PRIORITY): number {
  return Math.max(0, Math.floor(sinceMs) - (priority - DEFAULT_PRIORITY) * PRIORITY_STEP_MS);
}
