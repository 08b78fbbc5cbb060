/** The drive loop. It polls, attempts, commits and performs until the invocation ends, is parked, or the lease is lost. */
import { needsLock } from "../../core/invocation/acceptance.ts";
import { advance } from "../../core/invocation/advance.ts";
import { parkUntil } from "../../core/invocation/deadlines.ts";
import type { AttemptEnded } from "../../core/invocation/event.ts";
import type { Segment } from "../../core/invocation/segment.ts";
import type { Step, Transition } from "../../core/invocation/transition.ts";
import { admitAttempt } from "../admission/admission.ts";
import { noteOutcome, noteProgress } from "../admission/circuit.ts";
import { isLarge } from "../admission/journal-room.ts";
import { acquire } from "../lock/acquire.ts";
import { attempt } from "../attempt/attempt.ts";
import type { Growth } from "../attempt/hold.ts";
import { leaveSlot } from "../effects/child.ts";
import { enterPools, leavePools } from "../limits/pools.ts";
import { commit } from "./commit.ts";
import type { Engine } from "../engine.ts";
import { keepArrivals } from "../lease/extend.ts";
import { noteFailure } from "./failure-events.ts";
import { leaveOpenIndex } from "../lease/release.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { park, readMeanwhile } from "./park.ts";
import { perform } from "../effects/perform.ts";
import { wakeUnanswered } from "../effects/wake-awaited.ts";
import { beginAttempt, traceAttempt } from "../traces.ts";
import { logMismatch, reportFailure } from "./report.ts";
import { eraseUnstarted } from "../lease/erase-unstarted.ts";
import { replaceFormer } from "../messaging/replace.ts";
import { sendWake } from "../messaging/wake.ts";
import { watch } from "../lease/watch.ts";
import { slowFromMs } from "../ports/store-ownership.ts";

/** `lost`: another driver has the invocation. The work of this driver since its last segment has no effect. */
export type DriveEnd = "ended" | "parked" | "lost";

type Turn = DriveEnd | "again";

/** @param redo the last segment, if it was read from the table: its effects may not have been performed (I2) */
export async function drive(
  engine: Engine,
  active: ActiveInvocation,
  redo?: { before: ActiveInvocation["invocation"]; segment: Segment },
): Promise<DriveEnd> {
  engine.activeInvocations.add(active);
  void watch(engine);
  try {
    if (redo !== undefined) await performEffects(engine, active, redo.before, redo.segment, true);
    const { acceptance, segmentIndex } = active.invocation;
    // Its acceptor may have died before it told the former invocation of the singleton key.
    if (acceptance.replaces !== undefined && segmentIndex === 0) await replaceFormer(engine, acceptance);
    for (;;) {
      const turn = await takeTurn(engine, active);
      if (turn === "again") continue;
      await leaveChildren(engine, active);
      // Another driver may have ended the invocation before this driver took the lock, or before the lock was handed to
      // the ticket of the invocation. The lock then names an ended invocation. The worker that gets this wake gives the lock
      // back (I6).
      if (turn === "lost" && active.lock.mayBeHeld && !active.origin.messageDriven)
        await sendWake(engine, active.invocation.acceptance, 0);
      return turn;
    }
  } catch (error) {
    await leaveChildren(engine, active);
    throw error;
  } finally {
    active.inbox.close();
    active.lock.leave();
    active.leaveJournalRoom();
    engine.activeInvocations.remove(active);
  }
}

async function takeTurn(engine: Engine, active: ActiveInvocation): Promise<Turn> {
  if (active.lease.isLost) return "lost";
  const unsettled = active.children.settleLeft();
  if (unsettled !== undefined) await unsettled;
  await readMeanwhile(engine, active);
  const transition = advance(active.invocation, active.poll(engine.clock.nowMs()));
  const { step } = transition;
  if (step.kind !== "attempt") return await follow(engine, active, transition);
  const asked = admitAttempt(engine, active);
  const admission = asked instanceof Promise ? await asked : asked;
  if (admission.kind === "leave") return await park(engine, active, { kind: "park", status: "ready" });
  if (admission.kind === "wait") return await holdBack(engine, active, admission.untilMs);
  const entered = enterPools(engine, active);
  if ((entered instanceof Promise ? await entered : entered) === "waits") return await waitAtGate(engine, active);
  active.advanceTo(transition.next);
  if (engine.tracer !== undefined) beginAttempt(engine, active);
  try {
    return await makeAttempt(engine, active, step);
  } finally {
    active.attempt.leaveRoom();
    const resting = engine.activeInvocations.suspects?.atRest(active.id);
    if (resting !== undefined) await resting;
  }
}

/** Parks an invocation whose next attempt admission holds back. */
async function holdBack(engine: Engine, active: ActiveInvocation, untilMs: number): Promise<Turn> {
  const { invocation } = active;
  const { phase, attempts, acceptance } = invocation;
  // A driver that died may have begun an attempt. The park must not show the invocation as one that waits for its first attempt.
  if (phase.status === "running" && attempts === 0 && acceptance.startByMs !== undefined)
    active.advanceTo({ ...invocation, attempts: 1 });
  return await park(
    engine,
    active,
    parkUntil(active.invocation, engine.clock.nowMs(), "backing-off", untilMs),
    "held-back",
  );
}

async function makeAttempt(
  engine: Engine,
  active: ActiveInvocation,
  step: Extract<Step, { kind: "attempt" }>,
): Promise<Turn> {
  const ended = await attempt(engine, active, step, growthOf(engine, active));
  const noting = noteOutcome(engine, active, ended);
  if (noting !== undefined) await noting.catch((error: unknown) => warnOfCircuit(engine, active, error));
  if (active.attempt.span !== undefined) traceAttempt(engine, active, ended);
  if (ended.ending.kind === "cut") await learnSlow(engine, active, ended);
  if (active.lease.isLost) return "lost";
  const decided = decide(engine, active, ended);
  const mismatch = ended.ending.kind === "failed" ? ended.ending.failure.mismatch : undefined;
  if (mismatch !== undefined) await logMismatch(engine, active.invocation, decided.next, mismatch);
  const turn = await follow(engine, active, decided);
  if (turn !== "lost" && isPause(decided)) engine.meter.count("invocations_paused_total");
  return turn;
}

/**
 * The driver's work for an exchange that stays open: it commits and performs as after an attempt, and reads arrivals as before
 * one.
 */
function growthOf(engine: Engine, active: ActiveInvocation): Growth {
  return {
    async add(grew) {
      if (active.lease.isLost) return false;
      const lock = active.lock.known;
      const before = active.invocation;
      const { segment, ...decided } = advance(before, lock === undefined ? grew : { ...grew, grant: lock.grant });
      if (segment === undefined) throw new Error(`A running attempt of ${active.id} could not grow`);
      if (!(await commit(engine, active, { ...decided, segment }))) return false;
      const noting = noteProgress(engine, active, grew);
      if (noting !== undefined) await noting.catch((error: unknown) => warnOfCircuit(engine, active, error));
      await performEffects(engine, active, before, segment);
      return !active.lease.isLost;
    },
    async look() {
      const unsettled = active.children.settleLeft();
      if (unsettled !== undefined) await unsettled;
      await readMeanwhile(engine, active);
    },
    wake: () => wakeUnanswered(engine, active),
    size: () =>
      !active.hasJournalRoom(engine.bulkheads) ? "outgrown" : isLarge(active.invocation.journal) ? "large" : "small",
  };
}

/** Logs a failed change of a circuit. The invocation goes on, because a circuit only prevents useless attempts. */
function warnOfCircuit(engine: Engine, active: ActiveInvocation, error: unknown): void {
  engine.log.write("circuit.change-failed", { invocationId: active.id, error: String(error) });
}

/** True if the failure of the attempt pauses the invocation. A pause that an operator orders is decided by a poll instead. */
function isPause({ step }: Transition): boolean {
  return step.kind === "park" && step.status === "paused";
}

/**
 * Writes a slow note if the attempt was cut for time. Without the note, every later driver that has as little time would cut its
 * attempt, too (docs/design.md#a-driver-stops-in-time).
 */
async function learnSlow(engine: Engine, active: ActiveInvocation, { attempt: span }: AttemptEnded): Promise<void> {
  if (active.lease.isLost || engine.activeInvocations.stopReason !== "time") return;
  const stepMs = span.endedAtMs - active.attempt.turnSinceMs;
  if (stepMs < slowFromMs(engine.settings)) return;
  const { service, handler } = active.invocation.acceptance.target;
  engine.log.write("handler.found-slow", { service, handler, attemptMs: stepMs });
  await engine.registry.noteSlow(service, handler);
}

function decide(engine: Engine, active: ActiveInvocation, ended: AttemptEnded): Transition {
  const lock = active.lock.known;
  const decided = advance(active.invocation, lock === undefined ? ended : { ...ended, grant: lock.grant });
  const { attempt: span, ending } = ended;
  if (ending.kind === "failed")
    reportFailure(engine, active, { attempt: span.number, failure: ending.failure }, decided.step);
  return decided;
}

/** Takes the lock of the key. If another invocation holds the lock, parks the invocation in the queue of the key (I6). */
async function takeLock(engine: Engine, active: ActiveInvocation): Promise<Turn> {
  const acquired = await acquire(engine, active);
  if (acquired === "waits") {
    // No attempt runs without the lock, so none has run, even if an earlier driver claimed the invocation. In this phase
    // a cancel ends the invocation (I4).
    active.advanceTo({ ...active.invocation, phase: { status: "pending" } });
    return await park(engine, active, parkUntil(active.invocation, engine.clock.nowMs(), "pending"));
  }
  return acquired === "held" ? "again" : "lost";
}

/** A cancel ends an invocation that waits for its first attempt (I4). A driver that died may have begun that attempt. */
async function waitAtGate(engine: Engine, active: ActiveInvocation): Promise<Turn> {
  const { invocation } = active;
  const mayHaveBegun = invocation.phase.status === "running" && invocation.attempts === 0;
  active.advanceTo({ ...invocation, phase: { status: "pending" }, ...(mayHaveBegun && { attempts: 1 }) });
  return await park(engine, active, parkUntil(active.invocation, engine.clock.nowMs(), "pending"), "at-gate");
}

/** Writes the segment, then performs its effects, then takes the step (I2). */
async function follow(engine: Engine, active: ActiveInvocation, transition: Transition): Promise<Turn> {
  const { segment, failure, next, step } = transition;
  if (segment !== undefined) {
    const before = active.invocation;
    if (!(await commit(engine, active, { ...transition, segment }))) return "lost";
    // Callers that wait for a keyed handler are notified after its state is written, and effects write the state.
    const notifiesLate = needsLock(before.acceptance);
    if (step.kind === "end" && !notifiesLate) engine.activeInvocations.notify(active.id);
    await performEffects(engine, active, before, segment);
    if (step.kind === "end" && notifiesLate) engine.activeInvocations.notify(active.id);
  } else {
    active.advanceTo(next);
    if (failure !== undefined) await noteFailure(engine, active, failure);
  }
  active.attempt.leaveRoom();
  switch (step.kind) {
    case "end":
      // After the end, the backstop is recalled and nothing redoes the last segment, so the acceptances of its calls must be
      // durable before the end.
      await leavePools(engine, active);
      await active.children.settle();
      await keepArrivals(engine, active.invocation);
      await eraseUnstarted(engine, active.invocation);
      await leaveOpenIndex(engine, active.invocation, active.lease, { mayBeNoted: true });
      return "ended";
    case "park":
      return await park(engine, active, step);
    case "ignore":
      return await park(engine, active, { kind: "park", status: "ready" });
    case "acquire":
      return await takeLock(engine, active);
    case "attempt":
    case "poll":
    case "read-on":
      return "again";
  }
}

async function performEffects(
  engine: Engine,
  active: ActiveInvocation,
  before: ActiveInvocation["invocation"],
  segment: Segment,
  isRedo = false,
): Promise<void> {
  for (const child of await perform(engine, active, before, segment, { isRedo, driver: active }))
    driveChild(engine, active, child);
  active.notePerformed(segment);
}

/** The driver of the caller also drives the child. If that fails, the child is left to the queue. */
function driveChild(engine: Engine, active: ActiveInvocation, child: ActiveInvocation): void {
  const { completionId } = child.origin.caller!;
  active.children.begin(completionId, child);
  void leaveToQueueOnFailure(engine, child).then((end) => {
    leaveSlot(engine, child);
    active.children.end(completionId);
    if (end === "parked") active.children.notePark(completionId);
    // The place that the call waits for may be that of this caller, who gives it back when it suspends.
    if (end === "parked" && child.lease.waitsAt !== undefined && !active.places.isEmpty) active.attempt.halfClose();
    active.inbox.interrupt();
  });
}

/** When the driver leaves, sends a backstop for each child that it still drives along. Until then a child has no message. */
async function leaveChildren(engine: Engine, { children }: ActiveInvocation): Promise<void> {
  const { leaseMs } = engine.settings;
  // A call whose acceptance fails has no driver any more. The redo of the caller's last segment accepts it.
  await children.settle()?.catch(() => undefined);
  const wakes = children.all().map(({ invocation }) => sendWake(engine, invocation.acceptance, leaseMs));
  await Promise.allSettled(wakes);
}

async function leaveToQueueOnFailure(engine: Engine, child: ActiveInvocation): Promise<DriveEnd | "failed"> {
  try {
    return await drive(engine, child);
  } catch (error) {
    engine.log.write("child.drive-failed", { invocationId: child.id, error: String(error) });
    await sendWake(engine, child.invocation.acceptance, engine.settings.leaseMs).catch(() => undefined);
    return "failed";
  }
}
