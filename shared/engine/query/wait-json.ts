/** Converts the waits of an invocation to the JSON of an SQL cell, with the member names of `GET /invocations/{id}`. */
import { momentIso } from "../../core/model/moment.ts";
import type { WaitView } from "../ports/submission.ts";

/** @returns a list; the failures are without their stack traces */
export function waitsJson(waits: readonly WaitView[]): string {
  return JSON.stringify(waits.map(waitJson));
}

/** Members that are undefined are absent from the JSON. */
function waitJson({ failure, ...wait }: WaitView): unknown {
  return {
    kind: wait.kind,
    since: momentIso(wait.sinceMs),
    until: momentOf(wait.untilMs),
    attempt: wait.attempt,
    failure: failure && {
      error_code: failure.errorCode,
      code: failure.code,
      message: failure.message,
      at: momentIso(failure.atMs),
    },
    deployment_id: wait.deploymentId,
    silent_since: momentOf(wait.silentSinceMs),
    step: wait.step && {
      name: wait.step.name,
      since: momentIso(wait.step.sinceMs),
      others: wait.step.others === 0 ? undefined : wait.step.others,
    },
    place: wait.place,
    awakeable_id: wait.awakeableId,
    name: wait.name,
    type: wait.type,
    target: wait.target,
    invocation_id: wait.invocationId,
  };
}

function momentOf(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : momentIso(atMs);
}
