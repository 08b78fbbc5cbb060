/** How long items live: longer than the result of their invocation; the sweeper extends open invocations (ADR 0034). */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import { DAY_S, HOUR_MS } from "../../core/model/time-units.ts";
import type { EngineSettings } from "../ports/engine-settings.ts";
import { deletesInOrder } from "../ports/store-ownership.ts";
import type { EffectiveSettings } from "../../core/model/service.ts";
import type { HandlerType } from "../../core/model/target.ts";

/**
 * A shared table deletes expired items even while no sweeper runs, and open invocations must survive two weeks without a
 * sweeper.
 */
const SHARED_KEPT_S = 16 * DAY_S;
/** A process that owns its store deletes no item before its own sweeper has extended the open invocations. */
const OWNED_KEPT_S = 2 * DAY_S;
const EARLY_KEPT_S = 2 * DAY_S;

/** The length of an extension: the same as the retention that arrivals are written with (RETENTION_ASSUMED_MS). */
const EXTENDED_S = 30 * DAY_S;

/**
 * The writer of a result does not read the caller, so it assumes this retention. If the caller's retention is
 * longer, the end of the caller extends its arrivals (`keepArrivals`).
 */
export const RETENTION_ASSUMED_MS = 30 * DAY_S * 1000;

type Keeping = Pick<EngineSettings, "ownership">;

/** How long an invocation may stay open after its items were written, unless the sweeper extends the time to live of the items. */
function openKeptS(settings: Keeping): number {
  return deletesInOrder(settings) ? OWNED_KEPT_S : SHARED_KEPT_S;
}

/**
 * For an invocation whose items are all written now: the moment before which the sweeper must extend the invocation if it is
 * still open.
 */
export function openUntilS(settings: Keeping, nowMs: number): number {
  return Math.ceil(nowMs / 1000) + openKeptS(settings);
}

/** How long before an extension is due its writer already counts on it: clocks differ, and a write takes time. */
const EXTENSION_NEAR_MS = HOUR_MS;

/**
 * The time to live of an item that is written now: the item must outlive the end of the invocation by the retention. An item
 * that is written after an extension must live as long as the extended items, because the next extension comes only when the
 * extended items need it. The sweeper may have made or begun an extension that the writer has not read. So if the extension is
 * due by what the writer has read, the item lives a day longer than an extension that begins now.
 * @param acceptance without `createdAtMs` for a writer that has read neither acceptance nor lease record
 * @param readUntilS the `keepUntilS` of the lease record, if the writer has read it
 */
export function keepUntilS(
  settings: Keeping,
  { completionRetentionMs, createdAtMs }: Pick<Acceptance, "completionRetentionMs"> & Partial<Acceptance>,
  nowMs: number,
  readUntilS?: number,
): number {
  const freshS = openUntilS(settings, nowMs);
  const knownS = readUntilS ?? openUntilS(settings, createdAtMs ?? nowMs);
  const mayBeExtended = isToBeExtended(settings, knownS, nowMs + EXTENSION_NEAR_MS);
  const untilS = mayBeExtended ? extendedUntilS(settings, nowMs) + DAY_S : freshS;
  return Math.max(untilS, knownS) + Math.ceil(completionRetentionMs / 1000);
}

/**
 * An acceptance counts as outlived this long before its expiry. The end of its invocation may expire up to a day earlier than
 * the acceptance (an extension skips items that expire within a day of it), and clocks differ.
 */
const OUTLIVED_BEFORE_S = 1.5 * DAY_S;

/**
 * True if a shared table may have deleted the end of an invocation with this acceptance. A table deletes the expired items of
 * an invocation one by one, in any order and days apart. An open invocation has been extended two weeks before. A sole owner
 * deletes in the order of expiry, so what is left of an invocation is never without the end.
 */
export function mayHaveLostEnd(settings: Keeping, expiresAtS: unknown, nowMs: number): boolean {
  if (deletesInOrder(settings) || typeof expiresAtS !== "number") return false;
  return expiresAtS - OUTLIVED_BEFORE_S <= nowMs / 1000;
}

/** How long an early arrival is kept. A throttled store may delay the put of the acceptance, but not for days. */
export function earlyUntilS(nowMs: number): number {
  return Math.ceil(nowMs / 1000) + EARLY_KEPT_S;
}

/** An arrival lives a day longer than the acceptance that its writer has read, in case an extension is under way. */
export function keepBesideS(acceptanceExpiresAtS: number): number {
  return acceptanceExpiresAtS + DAY_S;
}

/**
 * The stored items let the invocation stay open until `openUntil`. True if items that are written now would let it stay open for
 * more than a day longer.
 */
export function isToBeExtended(settings: Keeping, openUntil: number, nowMs: number): boolean {
  return openUntil - nowMs / 1000 < openKeptS(settings) - DAY_S;
}

/**
 * The moment before which a sole owner may delete what has expired, after a walk that has extended every open invocation in the
 * open index. An open invocation that was not in the index yet was accepted at `notedBeforeMs` or later, so its items expire
 * later than that by the time that open invocations are kept.
 */
export function expirableBeforeMs(settings: Keeping, walkBeganMs: number, notedBeforeMs: number): number {
  return Math.min(walkBeganMs, notedBeforeMs + openKeptS(settings) * 1000);
}

/** The moment until which an invocation that is extended now may stay open without another extension. */
export function extendedUntilS(settings: Keeping, nowMs: number): number {
  return Math.ceil(nowMs / 1000) + Math.max(openKeptS(settings), EXTENDED_S);
}

/**
 * The journal is never kept longer than the result. docs/configuration.md describes the settings of the server
 * (`default-journal-retention`, `default-idempotency-retention`, `default-workflow-completion-retention`).
 * @param attachable true if the invocation has an idempotency key or came through the ingress, so that callers can find it
 */
export function retentionOf(
  { journalRetentionMs, idempotencyRetentionMs, workflowRetentionMs }: EffectiveSettings,
  attachable: boolean,
  handlerType: HandlerType,
): { completionRetentionMs: number; journalRetentionMs: number } {
  const found = attachable ? idempotencyRetentionMs : journalRetentionMs;
  const completionRetentionMs = handlerType === "workflow" ? workflowRetentionMs : found;
  return { completionRetentionMs, journalRetentionMs: Math.min(journalRetentionMs, completionRetentionMs) };
}
