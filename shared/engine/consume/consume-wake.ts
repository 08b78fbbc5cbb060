/** Processes one wake: loads the invocation, drives it if no process does, and decides when to ack the message (I11). */
import { advance } from "../../core/invocation/advance.ts";
import { killOfReplacementMs, replacedBy, type Replacement, replacementIn } from "../../core/invocation/replacement.ts";
import type { Step, Transition } from "../../core/invocation/transition.ts";
import { admitClaim } from "../admission/admission.ts";
import { isLarge, JournalRoom, NoJournalRoomError } from "../admission/journal-room.ts";
import { stillWaitsAtGate } from "../limits/pools.ts";
import { stillWaits } from "../lock/acquire.ts";
import { passOver } from "../lock/leave-queue.ts";
import { drive } from "../drive/drive.ts";
import type { Engine } from "../engine.ts";
import { finishCompleted } from "../recover/finish-completed.ts";
import { claim } from "../lease/claim.ts";
import { killLoaded } from "../recover/kill.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { arrivalKey } from "../store/item-keys.ts";
import { type Loaded, isLeased, pollOf, unperformed } from "../store/load.ts";
import type { Wake } from "../ports/queue.ts";
import { EARLY_MS, isFar, sendInPlace, wakeAt } from "../messaging/wake.ts";
import { knowsEveryDriver, slowServicesGoTo } from "../ports/store-ownership.ts";

type Park = Extract<Step, { kind: "park" }>;

/** The first delay of a message that is put back. It doubles each time. It is short, because the lease may end early. */
const PUT_BACK_MIN_MS = 500;

/**
 * Resolves when the message may be acked; rejects if the message must come again.
 * @param mayWait called before a wait for journal room; if it returns false, the wait is left out, and the message is sent
 *   again with a delay
 */
export async function consumeWake(engine: Engine, wake: Wake, mayWait?: () => boolean): Promise<void> {
  const room = new JournalRoom(engine.bulkheads, wake.service ?? "", mayWait);
  try {
    await takeWithin(engine, wake, room);
  } catch (error) {
    if (!(error instanceof NoJournalRoomError)) throw error;
    engine.log.write("invocation.held-back", { invocationId: wake.invocationId, reason: error.message });
    await engine.queue.send({ ...wake, delayMs: error.retryAfterMs });
  } finally {
    room.close();
  }
}

async function takeWithin(engine: Engine, wake: Wake, room: JournalRoom): Promise<void> {
  for (let asHeads = true; ;) {
    const driver = largeDriver(engine, wake.invocationId);
    if (driver !== undefined && !(await hasStoredKillOrder(engine, driver)))
      return await putBack(engine, driver, wake, driver.lease.untilMs - engine.clock.nowMs());
    const loaded = await room.load(engine, wake.invocationId, asHeads);
    const nowMs = engine.clock.nowMs();
    if (loaded === undefined) return await sendAgainWhileYoung(engine, wake, nowMs);
    if (loaded.invocation.phase.status === "completed") return await finishCompleted(engine, loaded);
    const replacement = overdueReplacement(loaded, nowMs);
    if (hasKillOrder(loaded) || replacement !== undefined) {
      // Another process may have written the next segment first, perhaps the final one. It may die before it performs the
      // final effects, so the loop looks again (I11).
      if (await killLoaded(engine, loaded, replacement && replacedBy(replacement))) return;
      continue;
    }
    if (isLeased(engine, loaded, nowMs)) return await putBack(engine, loaded, wake, loaded.lease.untilMs - nowMs);
    if (isDrivenHere(engine, loaded)) return await putBack(engine, loaded, wake, engine.settings.leaseMs);
    const next = advance(loaded.invocation, pollOf(loaded, nowMs));
    const parked = stillParked(loaded, next, nowMs);
    if (parked?.status === "paused") await passOver(engine, loaded.invocation);
    if (parked !== undefined) return await wakeAgainIfEarly(engine, loaded, wake, parked.wakeAtMs);
    if (await stillWaitsInLine(engine, loaded, next, nowMs))
      return await wakeAgainIfEarly(engine, loaded, wake, loaded.leaseRecord?.wakeAtMs);
    const { acceptance } = loaded.invocation;
    const asked = admitClaim(engine, wake, loaded.invocation, next);
    const admission = asked instanceof Promise ? await asked : asked;
    if (admission.kind === "leave") return await sendInPlace(engine, wake, acceptance, 0);
    if (admission.kind === "wait") return await sendInPlace(engine, wake, acceptance, admission.untilMs - nowMs);
    // A driver needs the large results that the load has left in the table, so the invocation is loaded again with them.
    if (loaded.leavesResults === true) {
      asHeads = false;
      continue;
    }
    const active = await claim(engine, loaded, {
      messageDriven: true,
      spentAtMs: wake.wakeAtMs,
      mayProbe: admission.isProbe === true,
      journalRoom: room,
      inMainLane: slowServicesGoTo(engine.settings) === "slow-lane",
    });
    if (active === undefined) continue;
    const end = await drive(engine, active, unperformed(loaded));
    if (end !== "lost") return;
  }
}

/**
 * Handles a message whose invocation has no acceptance. The put of the acceptance may still be under way, so the message is
 * sent again until it is too old for that. A timer is set after the acceptance, so the message of a timer is not sent again.
 * A moment of sending in the future counts as now, because otherwise the message would never become old.
 */
async function sendAgainWhileYoung(engine: Engine, wake: Wake, nowMs: number): Promise<void> {
  if (wake.wakeAtMs !== undefined) return;
  const sentAtMs = Math.min(wake.sentAtMs, nowMs);
  const patienceMs = Math.max(2 * wake.delayMs, 2 * engine.settings.leaseMs);
  if (nowMs - sentAtMs >= patienceMs) return;
  // Each delay is longer than the one before: while the store refuses acceptances, each try of a caller leaves such a message.
  const grownMs = Math.min(Math.max(PUT_BACK_MIN_MS, 2 * wake.delayMs), engine.settings.leaseMs);
  await engine.queue.send({ ...wake, sentAtMs, delayMs: Math.max(grownMs, wake.delayMs) });
}

/** The replacement whose grace is over, although an attempt may run. */
function overdueReplacement({ arrivals }: Loaded, nowMs: number): Replacement | undefined {
  const replacement = replacementIn(arrivals.values());
  return replacement !== undefined && nowMs >= killOfReplacementMs(replacement) ? replacement : undefined;
}

function hasKillOrder({ arrivals }: Loaded): boolean {
  for (const { kind } of arrivals.values()) if (kind === "kill") return true;
  return false;
}

/**
 * True if a driver of this process still drives the invocation although its lease is over: the machine slept, and the driver
 * could not renew in time. The driver will renew the lease. Always false if this process is no sole owner, because another
 * process may have claimed the invocation then.
 */
function isDrivenHere({ activeInvocations, settings }: Engine, { invocation, lease }: Loaded): boolean {
  if (!knowsEveryDriver(settings) || lease.untilMs === 0) return false;
  const driver = activeInvocations.find(invocation.acceptance.id);
  if (driver === undefined || driver.lease.isLost || !driver.inbox.isOpen) return false;
  return driver.lease.tokens.includes(lease.token);
}

/**
 * Finds a driver of this process with a large journal or a cut inbox. The caller puts the message of such a driver back without
 * a load, because each load would read much, only to find the lease.
 */
function largeDriver(engine: Engine, id: InvocationId): ActiveInvocation | undefined {
  const driver = engine.activeInvocations.find(id);
  if (driver === undefined || !driver.inbox.isOpen || driver.lease.isLost) return undefined;
  if (driver.lease.untilMs <= engine.clock.nowMs()) return undefined;
  return isLarge(driver.invocation.journal) || driver.inbox.rest !== undefined ? driver : undefined;
}

async function hasStoredKillOrder(engine: Engine, { pk, invocation }: ActiveInvocation): Promise<boolean> {
  return (await engine.table.get(arrivalKey(pk, invocation.acceptance.nonce, "kill"))) !== undefined;
}

/**
 * Puts the message back, at most until the end of the live lease, and for one lease if the clock was set back since the claim. It
 * becomes a backstop of the driver with this lease.
 */
async function putBack(
  engine: Engine,
  { invocation }: Pick<Loaded, "invocation">,
  wake: Wake,
  leaseLeftMs: number,
): Promise<void> {
  engine.activeInvocations.markDirty(wake.invocationId);
  const grownMs = Math.max(PUT_BACK_MIN_MS, 2 * wake.delayMs);
  await sendInPlace(
    engine,
    wake,
    invocation.acceptance,
    Math.min(grownMs, leaseLeftMs + 1, engine.settings.leaseMs + 1),
  );
}

/** True if the invocation waits for its key, no arrival ends it, and the next look at its place in the queue is not due. */
function isLeftInLine({ leaseRecord }: Loaded, { step, segment }: Transition, nowMs: number): boolean {
  if (leaseRecord?.status !== "pending" || leaseRecord.untilMs !== 0 || (leaseRecord.lookAtMs ?? 0) <= nowMs)
    return false;
  return segment === undefined && step.kind === "acquire";
}

/** True if the invocation waits for its key, or for a place or a start in a pool, and has not come to it. */
async function stillWaitsInLine(engine: Engine, loaded: Loaded, next: Transition, nowMs: number): Promise<boolean> {
  if (isLeftAtGate(loaded, next)) return await stillWaitsAtGate(engine, loaded);
  return isLeftInLine(loaded, next, nowMs) && (await stillWaits(engine, loaded));
}

/** True if the invocation waits in the line of a pool, and no arrival ends it. */
function isLeftAtGate({ leaseRecord }: Loaded, { step, segment }: Transition): boolean {
  if (leaseRecord?.waitsAt === undefined || leaseRecord.untilMs !== 0) return false;
  return segment === undefined && (step.kind === "attempt" || step.kind === "acquire");
}

/** @returns the park if nothing that was loaded allows the invocation to advance: a claim would only park it again */
function stillParked(
  { invocation, leaseRecord }: Loaded,
  { step, segment }: Transition,
  nowMs: number,
): Park | undefined {
  if (leaseRecord === undefined || leaseRecord.untilMs !== 0 || leaseRecord.base < invocation.segmentIndex)
    return undefined;
  if (segment !== undefined || step.kind !== "park" || step.status !== leaseRecord.status) return undefined;
  // An arrival may have changed the moment of the next wake. Only a driver that parks again sets this wake.
  if (step.wakeAtMs !== leaseRecord.wakeAtMs) return undefined;
  // A park without a wake relies on the messages of the awaited calls, and these messages may be lost. When a look is due, a
  // driver sends them again.
  const due = leaseRecord.lookAtMs !== undefined && leaseRecord.lookAtMs <= nowMs;
  return step.wakeAtMs === undefined && due ? undefined : step;
}

/**
 * Sends the wake of a park again if its message came early. Timers fire early on purpose, and each step of a ladder comes
 * early (I8, I11). If little time is left, the queue delays the message; else a timer does. If the message comes from the timer
 * that the lease record names (`timerAtMs`), and the moment of this timer is far, the timer is set again. This holds even if the
 * park waits for another moment: a driver that later parks until the moment of the timer relies on the timer, and sets no new
 * one. A message with any other moment is left over from a former park, and no timer is set for it.
 */
async function wakeAgainIfEarly(
  engine: Engine,
  { invocation, leaseRecord }: Loaded,
  wake: Wake,
  wakeAtMs: number | undefined,
): Promise<void> {
  const { acceptance } = invocation;
  const nowMs = engine.clock.nowMs();
  const leftMs = (wakeAtMs ?? Infinity) - nowMs;
  const isCurrent = wake.wakeAtMs !== undefined && wake.wakeAtMs === wakeAtMs;
  if (leftMs <= EARLY_MS || (isCurrent && leftMs <= engine.settings.queueDelayMaxMs))
    return await sendInPlace(engine, wake, acceptance, leftMs);
  const isCountedOn = wake.wakeAtMs !== undefined && wake.wakeAtMs === leaseRecord?.timerAtMs;
  if (isCurrent || (isCountedOn && isFar(engine, wake.wakeAtMs))) await wakeAt(engine, acceptance, wake.wakeAtMs);
}
