/** The refusals of operations on invocations, as statuses and messages. */
import type { InvocationId } from "../../../core/model/ids.ts";
import type { UnfitDeployment } from "../../../engine/ports/submission.ts";
import { HttpProblem } from "../../http/problem.ts";

export function unknownInvocation(id: InvocationId): HttpProblem {
  return new HttpProblem(404, `The requested invocation '${id}' does not exist`);
}

export function completedInvocation(id: InvocationId): HttpProblem {
  return new HttpProblem(409, `The invocation '${id}' is already completed`);
}

export function openInvocation(id: InvocationId): HttpProblem {
  return new HttpProblem(409, `The invocation '${id}' is not completed yet`);
}

export function notBegunInvocation(id: InvocationId): HttpProblem {
  return new HttpProblem(425, `The invocation '${id}' has not begun: it is scheduled, or waits for its object key`);
}

export function unmovableInvocation(id: InvocationId): HttpProblem {
  return new HttpProblem(
    409,
    `An attempt of the invocation '${id}' is under way or about to begin, and goes on at its deployment. Pause the invocation first, and then resume it at the other deployment`,
  );
}

export function unfitDeployment(id: InvocationId, unfit: UnfitDeployment): HttpProblem {
  if (unfit.kind === "unknown-deployment") return new HttpProblem(400, `There is no deployment for '${unfit.asked}'`);
  const spoken = `the deployment '${unfit.deploymentId}' speaks ${unfit.min} to ${unfit.max}`;
  if (unfit.kind === "no-version") {
    return new HttpProblem(400, `The server speaks none of the protocol versions of the chosen deployment: ${spoken}`);
  }
  const { version } = unfit;
  return new HttpProblem(400, `The journal of the invocation '${id}' has protocol version ${version}, but ${spoken}`);
}
