/** The drive loop: look, attempt, commit, perform, and round again, until the invocation ends or must be parked. */
import { needsLock } from "../../core/invocation/acceptance.ts";
import { advance } from "../../core/invocation/advance.ts";
import type { AttemptEnded } from "../../core/invocation/event.ts";
import { keptFailure } from "../../core/model/attempt-failure.ts";
import type { Segment } from "../../core/invocation/segment.ts";
import type { Step, Transition } from "../../core/invocation/transition.ts";
import { acquire } from "../lock/acquire.ts";
import { attempt } from "../attempt/attempt.ts";
import { leaveSlot } from "../effects/child-in-turn.ts";
import { noteOutcome, placeOfNext, waitsUntilMs } from "../attempt/circuit.ts";
import { commit } from "./commit.ts";
import type { Engine } from "../engine.ts";
import { outgrows } from "./journal-room.ts";
import { keepArrivals } from "../lease/extend.ts";
import { noteFailure } from "./failure-events.ts";
import { leaveOpenIndex } from "../lease/grasp.ts";
import type { Held } from "../local/held.ts";
import { park, readMeanwhile } from "./park.ts";
import { perform } from "../effects/perform.ts";
import { beginAttempt, tellAttempt } from "../traces.ts";
import { unlistTombstone } from "../lease/unlist.ts";
import { sendWake } from "../messaging/wake.ts";
import { watch } from "../lease/watch.ts";

/** `lost`: another driver has it, and nothing this one did since its last segment counts. */
export type DriveEnd = "ended" | "parked" | "lost";

type Turn = DriveEnd | "again";

/** @param redo the last segment, where it was read back: its effects may not have been performed (I2) */
export async function drive(
  engine: Engine,
  held: Held,
  redo?: { before: Held["invocation"]; segment: Segment },
): Promise<DriveEnd> {
  engine.drives.add(held);
  void watch(engine);
  try {
    if (redo !== undefined) await performAlong(engine, held, redo.before, redo.segment, true);
    for (;;) {
      const turn = await takeTurn(engine, held);
      if (turn === "again") continue;
      await leaveChildren(engine, held);
      // Who took the lock late may hold it for what has ended meanwhile: whoever looks gives it back (I6).
      if (turn === "lost" && held.lock !== undefined && !held.messageDriven)
        await sendWake(engine, held.invocation.acceptance, 0);
      return turn;
    }
  } finally {
    held.open = false;
    engine.drives.remove(held);
  }
}

async function takeTurn(engine: Engine, held: Held): Promise<Turn> {
  if (held.lost) return "lost";
  await readMeanwhile(engine, held);
  const before = held.invocation;
  const arrivals = [...held.arrivals.values()];
  const holdsLock = held.lock !== undefined;
  const transition = advance(before, { kind: "look", atMs: engine.clock.nowMs(), arrivals, holdsLock });
  const { step } = transition;
  if (step.kind !== "attempt") return await follow(engine, held, transition);
  if (held.stopping || outgrows(held)) return await park(engine, held, { kind: "park", status: "ready" });
  const waiting = held.mayProbe === true ? undefined : waitsUntilMs(engine, placeOfNext(engine, before));
  delete held.mayProbe;
  const wakeAtMs = waiting && (await waiting);
  if (wakeAtMs !== undefined) return await park(engine, held, { kind: "park", status: "backing-off", wakeAtMs }, true);
  held.invocation = transition.next;
  if (engine.tracer !== undefined) beginAttempt(engine, held);
  try {
    return await makeAttempt(engine, held, step);
  } finally {
    leaveReplyRoom(held);
    const resting = engine.drives.suspects?.atRest(held.id);
    if (resting !== undefined) await resting;
  }
}

async function makeAttempt(engine: Engine, held: Held, step: Extract<Step, { kind: "attempt" }>): Promise<Turn> {
  const ended = await attempt(engine, held, step);
  const noting = noteOutcome(engine, held, ended);
  if (noting !== undefined) await noting.catch((error: unknown) => warnOfCircuit(engine, held, error));
  if (held.span !== undefined) tellAttempt(engine, held, ended);
  if (ended.ending.kind === "cut") await learnSlow(engine, held, ended);
  if (held.lost) return "lost";
  const decided = decide(engine, held, ended);
  const turn = await follow(engine, held, decided);
  if (turn !== "lost" && isPause(decided)) engine.meter.count("invocations_paused_total");
  return turn;
}

/** The reply is stored, or dropped. */
function leaveReplyRoom(held: Held): void {
  held.replyRoom?.close();
  delete held.replyRoom;
}

/** The circuit only saves attempts: if its change fails, the invocation goes on. */
function warnOfCircuit(engine: Engine, held: Held, error: unknown): void {
  engine.log.warn("a circuit could not be changed", { invocationId: held.id, error: String(error) });
}

/** What an attempt decides is of our own accord: the pause that an operator orders is decided by a look. */
function isPause({ step }: Transition): boolean {
  return step.kind === "park" && step.status === "paused";
}

/**
 * An attempt that was cut for time would be cut again by every driver with as little of it
 * (docs/design.md#a-driver-stops-in-time).
 */
async function learnSlow(engine: Engine, held: Held, { attempt: span }: AttemptEnded): Promise<void> {
  const { slowFromMs } = engine.settings;
  if (held.lost || slowFromMs === undefined || engine.drives.stopReason !== "time") return;
  if (span.endedAtMs - span.startedAtMs < slowFromMs) return;
  const { service, handler } = held.invocation.acceptance.target;
  engine.log.info("a handler is slow", { service, handler, attemptMs: span.endedAtMs - span.startedAtMs });
  await engine.registry.noteSlow(service, handler);
}

function decide(engine: Engine, held: Held, ended: AttemptEnded): Transition {
  if (ended.ending.kind === "failed") {
    const { errorCode, message } = keptFailure(ended.ending.failure);
    const attemptNumber = ended.attempt.number;
    engine.log.info("an attempt failed", { invocationId: held.id, attempt: attemptNumber, errorCode, reason: message });
    engine.meter.count("attempt_failures_total", { code: errorCode });
  }
  return advance(held.invocation, held.lock === undefined ? ended : { ...ended, grant: held.lock.grant });
}

/** I6: whoever runs one at a time holds the lock of its key before its first attempt, or waits in the queue. */
async function takeLock(engine: Engine, held: Held): Promise<Turn> {
  const acquired = await acquire(engine, held);
  if (acquired === "waits") {
    // Without the lock nothing of it has ever run, whatever a driver before this one has claimed: a cancel ends it (I4).
    held.invocation = { ...held.invocation, standing: { status: "pending" } };
    return await park(engine, held, { kind: "park", status: "pending" });
  }
  return acquired === "held" ? "again" : "lost";
}

/** I2: the segment first, its effects after it, and only then whatever comes next. */
async function follow(engine: Engine, held: Held, transition: Transition): Promise<Turn> {
  const { segment, failure, next, step } = transition;
  if (segment !== undefined) {
    const before = held.invocation;
    if (!(await commit(engine, held, { ...transition, segment }))) return "lost";
    // The end of a keyed handler is told when its state is written, which is one of the effects.
    const ringsLate = needsLock(before.acceptance);
    if (step.kind === "end" && !ringsLate) engine.drives.ring(held.id);
    await performAlong(engine, held, before, segment);
    if (step.kind === "end" && ringsLate) engine.drives.ring(held.id);
  } else {
    held.invocation = next;
    if (failure !== undefined) await noteFailure(engine, held, failure);
  }
  leaveReplyRoom(held);
  switch (step.kind) {
    case "end":
      await keepArrivals(engine, held);
      await unlistTombstone(engine, held.invocation);
      await leaveOpenIndex(engine, held, { mayBeNoted: true });
      return "ended";
    case "park":
      return await park(engine, held, step);
    case "ignore":
      return await park(engine, held, { kind: "park", status: "ready" });
    case "acquire":
      return await takeLock(engine, held);
    case "attempt":
    case "look":
      return "again";
  }
}

async function performAlong(
  engine: Engine,
  held: Held,
  before: Held["invocation"],
  segment: Segment,
  isRedo = false,
): Promise<void> {
  for (const child of await perform(engine, held, before, segment, isRedo)) driveAlong(engine, held, child);
}

/** The driver of the caller drives the child too; what fails to drive it leaves it to the queue. */
function driveAlong(engine: Engine, held: Held, child: Held): void {
  const completionId = child.caller!.completionId;
  held.children.set(completionId, child);
  void leaveToQueueOnFailure(engine, child).then((end) => {
    leaveSlot(engine, child);
    held.children.delete(completionId);
    if (end === "parked") held.parkedChildren.add(completionId);
    held.ring?.();
  });
}

/** What is still driven along when its caller's driver leaves has no message of its own: it gets one, due when its lease is over. */
async function leaveChildren(engine: Engine, { children }: Held): Promise<void> {
  const { leaseMs } = engine.settings;
  const wakes = [...children.values()].map(({ invocation }) => sendWake(engine, invocation.acceptance, leaseMs));
  await Promise.allSettled(wakes);
}

async function leaveToQueueOnFailure(engine: Engine, child: Held): Promise<DriveEnd | "failed"> {
  try {
    return await drive(engine, child);
  } catch (error) {
    engine.log.error("a called invocation could not be driven", { invocationId: child.id, error: String(error) });
    await sendWake(engine, child.invocation.acceptance, engine.settings.leaseMs).catch(() => undefined);
    return "failed";
  }
}
