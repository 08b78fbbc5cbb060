/** How long items are kept: each outlives the result of its invocation, and the sweeper extends what stays open (ADR 0003). */
import type { Acceptance } from "../../core/invocation/acceptance.ts";

const DAY_S = 86_400;

/** Whoever writes assumes that the invocation is open for so much longer at most; the sweeper extends it before. */
const OPEN_KEPT_S = 2 * DAY_S;

/** An open invocation whose items live, beyond the retention, no longer than this is extended. */
export const EXTEND_BELOW_S = DAY_S;

/** Whoever brings a result home does not know the retention of the caller: longer ones are made up for at the end. */
export const RETENTION_ASSUMED_MS = 30 * DAY_S * 1000;

/** Until when an invocation may stay open before its items must have been extended, if all of them are written now. */
export function openUntilS(nowMs: number): number {
  return Math.ceil(nowMs / 1000) + OPEN_KEPT_S;
}

/** The time to live of an item that is written now: it must outlive the end, whenever that comes, by the retention. */
export function keepUntilS(
  { completionRetentionMs }: Pick<Acceptance, "completionRetentionMs">,
  nowMs: number,
): number {
  return openUntilS(nowMs) + Math.ceil(completionRetentionMs / 1000);
}

/** An arrival lives as long as the segment 0 that its writer has read, and a day more: that may be extended meanwhile. */
export function keepBesideS(acceptanceExpiresAtS: number): number {
  return acceptanceExpiresAtS + DAY_S;
}
