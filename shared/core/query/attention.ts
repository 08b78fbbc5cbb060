/** Judges by the open index which open invocations may need an operator. */
import type { Presented } from "./status-words.ts";

/**
 * Worst first. `paused`: goes on only when it is resumed. `failing`: its last attempt failed, or the attempts of its service do,
 * and the next one waits.
 * `overdue`: its moment has passed, and no driver has taken it. `silent`: the deployment accepted the attempt and has sent
 * nothing for long. `waiting`: has waited for long, and the wait has no known end.
 */
export const ATTENTION_KINDS = ["paused", "failing", "overdue", "silent", "waiting"] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

/** Even under load, a driver claims an invocation at most a minute after its start or its next attempt is due. */
export const OVERDUE_AFTER_MS = 120_000;
/**
 * For a suspended or pending invocation, `lookAtMs` may be the moment of the sweeper's next check, which may come some minutes
 * late.
 */
export const UNCHECKED_AFTER_MS = 900_000;
export const SILENT_AFTER_MS = 60_000;
export const WAITING_AFTER_MS = 3_600_000;

export interface OpenEntry {
  readonly status: Presented;
  readonly createdAtMs: number;
  /** The start, the next attempt, the end of a sleep, or the sweeper's next check. */
  readonly lookAtMs: number;
  /** True if the circuit of the next attempt is open: a driver takes the invocation, and puts it back. */
  readonly isHeldBack?: boolean;
}

/**
 * @returns the kind that the entry may have; for `silent` and `waiting`, only the invocation itself shows whether it has this
 * kind
 */
export function suspicionOf(entry: OpenEntry, nowMs: number): AttentionKind | undefined {
  const lateMs = nowMs - entry.lookAtMs;
  const isOverdue = lateMs > OVERDUE_AFTER_MS;
  const ageMs = nowMs - entry.createdAtMs;
  switch (entry.status) {
    case "paused":
      return "paused";
    case "backing-off":
      return isOverdue && entry.isHeldBack !== true ? "overdue" : "failing";
    case "scheduled":
      return isOverdue ? "overdue" : undefined;
    case "ready":
      if (entry.isHeldBack === true) return "failing";
      return ageMs > OVERDUE_AFTER_MS ? "overdue" : undefined;
    case "running":
      return ageMs > SILENT_AFTER_MS ? "silent" : undefined;
    case "pending":
    case "suspended":
      return lateMs > UNCHECKED_AFTER_MS ? "overdue" : ageMs > WAITING_AFTER_MS ? "waiting" : undefined;
    case "completed":
      return undefined;
  }
}

/**
 * Takes at most `max` of the found ones, worst kind first. Each kind gets a few places before any kind gets more, so that a
 * thousand paused invocations do not hide the single one that is overdue.
 * @param eachMin the number of places that each kind may fill first; then the worst kinds fill the remaining places
 */
export function worstFirst<Found>(
  byKind: ReadonlyMap<AttentionKind, readonly Found[]>,
  max: number,
  eachMin: number,
): ReadonlyMap<AttentionKind, readonly Found[]> {
  const counts = new Map<AttentionKind, number>();
  let left = max;
  for (const kind of ATTENTION_KINDS) {
    const count = Math.min(left, eachMin, byKind.get(kind)?.length ?? 0);
    counts.set(kind, count);
    left -= count;
  }
  for (const kind of ATTENTION_KINDS) {
    const more = Math.min(left, (byKind.get(kind)?.length ?? 0) - counts.get(kind)!);
    counts.set(kind, counts.get(kind)! + more);
    left -= more;
  }
  return new Map(ATTENTION_KINDS.map((kind) => [kind, (byKind.get(kind) ?? []).slice(0, counts.get(kind)!)]));
}
