/** How long items are kept: each outlives the result of its invocation, and the sweeper extends what stays open (ADR 0003). */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import type { EngineSettings } from "../engine-settings.ts";

const DAY_S = 86_400;

/** A shared table deletes by itself, also while the sweeper rests: what is open must live for two weeks of such a rest. */
const SHARED_KEPT_S = 16 * DAY_S;
/** A process that owns its store deletes nothing before its own sweeper has extended what is open. */
const OWNED_KEPT_S = 2 * DAY_S;
const EARLY_KEPT_S = 2 * DAY_S;

/** An extension is for so long: as long as the retention that a result on its way home is written with (RETENTION_ASSUMED_MS). */
const EXTENDED_S = 30 * DAY_S;

/** A result that comes home is written without a look at its caller, whose retention may be longer: that is made up for at the end. */
export const RETENTION_ASSUMED_MS = 30 * DAY_S * 1000;

type Keeping = Pick<EngineSettings, "openKeptMs" | "soleOwner">;

function openKeptS({ openKeptMs, soleOwner }: Keeping): number {
  if (openKeptMs !== undefined) return Math.ceil(openKeptMs / 1000);
  return soleOwner === undefined ? SHARED_KEPT_S : OWNED_KEPT_S;
}

/** Until when an invocation may stay open before its items must have been extended, if all of them are written now. */
export function openUntilS(settings: Keeping, nowMs: number): number {
  return Math.ceil(nowMs / 1000) + openKeptS(settings);
}

/**
 * The time to live of an item that is written now: it must outlive the end, whenever that comes, by the retention.
 * @param extendedUntilS the `keepUntilS` of the hold, where the writer knows it: an item behind an extension lives as long
 *   as those before it, because the next extension comes only when those need it
 */
export function keepUntilS(
  settings: Keeping,
  { completionRetentionMs }: Pick<Acceptance, "completionRetentionMs">,
  nowMs: number,
  extendedUntilS = 0,
): number {
  return Math.max(openUntilS(settings, nowMs), extendedUntilS) + Math.ceil(completionRetentionMs / 1000);
}

/** An arrival that found no acceptance waits for one that is on its way: a store may be throttled for long, and no put waits for days. */
export function earlyUntilS(nowMs: number): number {
  return Math.ceil(nowMs / 1000) + EARLY_KEPT_S;
}

/** An arrival lives as long as the segment 0 that its writer has read, and a day more: that may be extended meanwhile. */
export function keepBesideS(acceptanceExpiresAtS: number): number {
  return acceptanceExpiresAtS + DAY_S;
}

/** Whether an open invocation is extended: when a day of what its items were written with has gone. */
export function isToBeExtended(settings: Keeping, openUntil: number, nowMs: number): boolean {
  return openUntil - nowMs / 1000 < openKeptS(settings) - DAY_S;
}

/** Until when an invocation that is extended now may stay open before it is extended again. */
export function extendedUntilS(settings: Keeping, nowMs: number): number {
  return Math.ceil(nowMs / 1000) + Math.max(openKeptS(settings), EXTENDED_S);
}
