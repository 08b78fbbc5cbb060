/** Formats what an invocation waits for, why it is paused, and why an attempt failed. */
import type { FailureRun } from "../../../core/invocation/repeats.ts";
import type { AttemptFailure } from "../../../core/model/attempt-failure.ts";
import type { PauseView, WaitView } from "../../../engine/ports/submission.ts";
import type { AttemptFailureBody, PauseBody, WaitBody } from "../../contract/invocations.ts";
import { momentText, present, written } from "../requests/json-members.ts";

export function waitBody(wait: WaitView): WaitBody {
  const { kind, sinceMs, attempt, place, name, type, target, status } = wait;
  return {
    kind,
    since: momentText(sinceMs),
    ...present({
      until: written(wait.untilMs, momentText),
      attempt,
      failure: written(wait.failure, attemptFailureBody),
      deployment_id: wait.deploymentId,
      silent_since: written(wait.silentSinceMs, momentText),
      step: written(wait.step, stepBody),
      place,
      awakeable_id: wait.awakeableId,
      name,
      type,
      target,
      invocation_id: wait.invocationId,
      status,
      waits_for: wait.waitsFor?.map(waitBody),
    }),
  };
}

function stepBody({ name, sinceMs, others }: NonNullable<WaitView["step"]>): NonNullable<WaitBody["step"]> {
  return { name, since: momentText(sinceMs), ...(others > 0 && { others }) };
}

export function pauseBody({ reason, atMs, by, failure }: PauseView): PauseBody {
  return { reason, at: momentText(atMs), ...present({ by, failure: written(failure, attemptFailureBody) }) };
}

export function attemptFailureBody(failure: AttemptFailure & Partial<Pick<FailureRun, "last">>): AttemptFailureBody {
  return {
    error_code: failure.errorCode,
    code: failure.code,
    message: failure.message,
    ...present({ stacktrace: failure.stacktrace }),
    at: momentText(failure.atMs),
    ...present({
      started_at: written(failure.startedAtMs, momentText),
      attempt: failure.attempt,
      times: failure.times,
      last: written(failure.last, ({ attempt, startedAtMs, atMs }) => ({
        attempt,
        started_at: momentText(startedAtMs),
        at: momentText(atMs),
      })),
      deployment_id: failure.deploymentId,
      related_command: failure.relatedCommand,
      mismatch: written(failure.mismatch, ({ deploymentId, ...both }) => ({ ...both, deployment_id: deploymentId })),
    }),
  };
}
