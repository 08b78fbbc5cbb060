/** The routes that pause and resume an invocation. */
import type { InvocationId } from "../../../core/model/ids.ts";
import type { Pausing, Resumption } from "../../../engine/ports/submission.ts";
import type { HttpResponse } from "../../http/message.ts";
import { emptyResponse } from "../../http/message.ts";
import type { AdminRequest } from "../requests/admin-request.ts";
import { invocationIdParam } from "./invocation-id-param.ts";
import {
  completedInvocation,
  notBegunInvocation,
  unfitDeployment,
  unknownInvocation,
  unmovableInvocation,
} from "./invocation-problems.ts";
import { ResumeQuery } from "../../contract/changes.ts";
import { readQuery } from "../requests/json-body.ts";

export async function pauseInvocation(asked: AdminRequest): Promise<HttpResponse> {
  const id = invocationIdParam(asked);
  const { engine, deps, request } = asked;
  return emptyResponse(pausedStatus(id, await deps.invocations.pause(engine, id, request.caller)));
}

export async function resumeInvocation(asked: AdminRequest): Promise<HttpResponse> {
  const id = invocationIdParam(asked);
  const { deployment = { kind: "keep" } as const } = readQuery(asked.request, ResumeQuery);
  const { engine, deps, request } = asked;
  refuseUnlessResumed(id, await deps.invocations.resume(engine, id, deployment, request.caller));
  return emptyResponse(200);
}

/** @throws HttpProblem */
export function pausedStatus(id: InvocationId, pausing: Pausing): 200 | 202 {
  switch (pausing) {
    case "done":
      return 200;
    case "noted":
      return 202;
    case "completed":
      throw completedInvocation(id);
    case "unknown":
      throw unknownInvocation(id);
  }
}

/** @throws HttpProblem */
export function refuseUnlessResumed(id: InvocationId, resumption: Resumption): void {
  switch (resumption) {
    case "done":
      return;
    case "not-begun":
      throw notBegunInvocation(id);
    case "not-movable":
      throw unmovableInvocation(id);
    case "completed":
      throw completedInvocation(id);
    case "unknown":
      throw unknownInvocation(id);
    default:
      throw unfitDeployment(id, resumption);
  }
}
