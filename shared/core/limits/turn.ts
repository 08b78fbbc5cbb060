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

/** The next turns, key by key. @param turns in their order within each key. @param servedKey the key that was served last */
export function inTurn<T extends { readonly turnKey: string }>(
  turns: readonly T[],
  servedKey: string,
  count: number,
): readonly T[] {
  const byKey = new Map<string, T[]>();
  for (const turn of turns) {
    const some = byKey.get(turn.turnKey) ?? [];
    some.push(turn);
    byKey.set(turn.turnKey, some);
  }
  const keys = [...byKey.keys()].sort();
  const from = keys.findIndex((key) => key > servedKey);
  const ordered = from <= 0 ? keys : [...keys.slice(from), ...keys.slice(0, from)];
  const next: T[] = [];
  for (let round = 0; next.length < count; round++) {
    const some = ordered.flatMap((key) => byKey.get(key)![round] ?? []);
    if (some.length === 0) break;
    next.push(...some.slice(0, count - next.length));
  }
  return next;
}
