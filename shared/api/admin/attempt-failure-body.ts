/** Formats the failure of an attempt for the admin API. */
import type { AttemptFailure } from "../../core/model/attempt-failure.ts";
import type { AttemptFailureBody } from "../wire/invocation.ts";
import { present, written } from "./present.ts";
import { momentText } from "./time-text.ts";

export function attemptFailureBody(failure: AttemptFailure): AttemptFailureBody {
  return {
    error_code: failure.errorCode,
    code: failure.code,
    message: failure.message,
    ...present({ stacktrace: failure.stacktrace }),
    at: momentText(failure.atMs),
    ...present({
      started_at: written(failure.startedAtMs, momentText),
      deployment_id: failure.deploymentId,
      related_command: failure.relatedCommand,
      mismatch: written(failure.mismatch, ({ deploymentId, ...both }) => ({ ...both, deployment_id: deploymentId })),
    }),
  };
}
