/** Taking, keeping and letting go of the hold: the driver's lease on an invocation (design §2). */
import { expiresAtMs, hasJournal, type Invocation, journalExpiresAtMs } from "../../core/invocation/invocation.ts";
import type { ParkedStatus } from "../../core/invocation/transition.ts";
import type { Token } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { type Held, lose, newHeld } from "./held.ts";
import {
  changeCondition,
  claimCondition,
  type Hold,
  holdChange,
  holdItem,
  type HoldPlace,
  keepCondition,
  readHold,
} from "../ledger/hold-record.ts";
import { checkIntervalMs, listingAgeMinMs } from "../engine-settings.ts";
import { keepUntilS, openUntilS } from "../ledger/keep.ts";
import type { Loaded } from "../ledger/load.ts";
import { cancelTimer } from "./wake.ts";
import type { Condition, Item } from "../ports/table.ts";

/** Processes differ a little in what time it is. */
const LISTED_BEFORE_SHARE = 0.8;

/** One that has stood still for long, once in so much of that time more. */
const CHECK_SHARE = 0.25;
const CHECK_MAX_MS = 86_400_000;

export interface Grasp {
  readonly messageDriven: boolean;
  /** The moment that the driver's message stands for: with the message, the timer of that moment is used up. */
  readonly spentAtMs?: number | undefined;
}

/**
 * Takes over an invocation that no process drives. Where a hold was read, the claim changes that hold and leaves its
 * place in the open index as it stands; where none was read, a note of the sweeper that came meanwhile refuses the claim.
 * @returns undefined where another process was faster
 */
export async function claim(engine: Engine, loaded: Loaded, grasp: Grasp): Promise<Held | undefined> {
  const { invocation, pk } = loaded;
  const { messageDriven, spentAtMs } = grasp;
  const hold = loaded.hold && withoutTimer(loaded.hold, spentAtMs);
  const nowMs = engine.clock.nowMs();
  const lease = { token: engine.drives.newToken(), untilMs: nowMs + engine.settings.leaseMs };
  const held = newHeld({
    id: invocation.acceptance.id,
    pk,
    messageDriven,
    depth: 0,
    invocation,
    lease,
    arrivals: new Map(loaded.arrivals),
    ...(hold && { hold }),
  });
  const won =
    hold === undefined
      ? await writeHold(engine, held, running(held), { kind: "absent" })
      : await changeHold(engine, held, running(held), changeCondition(invocation.segmentIndex, [hold.token]));
  return won ? held : undefined;
}

function withoutTimer(hold: Hold, spentAtMs: number | undefined): Hold {
  const { timerAtMs, ...rest } = hold;
  return timerAtMs === undefined || timerAtMs !== spentAtMs ? hold : rest;
}

/**
 * Once in the open index it stays there, and in its place: moving costs a second index write, and the sweeper looks at
 * all that are running, so that it finds a dead driver wherever the entry stands. One that never stood there is found in the
 * listing, and stands there from then on (I8).
 */
function running({ hold, lease }: Held): Changes {
  const lookAtMs = hold?.lookAtMs;
  return { status: "running", untilMs: lease.untilMs, ...(lookAtMs !== undefined && { lookAtMs }) };
}

/** Takes back what this driver itself has parked, because something arrived meanwhile (I4). */
export async function reclaim(engine: Engine, held: Held): Promise<boolean> {
  const parked = held.lease.token;
  held.lease = { token: engine.drives.newToken(), untilMs: engine.clock.nowMs() + engine.settings.leaseMs };
  const ours: Condition = { kind: "equal", attribute: "token", value: parked };
  return await changeHold(engine, held, running(held), ours);
}

/**
 * Extends the lease. From then on the invocation is in the open index: it takes longer than a lease. A renewal moves no
 * entry that its driver knows of, and puts the hold only where the driver knows of none. Where the store
 * fails, nobody knows which of two tokens stands, so either counts as ours, and the old end of the lease holds.
 */
export async function renew(engine: Engine, held: Held): Promise<boolean> {
  const { lease: before, doubtedToken } = held;
  const untilMs = engine.clock.nowMs() + engine.settings.leaseMs;
  // A renewal whose outcome is not known is tried again with its own token.
  const lease = { token: doubtedToken === undefined ? engine.drives.newToken() : before.token, untilMs };
  const mine = [doubtedToken ?? before.token, lease.token];
  held.lease = lease;
  held.doubtedToken = mine[0]!;
  const silentSinceMs = held.exchange?.silent === true ? held.exchange.heardAtMs : undefined;
  const hold = {
    status: "running" as const,
    untilMs,
    lookAtMs: held.hold?.lookAtMs ?? untilMs,
    ...(silentSinceMs !== undefined && { silentSinceMs }),
  };
  try {
    const { segmentIndex } = held.invocation;
    const kept =
      held.hold?.lookAtMs === undefined
        ? await writeHold(engine, held, hold, keepCondition(segmentIndex, mine))
        : await changeHold(engine, held, hold, changeCondition(segmentIndex, mine));
    delete held.doubtedToken;
    if (!kept) lose(held);
    return kept;
  } catch (error) {
    if (held.lease === lease) held.lease = { token: lease.token, untilMs: before.untilMs };
    throw error;
  }
}

/**
 * Lets go of an invocation that cannot advance now.
 * @param performed the last segment whose effects are performed: the last of all, unless told
 * @returns false where somebody else holds it
 */
export async function putDown(
  engine: Engine,
  held: Held,
  status: ParkedStatus,
  wakeAtMs: number | undefined,
  performed = held.invocation.segmentIndex,
): Promise<boolean> {
  await held.renewal;
  const mine = held.doubtedToken === undefined ? [held.lease.token] : [held.lease.token, held.doubtedToken];
  const lookAtMs = wakeAtMs ?? engine.clock.nowMs() + untilCheckMs(engine, held, status);
  held.lease = { token: engine.drives.newToken(), untilMs: 0 };
  const hold = { status, untilMs: 0, lookAtMs, performed, ...(wakeAtMs !== undefined && { wakeAtMs }) };
  return await writeHold(engine, held, hold, keepCondition(held.invocation.segmentIndex, mine));
}

/**
 * Each look costs a claim and a park: who has waited long for a word from outside is looked at seldom. Whoever waits in line
 * for a key, or was put down to be taken up by another, is to go on soon.
 */
function untilCheckMs({ clock, settings }: Engine, { invocation }: Held, status: ParkedStatus): number {
  const intervalMs = checkIntervalMs(settings);
  if (status !== "suspended" && status !== "paused") return intervalMs;
  return untilNextCheckMs(clock.nowMs() - invocation.modifiedAtMs, intervalMs);
}

/** Of one that has stood still for `waitedMs`. */
export function untilNextCheckMs(waitedMs: number, intervalMs = checkIntervalMs({})): number {
  return Math.max(intervalMs, Math.min(CHECK_SHARE * waitedMs, CHECK_MAX_MS));
}

/**
 * Takes a completed invocation out of the open index, where it ever stood there, and cancels its timer, where its hold
 * tells of one: that takes no read. One whose journal is to go before its
 * result is looked at again then, and whoever does so leaves for good.
 * @param isPerformed false where nobody knows whether its final effects are: whoever comes to it performs them (I2)
 */
export async function leaveOpenIndex(
  engine: Engine,
  held: Held,
  { forGood = false, mayBeNoted = false, isPerformed = true } = {},
): Promise<void> {
  // A renewal on its way would put it into the index behind this look.
  if (held.renewal !== undefined) await held.renewal;
  const dropAtMs = forGood ? undefined : journalDropAtMs(held.invocation);
  const wasListed = !isToBeListed(engine, held.invocation);
  // The sweeper has come to it in the listing while it was driven, and may have noted it without a word to its driver.
  const mayStand = held.hold?.lookAtMs !== undefined || (mayBeNoted && wasListed);
  if (!mayStand && (dropAtMs === undefined || !wasListed)) return;
  const timerAtMs = held.timerAtMs ?? held.hold?.timerAtMs;
  const token = engine.drives.newToken();
  held.lease = { token, untilMs: 0 };
  const hasLeft = await writeHold(
    engine,
    held,
    {
      status: "completed",
      untilMs: 0,
      ...(isPerformed && { performed: held.invocation.segmentIndex }),
      ...(dropAtMs !== undefined && { lookAtMs: dropAtMs }),
    },
    claimCondition(held.invocation.segmentIndex, held.hold?.token),
  );
  if (hasLeft && timerAtMs !== undefined) await cancelTimer(engine, held.invocation.acceptance, timerAtMs);
}

/** When the journal goes; undefined where it goes together with the result. */
export function journalDropAtMs(invocation: Invocation): number | undefined {
  const [dropAtMs, goneAtMs] = [journalExpiresAtMs(invocation), expiresAtMs(invocation)];
  if (dropAtMs === undefined || goneAtMs === undefined || !hasJournal(invocation, -Infinity)) return undefined;
  return dropAtMs < goneAtMs ? dropAtMs : undefined;
}

/** The sweeper looks once at all that was accepted, so that what ends before that costs no write to be found. */
function isToBeListed({ clock, settings }: Engine, { acceptance }: Invocation): boolean {
  const ageMs = clock.nowMs() - acceptance.createdAtMs;
  return ageMs < LISTED_BEFORE_SHARE * listingAgeMinMs(settings);
}

type Changes = Partial<Hold> & Pick<Hold, "status" | "untilMs">;

/**
 * Puts the whole hold, its place in the open index included.
 * @param changes what differs from a bare hold at the last segment; attempts, retries and failure follow the invocation
 */
export async function writeHold(engine: Engine, held: Held, changes: Changes, condition: Condition) {
  const hold = holdOf(engine, held, changes);
  held.units++;
  const put = await engine.table.put(holdItem(placeOf(engine, held, hold), hold), condition);
  const isOurs = put.written || hasToken(put.standing, hold);
  if (isOurs) held.hold = hold;
  return isOurs;
}

/** Changes the hold that stands, and leaves its place in the open index and what the sweeper has extended (ADR 0022). */
async function changeHold(engine: Engine, held: Held, changes: Changes, condition: Condition) {
  const hold = holdOf(engine, held, changes);
  const place = placeOf(engine, held, hold);
  held.units++;
  const { pk, sk } = holdItem(place, hold);
  const outcome = await engine.table.update({ pk, sk }, holdChange(place, hold), condition);
  const stands = outcome.written ? outcome.item : outcome.standing;
  const isOurs = outcome.written || hasToken(stands, hold);
  if (isOurs && stands !== undefined) held.hold = readHold(stands);
  return isOurs;
}

/** A write whose answer was lost and that was sent again is refused by itself: each write has a token of its own. */
function hasToken(standing: Item | undefined, { token }: Hold): boolean {
  return standing?.["token"] === token;
}

function holdOf(
  engine: Engine,
  { invocation, lease, ticket: drawn, timerAtMs: set, hold: before }: Held,
  changes: Changes,
): Hold {
  const ticket = drawn ?? before?.ticket;
  const timerAtMs = changes.status === "completed" ? undefined : (set ?? before?.timerAtMs);
  const { acceptance, pin, lastFailure } = invocation;
  return {
    base: invocation.segmentIndex,
    token: lease.token,
    attempts: invocation.attempts,
    retries: invocation.retries,
    keepUntilS: Math.max(before?.keepUntilS ?? 0, openUntilS(engine.settings, acceptance.createdAtMs)),
    ...(before?.performed !== undefined && { performed: before.performed }),
    ...(timerAtMs !== undefined && { timerAtMs }),
    ...(ticket !== undefined && { ticket }),
    ...(pin && { deploymentId: pin.deploymentId }),
    ...(lastFailure && { lastFailure }),
    ...changes,
  };
}

function placeOf(
  engine: Engine,
  { id, invocation: { acceptance } }: Held,
  { keepUntilS: extendedUntilS }: Hold,
): HoldPlace {
  const { nonce, target, createdAtMs } = acceptance;
  const expiresAtS = keepUntilS(engine.settings, acceptance, engine.clock.nowMs(), extendedUntilS);
  return { scheme: engine.settings, id, nonce, target, createdAtMs, expiresAtS };
}

/** The lease with which a segment is written: the same driver, for one more term. */
export function nextLease(engine: Engine, token: Token): { token: Token; untilMs: number } {
  return { token, untilMs: engine.clock.nowMs() + engine.settings.leaseMs };
}
