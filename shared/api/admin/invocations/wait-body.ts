/** Formats what an invocation waits for, and why it is paused, for `GET /invocations/{id}`. */
import type { PauseView, WaitView } from "../../../engine/ports/submission.ts";
import type { PauseBody, WaitBody } from "../../contract/invocations.ts";
import { attemptFailureBody } from "./attempt-failure-body.ts";
import { present, written } from "../requests/present.ts";
import { momentText } from "../requests/time-text.ts";

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
