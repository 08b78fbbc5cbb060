/** The order in which invocations wait for a place: keys take turns, and within a key priority counts, and then age. */

import { PRIORITY_DEFAULT } from "../model/request-options.ts";

/**
 * Each step of priority counts as much as this time of waiting. So an invocation of the lowest priority goes before each one of
 * the highest that came nine steps later, and none starves.
 */
export const PRIORITY_STEP_MS = 60_000;

/** @param sinceMs the moment from which on the invocation could have run */
export function turnOrder(sinceMs: number, priority = PRIORITY_DEFAULT): number {
  return Math.max(0, Math.floor(sinceMs) - (priority - PRIORITY_DEFAULT) * PRIORITY_STEP_MS);
}
