/** Formats the failure of an attempt for the admin API. */
import type { FailureRun } from "../../../core/invocation/repeats.ts";
import type { AttemptFailure } from "../../../core/model/attempt-failure.ts";
import type { AttemptFailureBody } from "../../contract/invocations.ts";
import { present, written } from "../requests/present.ts";
import { momentText } from "../requests/time-text.ts";

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
