/** How long items are kept: an optimistic time to live, which the sweeper extends for what stays open (ADR 0003). */
import type { Acceptance } from "../core/invocation/acceptance.ts";

const DAY_S = 86_400;

/** Nothing is kept less than a day; the day beyond the retention covers the time an invocation is open without being swept. */
export function keepUntilS(
  { completionRetentionMs }: Pick<Acceptance, "completionRetentionMs">,
  nowMs: number,
): number {
  return Math.ceil(nowMs / 1000) + DAY_S + Math.max(DAY_S, Math.ceil(completionRetentionMs / 1000));
}

/** An open invocation whose items live no longer than this is extended. */
export const EXTEND_BELOW_S = DAY_S;

/** Whoever brings an arrival does not know the retention of its invocation; segments list arrivals by key, so they live long. */
export const ARRIVAL_KEPT_S = 30 * DAY_S;
