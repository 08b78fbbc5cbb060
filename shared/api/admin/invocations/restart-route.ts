/** The route that restarts a completed invocation as a new one. */
import type { InvocationId } from "../../../core/model/ids.ts";
import type { Restart } from "../../../engine/ports/submission.ts";
import type { HttpResponse } from "../../http/message.ts";
import { jsonResponse } from "../../http/message.ts";
import { HttpProblem } from "../../http/problem.ts";
import type { RestartedBody } from "../../contract/changes.ts";
import type { AdminRequest } from "../requests/admin-request.ts";
import { invocationIdParam } from "./invocation-id-param.ts";
import { notBegunInvocation, openInvocation, unfitDeployment, unknownInvocation } from "./invocation-problems.ts";
import { RestartQuery } from "../../contract/changes.ts";
import { readQuery } from "../requests/json-body.ts";

export async function restartInvocation(asked: AdminRequest): Promise<HttpResponse> {
  const id = invocationIdParam(asked);
  const { from = 0, deployment = { kind: "latest" } as const } = readQuery(asked.request, RestartQuery);
  const { engine, deps, request } = asked;
  const restart = await deps.invocations.restart(engine, id, from, deployment, request.caller);
  const body: RestartedBody = { new_invocation_id: restartedAs(id, restart) };
  return jsonResponse(200, body);
}

/** @throws HttpProblem */
export function restartedAs(id: InvocationId, restart: Restart): InvocationId {
  switch (restart) {
    case "not-begun":
      throw notBegunInvocation(id);
    case "open":
      throw openInvocation(id);
    case "unknown":
      throw unknownInvocation(id);
    case "workflow":
      throw new HttpProblem(
        422,
        `The invocation '${id}' is the run of a workflow, and a workflow runs once for each key`,
      );
    case "no-journal":
      throw new HttpProblem(410, `The journal of the invocation '${id}' is no longer stored`);
    case "input-only":
      throw new HttpProblem(
        422,
        `The invocation '${id}' can be restarted only from its input (entry 0), because none of its attempts stored an entry`,
      );
    case "old-version":
      throw new HttpProblem(
        422,
        `The journal of the invocation '${id}' can be kept only whole or not at all, because its protocol version is 5`,
      );
    case "not-whole":
      throw new HttpProblem(
        400,
        `The journal of the invocation '${id}' has no such entry, or a command before it has no completion`,
      );
    default:
      if (restart.kind === "restarted") return restart.invocationId;
      throw unfitDeployment(id, restart);
  }
}
