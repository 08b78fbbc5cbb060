/** Waits for what an invocation needs: for a short time in the driver; for longer, the driver parks the invocation. */
import { advance } from "../../core/invocation/advance.ts";
import type { Step } from "../../core/invocation/transition.ts";
import { HOUR_MS } from "../../core/model/time-units.ts";
import { lookAfterMs } from "../attempt/hold.ts";
import { hasComeToHold } from "../lock/acquire.ts";
import { passOver } from "../lock/leave-queue.ts";
import { takeReserved } from "../lock/lock-with-segment.ts";
import { writeArrival } from "../messaging/deliver.ts";
import { isLarge } from "../admission/journal-room.ts";
import { hasPassedGate, leavePools } from "../limits/pools.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import { reclaim } from "../lease/claim.ts";
import { release } from "../lease/release.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { keepUntilS } from "../store/ttl.ts";
import { type InboxBound, readInbox } from "../store/inbox-reading.ts";
import { SMALL_MAX_BYTES } from "../store/load.ts";
import type { OnBytes } from "../store/read-partition.ts";
import { cancelTimer, EARLY_MS, isFar, sendWake, wakeAt } from "../messaging/wake.ts";
import { wakeAwaited } from "../effects/wake-awaited.ts";
import { knowsEveryArrival, mayReserveKeys } from "../ports/store-ownership.ts";

type Park = Extract<Step, { kind: "park" }>;

/** `held-back`: by admission. `at-gate`: the invocation waits for a place or a start in a pool, whose line has its turn. */
type Hindrance = "held-back" | "at-gate";

/**
 * @param hindrance the reason why the next attempt does not begin, although the invocation could go on
 * @returns `again` if the invocation can advance after all
 */
export async function park(
  engine: Engine,
  active: ActiveInvocation,
  step: Park,
  hindrance?: Hindrance,
): Promise<"again" | "parked" | "lost"> {
  const { inbox } = active;
  await active.ownAcceptance?.settle();
  await takeReserved(engine, active);
  // A loss of the lease ends a wait under way, but not one that begins later. So the loss is checked before the wait.
  if (active.lease.isLost) return "lost";
  if (inbox.isDirty) {
    await readPoked(engine, active);
    return "again";
  }
  // The place goes to the next while this invocation does not run.
  if (hindrance !== "at-gate") await leavePools(engine, active);
  if (mayWaitHere(engine, active, step, hindrance)) {
    await waitHere(engine, active, step, hindrance);
    return active.lease.isLost ? "lost" : "again";
  }
  await active.children.settle();
  // Each awaited call gets a message before the park: a worker then drives the call, or delivers its result again
  // (docs/design.md#calls-are-driven-inline).
  await wakeAwaited(engine, { invocation: active.invocation, arrivals: inbox.arrivals }, active.children.parked);
  for (;;) {
    await writeDownInline(engine, active);
    if (!(await putDownUntil(engine, active, step))) return "lost";
    // Arrivals are read after the park is written. The writer of an arrival that this read misses sends a wake (I4).
    await readArrivals(engine, active);
    const next = advance(active.invocation, active.poll(engine.clock.nowMs()));
    const advances =
      next.segment !== undefined ||
      (next.step.kind === "attempt" && hindrance === undefined) ||
      next.step.kind === "end" ||
      // The driver of a keyed invocation may not have read the lock since its claim, so it goes on and acquires the lock.
      (next.step.kind === "acquire" && step.status !== "pending") ||
      (step.status === "pending" && (await hasCome(engine, active, hindrance)));
    const goesOn = advances && step.status !== "ready";
    if (goesOn && !active.isStopping) return await takeUpAgain(engine, active);
    // If a child has ended while the park was written, its result is only in memory and must be written.
    if (!inbox.hasUnwritten) {
      // From now on children deliver their results through the table, because no driver reads them from memory any more.
      inbox.close();
      if (step.status === "paused") await passOver(engine, active.invocation);
      // This driver is stopping. The wake of the arrival's writer met its lease, and may be lost.
      if (goesOn) await sendWake(engine, active.invocation.acceptance, 0);
      return "parked";
    }
    if ((await takeUpAgain(engine, active)) === "lost") return "lost";
  }
}

/** True if the invocation has come to what it waits for: its key, or a place. */
async function hasCome(engine: Engine, active: ActiveInvocation, hindrance: Hindrance | undefined): Promise<boolean> {
  return hindrance === "at-gate" ? await hasPassedGate(engine, active) : await hasComeToHold(engine, active);
}

/** Claims the invocation again. An ingress driver has no message of its own, so it sends a backstop first (I4). */
async function takeUpAgain(engine: Engine, active: ActiveInvocation): Promise<"again" | "lost"> {
  if (!active.origin.messageDriven) await sendWake(engine, active.invocation.acceptance, engine.settings.leaseMs);
  return (await reclaim(engine, active)) ? "again" : "lost";
}

/** True while children are driven along, and for short delays: the driver then keeps the lease and writes nothing. */
function mayWaitHere(
  engine: Engine,
  active: ActiveInvocation,
  { status, wakeAtMs }: Park,
  hindrance: Hindrance | undefined,
): boolean {
  if (active.isStopping || isLarge(active.invocation.journal)) return false;
  const isShort =
    status === "backing-off" &&
    wakeAtMs !== undefined &&
    wakeAtMs - engine.clock.nowMs() <= engine.settings.waitInDriverMaxMs;
  const mayWait =
    isShort ||
    (status === "suspended" && active.children.size > 0) ||
    (status === "pending" && inLineMs(engine, active, hindrance) > 0);
  return mayWait && active.hasJournalRoom(engine.bulkheads);
}

const CHILDREN_WAIT_MAX_MS = HOUR_MS;

/**
 * A driver waits in memory for its key or a place for this long, so that quick holders hand these over without messages. Lists show
 * the invocation as pending from its park on.
 */
const IN_LINE_MAX_MS = 200;

/**
 * The time for which the driver still waits in memory for its key or a place. The time is 0 unless the process owns its store alone, because
 * only there does the driver of the holder find this driver. It is also 0 for a driver that a message started, because that
 * driver would hold a slot of the worker meanwhile.
 */
function inLineMs(
  { settings, clock }: Engine,
  { origin, lock, places }: ActiveInvocation,
  hindrance: Hindrance | undefined,
): number {
  if (!mayReserveKeys(settings) || origin.messageDriven) return 0;
  const nowMs = clock.nowMs();
  const fromMs = hindrance === "at-gate" ? places.inLineFromMs(nowMs) : lock.inLineFromMs(nowMs);
  const waitedMs = nowMs - fromMs;
  // The wait is over, too, if the clock was set back since it began.
  return waitedMs < 0 ? 0 : IN_LINE_MAX_MS - waitedMs;
}

async function waitHere(
  engine: Engine,
  active: ActiveInvocation,
  { status, wakeAtMs }: Park,
  hindrance: Hindrance | undefined,
): Promise<void> {
  if (status === "pending") {
    const place = hindrance === "at-gate" ? active.places : active.lock;
    place.waitsInLine = true;
    await active.inbox.wait(engine.clock, inLineMs(engine, active, hindrance));
    place.waitsInLine = false;
    return;
  }
  const nowMs = engine.clock.nowMs();
  const ms = wakeAtMs === undefined ? CHILDREN_WAIT_MAX_MS : Math.max(0, wakeAtMs - nowMs);
  await active.inbox.wait(engine.clock, Math.min(ms, looksAfterMs(engine, active, nowMs)));
}

/**
 * The time after which a waiting driver reads the arrivals again, because another process may have written some and its wake meets
 * the lease of this driver. In a sole owner, each writer of an arrival interrupts the wait, so no look is needed.
 */
function looksAfterMs({ settings }: Engine, { attempt }: ActiveInvocation, nowMs: number): number {
  if (knowsEveryArrival(settings)) return Infinity;
  return lookAfterMs(nowMs - attempt.turnSinceMs);
}

/** Reads the arrivals after another party has written an arrival or a sink while the driver was active. */
async function readPoked(engine: Engine, active: ActiveInvocation): Promise<void> {
  active.inbox.clean();
  await readArrivals(engine, active);
}

/** The least time between two reads of arrivals in a process that is not the sole owner. */
const READ_EVERY_MS = 1_000;

/** Reads arrivals between two attempts without a park, so that a cancel or an order does not wait for the next park. */
export async function readMeanwhile(engine: Engine, active: ActiveInvocation): Promise<void> {
  if (active.inbox.isDirty) return await readPoked(engine, active);
  const quietMs = active.inbox.sinceReadMs(engine.clock.nowMs());
  // In a sole owner, each writer of an arrival marks the active invocation as dirty, so no further read is needed.
  if (knowsEveryArrival(engine.settings) || quietMs < READ_EVERY_MS) return;
  await readArrivals(engine, active);
}

/**
 * Reads the arrivals up to a bound. If the inbox is cut, the driver makes the next attempt with the arrivals that were read, and
 * then reads again.
 * @throws NoJournalRoomError if there is no room for large arrivals in time
 */
async function readArrivals(engine: Engine, active: ActiveInvocation): Promise<void> {
  const { invocation, inbox, pk } = active;
  const { journalRoom } = active.origin;
  inbox.noteRead(engine.clock.nowMs());
  const known = inbox.arrivals;
  if (journalRoom === undefined)
    return inbox.addRead(await readInbox(engine, pk, invocation, { ...WITHOUT_ROOM, known }));
  const bound: InboxBound = { maxBytes: engine.bulkheads.journals.capacity / 2, readsOne: true, known };
  // The arrivals may need more room than the journal needed when it was loaded.
  inbox.addRead(await journalRoom.readBeside((onBytes: OnBytes) => readInbox(engine, pk, invocation, bound, onBytes)));
}

/**
 * The bound for a driver without a `journalRoom`. Beyond this bound, the driver leaves the invocation to a worker, which waits
 * for room.
 */
const WITHOUT_ROOM: InboxBound = { maxBytes: SMALL_MAX_BYTES, readsOne: false };

/** Writes the results that are only in memory as arrivals, so that the next driver reads them. */
async function writeDownInline(engine: Engine, active: ActiveInvocation): Promise<void> {
  const { inbox, lease } = active;
  const { acceptance } = active.invocation;
  const keptUntilS = keepUntilS(engine.settings, acceptance, engine.clock.nowMs(), lease.record?.keepUntilS);
  const to = { id: active.id, nonce: acceptance.nonce, keptUntilS };
  await atMost(AT_ONCE, [...inbox.results], async ([key, { completionId, result }]) => {
    if (inbox.arrivals.get(key)?.kind === "notification")
      await writeArrival(engine, to, { key, content: { kind: "notification", id: { completionId }, result } });
    inbox.noteWritten(key);
  });
}

/**
 * Writes the park and sets its wake. A wake that is not near is set before the park: if the driver dies between the two,
 * the wake is needless, but no park lacks a wake. A near wake is sent after the park, because its message could otherwise
 * come before the park. If the driver dies between the two, its backstop finds the park and is sent again for the moment of the
 * wake.
 * @returns false if another process has the lease
 */
async function putDownUntil(engine: Engine, active: ActiveInvocation, { status, wakeAtMs }: Park): Promise<boolean> {
  const { lease } = active;
  const { acceptance } = active.invocation;
  const isNear = wakeAtMs === undefined || wakeAtMs - engine.clock.nowMs() <= EARLY_MS;
  const former = lease.timerAtMs;
  const isSet = wakeAtMs !== undefined && wakeAtMs === former && isFar(engine, wakeAtMs);
  if (!isNear && !isSet) {
    const isTimer = isFar(engine, wakeAtMs);
    await wakeAt(engine, acceptance, wakeAtMs);
    if (isTimer) lease.setTimer(wakeAtMs);
  }
  if (!(await release(engine, active, status, wakeAtMs))) return false;
  if (isNear && wakeAtMs !== undefined) await wakeAt(engine, acceptance, wakeAtMs);
  if (status === "ready") await sendWake(engine, acceptance, 0);
  // The former timer is cancelled only after the park, because from then on the lease record does not rely on it.
  if (former !== undefined && former !== lease.timerAtMs) await cancelTimer(engine, acceptance, former);
  return true;
}
