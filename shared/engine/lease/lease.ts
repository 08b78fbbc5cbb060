/** Claims, renews and releases the lease of an invocation, by writes of its lease record (docs/design.md#the-lease). */
import { expiresAtMs, hasJournal, type Invocation, journalExpiresAtMs } from "../../core/invocation/invocation.ts";
import type { ParkedStatus } from "../../core/invocation/transition.ts";
import type { Token } from "../../core/model/ids.ts";
import { DAY_MS } from "../../core/model/time-units.ts";
import type { Engine } from "../engine.ts";
import { type ActiveInvocation, lose, newActiveInvocation } from "../local/active-invocation.ts";
import {
  changeCondition,
  claimCondition,
  type LeaseRecord,
  leaseRecordChange,
  leaseRecordItem,
  type LeaseRecordKey,
  keepCondition,
  readLeaseRecord,
} from "../store/lease-record.ts";
import { checkIntervalMs, listingAgeMinMs } from "../ports/engine-settings.ts";
import { keepUntilS, openUntilS } from "../store/ttl.ts";
import type { Loaded } from "../store/load.ts";
import { cancelTimer } from "../messaging/wake.ts";
import type { Condition, Item } from "../ports/table.ts";

/** Below 1, because the clocks of two processes differ slightly. */
const LISTED_BEFORE_SHARE = 0.8;

/** The time until the next look, as a share of the time that the invocation has waited so far. */
const CHECK_SHARE = 0.25;
const CHECK_MAX_MS = DAY_MS;

export interface ClaimOptions {
  readonly messageDriven: boolean;
  /** The moment in the driver's message: the timer of that moment has fired. */
  readonly spentAtMs?: number | undefined;
}

/**
 * Claims an invocation that no process drives. Where the load found a lease record, the claim updates it and keeps its
 * place in the open index. Where the load found none, a lease record that another process has put since then makes the
 * claim fail.
 * @returns undefined where the claim of another process was faster
 */
export async function claim(
  engine: Engine,
  loaded: Loaded,
  options: ClaimOptions,
): Promise<ActiveInvocation | undefined> {
  const { invocation, pk } = loaded;
  const { messageDriven, spentAtMs } = options;
  const leaseRecord = loaded.leaseRecord && withoutTimer(loaded.leaseRecord, spentAtMs);
  const nowMs = engine.clock.nowMs();
  const lease = { token: engine.activeInvocations.newToken(), untilMs: nowMs + engine.settings.leaseMs };
  const active = newActiveInvocation({
    id: invocation.acceptance.id,
    pk,
    messageDriven,
    depth: 0,
    invocation,
    lease,
    arrivals: new Map(loaded.arrivals),
    ...(leaseRecord && { leaseRecord: leaseRecord }),
  });
  const won =
    leaseRecord === undefined
      ? await writeHold(engine, active, running(active), { kind: "absent" })
      : await changeHold(
          engine,
          active,
          running(active),
          changeCondition(invocation.segmentIndex, [leaseRecord.token]),
        );
  return won ? active : undefined;
}

function withoutTimer(leaseRecord: LeaseRecord, spentAtMs: number | undefined): LeaseRecord {
  const { timerAtMs, ...rest } = leaseRecord;
  return timerAtMs === undefined || timerAtMs !== spentAtMs ? leaseRecord : rest;
}

/**
 * A claim leaves the entry of the open index at its place: a move costs a second index write, and the sweeper looks at
 * every running entry, wherever it is. The sweeper finds an invocation without such an entry in the listing, and notes it
 * in the open index (I8).
 */
function running({ leaseRecord, lease }: ActiveInvocation): Changes {
  const lookAtMs = leaseRecord?.lookAtMs;
  return { status: "running", untilMs: lease.untilMs, ...(lookAtMs !== undefined && { lookAtMs }) };
}

/** Claims again an invocation that this driver has just parked, because an arrival came meanwhile (I4). */
export async function reclaim(engine: Engine, active: ActiveInvocation): Promise<boolean> {
  const parked = active.lease.token;
  active.lease = {
    token: engine.activeInvocations.newToken(),
    untilMs: engine.clock.nowMs() + engine.settings.leaseMs,
  };
  const ours: Condition = { kind: "equal", attribute: "token", value: parked };
  return await changeHold(engine, active, running(active), ours);
}

/**
 * Renews the lease. The first renewal puts the invocation into the open index, because the drive takes longer than one
 * lease. A later renewal updates the lease record and leaves its entry at its place. After a failed write either token may
 * be stored: the driver then accepts both as its own, and counts on the old end of the lease.
 * @returns false where the driver has lost the lease
 */
export async function renew(engine: Engine, active: ActiveInvocation): Promise<boolean> {
  const { lease: before, doubtedToken } = active;
  const untilMs = engine.clock.nowMs() + engine.settings.leaseMs;
  // Where the outcome of a renewal is unknown, the next one uses the same token.
  const lease = { token: doubtedToken === undefined ? engine.activeInvocations.newToken() : before.token, untilMs };
  const mine = [doubtedToken ?? before.token, lease.token];
  active.lease = lease;
  active.doubtedToken = mine[0]!;
  const silentSinceMs = active.exchange?.silent === true ? active.exchange.heardAtMs : undefined;
  const hold = {
    status: "running" as const,
    untilMs,
    lookAtMs: active.leaseRecord?.lookAtMs ?? untilMs,
    ...(silentSinceMs !== undefined && { silentSinceMs }),
  };
  try {
    const { segmentIndex } = active.invocation;
    const kept =
      active.leaseRecord?.lookAtMs === undefined
        ? await writeHold(engine, active, hold, keepCondition(segmentIndex, mine))
        : await changeHold(engine, active, hold, changeCondition(segmentIndex, mine));
    delete active.doubtedToken;
    if (!kept) lose(active);
    return kept;
  } catch (error) {
    if (active.lease === lease) active.lease = { token: lease.token, untilMs: before.untilMs };
    throw error;
  }
}

/**
 * Parks an invocation that cannot advance now, and releases the lease.
 * @param performed the index of the last segment whose effects are performed; by default the last segment
 * @returns false where another process has the lease
 */
export async function release(
  engine: Engine,
  active: ActiveInvocation,
  status: ParkedStatus,
  wakeAtMs: number | undefined,
  performed = active.invocation.segmentIndex,
): Promise<boolean> {
  await active.renewal;
  const mine = active.doubtedToken === undefined ? [active.lease.token] : [active.lease.token, active.doubtedToken];
  const lookAtMs = wakeAtMs ?? engine.clock.nowMs() + untilCheckMs(engine, active, status);
  active.lease = { token: engine.activeInvocations.newToken(), untilMs: 0 };
  const hold = { status, untilMs: 0, lookAtMs, performed, ...(wakeAtMs !== undefined && { wakeAtMs }) };
  return await writeHold(engine, active, hold, keepCondition(active.invocation.segmentIndex, mine));
}

/**
 * Each look costs a claim and a park, so the interval grows with the wait of a suspended or paused invocation. In every
 * other status the next look follows after one interval.
 */
function untilCheckMs({ clock, settings }: Engine, { invocation }: ActiveInvocation, status: ParkedStatus): number {
  const intervalMs = checkIntervalMs(settings);
  if (status !== "suspended" && status !== "paused") return intervalMs;
  return untilNextCheckMs(clock.nowMs() - invocation.modifiedAtMs, intervalMs);
}

/** The time until the next look at an invocation that has waited for `waitedMs`. */
export function untilNextCheckMs(waitedMs: number, intervalMs = checkIntervalMs({})): number {
  return Math.max(intervalMs, Math.min(CHECK_SHARE * waitedMs, CHECK_MAX_MS));
}

/**
 * Takes a completed invocation out of the open index and cancels the timer that its lease record names, without a read.
 * Where the journal expires before the result, the entry stays until the journal expires: the look at that moment drops the
 * journal and removes the entry.
 * @param forGood the journal is dropped, or expires with the result
 * @param mayBeNoted the sweeper may have noted the invocation since the load
 * @param isPerformed false where the final effects may be missing: a later redo performs them (I2)
 */
export async function leaveOpenIndex(
  engine: Engine,
  active: ActiveInvocation,
  { forGood = false, mayBeNoted = false, isPerformed = true } = {},
): Promise<void> {
  // A renewal that is under way would put the entry back into the index after this write.
  if (active.renewal !== undefined) await active.renewal;
  const dropAtMs = forGood ? undefined : journalDropAtMs(active.invocation);
  const wasListed = !isToBeListed(engine, active.invocation);
  // During the drive, the sweeper may have passed the listing's entry and put a note that this driver has not read.
  const mayStand = active.leaseRecord?.lookAtMs !== undefined || (mayBeNoted && wasListed);
  if (!mayStand && (dropAtMs === undefined || !wasListed)) return;
  const timerAtMs = active.timerAtMs ?? active.leaseRecord?.timerAtMs;
  const token = engine.activeInvocations.newToken();
  active.lease = { token, untilMs: 0 };
  const hasLeft = await writeHold(
    engine,
    active,
    {
      status: "completed",
      untilMs: 0,
      ...(isPerformed && { performed: active.invocation.segmentIndex }),
      ...(dropAtMs !== undefined && { lookAtMs: dropAtMs }),
    },
    claimCondition(active.invocation.segmentIndex, active.leaseRecord?.token),
  );
  if (hasLeft && timerAtMs !== undefined) await cancelTimer(engine, active.invocation.acceptance, timerAtMs);
}

/** @returns when the journal expires; undefined where it expires with the result, or is dropped already */
export function journalDropAtMs(invocation: Invocation): number | undefined {
  const [dropAtMs, goneAtMs] = [journalExpiresAtMs(invocation), expiresAtMs(invocation)];
  if (dropAtMs === undefined || goneAtMs === undefined || !hasJournal(invocation, -Infinity)) return undefined;
  return dropAtMs < goneAtMs ? dropAtMs : undefined;
}

/**
 * True before the sweeper reaches the entry of the listing. The sweeper looks at each entry there once, so an invocation
 * that ends earlier needs no entry in the open index.
 */
function isToBeListed({ clock, settings }: Engine, { acceptance }: Invocation): boolean {
  const ageMs = clock.nowMs() - acceptance.createdAtMs;
  return ageMs < LISTED_BEFORE_SHARE * listingAgeMinMs(settings);
}

type Changes = Partial<LeaseRecord> & Pick<LeaseRecord, "status" | "untilMs">;

/**
 * Puts the whole lease record, with its place in the open index.
 * @param changes the fields that do not follow from the invocation
 * @returns false where the condition refused the write
 */
export async function writeHold(engine: Engine, active: ActiveInvocation, changes: Changes, condition: Condition) {
  const leaseRecord = holdOf(engine, active, changes);
  active.units++;
  const put = await engine.table.put(leaseRecordItem(recordKeyOf(engine, active, leaseRecord), leaseRecord), condition);
  const isOurs = put.written || hasToken(put.existing, leaseRecord);
  if (isOurs) active.leaseRecord = leaseRecord;
  return isOurs;
}

/** Updates the stored lease record, but neither its place in the open index nor the sweeper's extension (ADR 0022). */
async function changeHold(engine: Engine, active: ActiveInvocation, changes: Changes, condition: Condition) {
  const leaseRecord = holdOf(engine, active, changes);
  const key = recordKeyOf(engine, active, leaseRecord);
  active.units++;
  const { pk, sk } = leaseRecordItem(key, leaseRecord);
  const outcome = await engine.table.update({ pk, sk }, leaseRecordChange(key, leaseRecord), condition);
  const stands = outcome.written ? outcome.item : outcome.existing;
  const isOurs = outcome.written || hasToken(stands, leaseRecord);
  if (isOurs && stands !== undefined) active.leaseRecord = readLeaseRecord(stands);
  return isOurs;
}

/**
 * A repeated write is refused where the first one took effect and only its answer was lost. The stored token shows that the
 * first write is this driver's own.
 */
function hasToken(existing: Item | undefined, { token }: LeaseRecord): boolean {
  return existing?.["token"] === token;
}

function holdOf(
  engine: Engine,
  { invocation, lease, ticket: drawn, timerAtMs: set, leaseRecord: before }: ActiveInvocation,
  changes: Changes,
): LeaseRecord {
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

function recordKeyOf(
  engine: Engine,
  { id, invocation: { acceptance } }: ActiveInvocation,
  { keepUntilS: extendedUntilS }: LeaseRecord,
): LeaseRecordKey {
  const { nonce, target, createdAtMs } = acceptance;
  const expiresAtS = keepUntilS(engine.settings, acceptance, engine.clock.nowMs(), extendedUntilS);
  return { scheme: engine.settings, id, nonce, target, createdAtMs, expiresAtS };
}

/** The lease with which a driver writes a segment: the same token, for one more term. */
export function nextLease(engine: Engine, token: Token): { token: Token; untilMs: number } {
  return { token, untilMs: engine.clock.nowMs() + engine.settings.leaseMs };
}
