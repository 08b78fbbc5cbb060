/** Reports failed attempts and journal mismatches to the log, and ended invocations to the port for activity. */
import type { AttemptOutcome } from "../../core/invocation/event.ts";
import { endOutcome } from "../../core/invocation/end-outcome.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { Step } from "../../core/invocation/transition.ts";
import { keptFailure, keptName, type Mismatch } from "../../core/model/attempt-failure.ts";
import type { Engine } from "../engine.ts";
import type { Activity } from "../ports/activity.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { sameMismatch, spokenCommand } from "../../core/invocation/mismatch.ts";
import { type FormerCode, formerCodeOf, waysOut } from "../../core/invocation/ways-out.ts";
import { targetText } from "../../core/model/target.ts";
import { SMALL_MAX_BYTES } from "../store/load.ts";
import { loadWithMoments, recorderOf } from "../store/recorder.ts";

/** The maximum lengths, in characters, of the texts in a log line that come from a deployment or a handler. */
const REASON_MAX = 1_000;
const TARGET_MAX = 200;

/** @param step the step that follows; for a retry, the step contains the moment of the retry */
export function reportFailure(
  engine: Engine,
  active: ActiveInvocation,
  { attempt, failure }: { readonly attempt: number; readonly failure: FailedAttempt },
  step: Step,
): void {
  const { errorCode, message } = keptFailure(failure);
  const { service, handler } = active.invocation.acceptance.target;
  engine.log.write("attempt.failed", {
    invocationId: active.id,
    target: cut(`${service}/${handler}`, TARGET_MAX),
    attempt,
    errorCode,
    reason: cut(message, REASON_MAX),
    ...whatFollows(step, engine.clock.nowMs()),
  });
  engine.meter.count("attempt_failures_total", { code: errorCode });
}

type FailedAttempt = Extract<AttemptOutcome, { kind: "failed" }>["failure"];

function whatFollows(step: Step, nowMs: number): { readonly next: string; readonly retryInMs?: number } {
  if (step.kind !== "park") return { next: "end" };
  if (step.status === "paused") return { next: "pause" };
  return { next: "retry", retryInMs: Math.max(0, (step.wakeAtMs ?? nowMs) - nowMs) };
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}…`;
}

/** Reports nothing for an open invocation. */
export function reportEnd(activity: Activity, { acceptance, phase, journal }: Invocation): void {
  const outcome = endOutcome({ phase, journal });
  if (outcome === undefined || phase.status !== "completed") return;
  const { id, target, createdAtMs, startAtMs = 0 } = acceptance;
  activity.ended({
    id,
    target,
    outcome,
    durationMs: Math.max(0, phase.endedAtMs - Math.max(createdAtMs, startAtMs)),
    ...(phase.result.kind === "failure" && { reason: phase.result.failure.message }),
  });
}

/**
 * Writes no further line if a retry of the same code meets the same difference as the failure before it.
 * @param before the invocation before the attempt
 * @param after the invocation after the attempt; a completed one has no ways out
 */
export async function logMismatch(
  engine: Engine,
  before: Invocation,
  after: Invocation,
  mismatch: Mismatch,
): Promise<void> {
  if (sameMismatch(before.lastFailure?.mismatch, mismatch)) return;
  const { id, target } = before.acceptance;
  const former = await formerCode(engine, before, mismatch);
  engine.log.write("journal.mismatched", {
    invocationId: id,
    target: keptName(targetText(target)),
    entry: mismatch.entry,
    recorded: spokenCommand(mismatch.recorded),
    offered: spokenCommand(mismatch.offered),
    deploymentId: mismatch.deploymentId,
    ...(former !== "unread" && former !== undefined && { recordedBy: former.deploymentId }),
    ...(after.phase.status !== "completed" && { waysOut: waysText(after, mismatch, former) }),
  });
}

function waysText(invocation: Invocation, mismatch: Mismatch, former: FormerCode | "unread" | undefined): string {
  if (former === "unread") return `describe: stepwell invocations describe ${invocation.acceptance.id}`;
  return waysOut(invocation, mismatch, former)
    .map(({ action, commands }) => `${action}: ${commands.join(" && ")}`)
    .join(" | ");
}

/**
 * Costs a read of the journal, because drivers do not know the deployments behind its entries.
 * @returns undefined if no deployment recorded the entry, or if it is unknown which one did; `unread` if the journal is large, or
 *   a read has failed
 */
async function formerCode(
  engine: Engine,
  { acceptance: { id, target } }: Invocation,
  { recorded, entry }: Mismatch,
): Promise<FormerCode | "unread" | undefined> {
  if (recorded === undefined || entry === undefined) return undefined;
  try {
    const loaded = await loadWithMoments(engine, id, SMALL_MAX_BYTES);
    const recorder = loaded && (await recorderOf(engine, loaded, entry, SMALL_MAX_BYTES));
    return formerCodeOf(await engine.registry.deployments(), target.service, recorder?.deploymentId);
  } catch {
    return "unread";
  }
}
