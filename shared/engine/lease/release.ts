/** Gives up the lease of a driver: by a park, or for an invocation that has ended (docs/design.md#the-lease). */
import type { ParkedStatus } from "../../core/invocation/transition.ts";
import { DAY_MS } from "../../core/model/time-units.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { claimCondition, keepCondition } from "../store/lease-record.ts";
import { writeRecord } from "./write-record.ts";
import { type Invocation, expiresAtMs, hasJournal, journalExpiresAtMs } from "../../core/invocation/invocation.ts";
import type { LeaseHandle } from "../local/lease-handle.ts";
import { cancelTimer } from "../messaging/wake.ts";

/** The time until the next look, as a share of the time that the invocation has waited so far. */
const CHECK_SHARE = 0.25;
const CHECK_MAX_MS = DAY_MS;

/**
 * Parks an invocation that cannot advance now, and releases the lease.
 * @param performed the index of the last segment whose effects are performed; by default the last segment
 * @returns false if another process has the lease
 */
export async function release(
  engine: Engine,
  active: ActiveInvocation,
  status: ParkedStatus,
  wakeAtMs: number | undefined,
  performed = active.invocation.segmentIndex,
): Promise<boolean> {
  const { lease, invocation } = active;
  await lease.renewal;
  const mine = lease.tokens;
  const checkAtMs = engine.clock.nowMs() + untilCheckMs(engine, active, status);
  // An invocation in the queue of a key waits for its deadline, too, but mostly for its key.
  const lookAtMs = status === "pending" ? Math.min(wakeAtMs ?? Infinity, checkAtMs) : (wakeAtMs ?? checkAtMs);
  lease.giveUp(engine.activeInvocations.newToken());
  const changes = { status, untilMs: 0, lookAtMs, performed, ...(wakeAtMs !== undefined && { wakeAtMs }) };
  active.countWrite();
  return await writeRecord(engine, invocation, lease, changes, keepCondition(invocation.segmentIndex, mine));
}

/**
 * Each look costs a claim and a park, so the interval grows with the wait of a suspended or paused invocation. In every
 * other status the next look follows after one interval.
 */
function untilCheckMs({ clock, settings }: Engine, { invocation }: ActiveInvocation, status: ParkedStatus): number {
  const intervalMs = settings.checkIntervalMs;
  if (status !== "suspended" && status !== "paused") return intervalMs;
  return untilNextCheckMs(clock.nowMs() - invocation.modifiedAtMs, intervalMs);
}

/** The time until the next look at an invocation that has waited for `waitedMs`. */
export function untilNextCheckMs(waitedMs: number, intervalMs: number): number {
  return Math.max(intervalMs, Math.min(CHECK_SHARE * waitedMs, CHECK_MAX_MS));
}

/**
 * The sweeper looks at an invocation in the listing only from a minimum age on (`listingAgeMinMs`). Up to this share of that age,
 * it cannot have reached the invocation. The share is below 1, because the clocks of two processes differ slightly.
 */
const LISTED_BEFORE_SHARE = 0.8;

/**
 * Takes a completed invocation out of the open index and cancels the timer that its lease record names, without a read.
 * If the journal expires before the result, the entry stays until the journal expires: the look at that moment drops the
 * journal and removes the entry.
 * @param forGood true if the journal is dropped, or expires with the result
 * @param mayBeNoted true if the sweeper may have noted the invocation since the load
 * @param isPerformed false if the final effects may be missing: a later redo performs them (I2)
 */
export async function leaveOpenIndex(
  engine: Engine,
  invocation: Invocation,
  lease: LeaseHandle,
  { forGood = false, mayBeNoted = false, isPerformed = true } = {},
): Promise<void> {
  // A renewal that is under way would put the entry back into the index after this write.
  if (lease.renewal !== undefined) await lease.renewal;
  const dropAtMs = forGood ? undefined : journalDropAtMs(invocation);
  const wasListed = !isToBeListed(engine, invocation);
  // During the drive, the sweeper may have passed the listing's entry and put a note that this driver has not read.
  const mayStand = lease.record?.lookAtMs !== undefined || (mayBeNoted && wasListed);
  if (!mayStand && (dropAtMs === undefined || !wasListed)) return;
  const condition = claimCondition(invocation.segmentIndex, lease.record?.token);
  lease.giveUp(engine.activeInvocations.newToken());
  const hasLeft = await writeRecord(
    engine,
    invocation,
    lease,
    {
      status: "completed",
      untilMs: 0,
      ...(isPerformed && { performed: invocation.segmentIndex }),
      ...(dropAtMs !== undefined && { lookAtMs: dropAtMs }),
    },
    condition,
  );
  if (hasLeft && lease.timerAtMs !== undefined) await cancelTimer(engine, invocation.acceptance, lease.timerAtMs);
}

/** @returns when the journal expires; undefined if it expires with the result, or is dropped already */
export function journalDropAtMs(invocation: Invocation): number | undefined {
  const [dropAtMs, goneAtMs] = [journalExpiresAtMs(invocation), expiresAtMs(invocation)];
  if (dropAtMs === undefined || goneAtMs === undefined || !hasJournal(invocation, -Infinity)) return undefined;
  return dropAtMs < goneAtMs ? dropAtMs : undefined;
}

/**
 * True if the sweeper's one look at the entry of the listing is still to come. That look will drop the journal, or note when
 * to drop it, so an invocation that ends before the look needs no entry in the open index.
 */
function isToBeListed({ clock, settings }: Engine, { acceptance }: Invocation): boolean {
  const ageMs = clock.nowMs() - acceptance.createdAtMs;
  return ageMs < LISTED_BEFORE_SHARE * settings.listingAgeMinMs;
}
