/** Reports failed attempts to the log, and ended invocations to the port for activity. */
import type { AttemptOutcome } from "../../core/invocation/event.ts";
import { endOutcome } from "../../core/invocation/end-outcome.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { Step } from "../../core/invocation/transition.ts";
import { keptFailure } from "../../core/model/attempt-failure.ts";
import type { Engine } from "../engine.ts";
import type { Activity } from "../ports/activity.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";

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
