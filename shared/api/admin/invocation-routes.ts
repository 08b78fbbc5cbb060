/** The routes of invocations: show one, cancel it, kill it. */
import { IdError, parseInvocationId } from "../../core/model/ids.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import type { Interruption } from "../../engine/submission.ts";
import type { HttpResponse } from "../http/message.ts";
import { emptyResponse, jsonResponse } from "../http/message.ts";
import { HttpProblem } from "../http/problem.ts";
import { pathParam } from "./admin-request.ts";
import type { AdminRequest } from "./admin-request.ts";
import { invocationBody } from "./invocation-body.ts";

export async function showInvocation(asked: AdminRequest): Promise<HttpResponse> {
  const id = invocationIdParam(asked);
  const view = await asked.surroundings.invocations.inspect(asked.engine, id);
  if (view === undefined) throw unknownInvocation(id);
  return jsonResponse(200, invocationBody(view));
}

export async function cancelInvocation(asked: AdminRequest): Promise<HttpResponse> {
  const id = invocationIdParam(asked);
  return interrupted(id, await asked.surroundings.invocations.cancel(asked.engine, id));
}

export async function killInvocation(asked: AdminRequest): Promise<HttpResponse> {
  const id = invocationIdParam(asked);
  return interrupted(id, await asked.surroundings.invocations.kill(asked.engine, id));
}

function interrupted(id: InvocationId, interruption: Interruption): HttpResponse {
  switch (interruption) {
    case "done":
      return emptyResponse(200);
    case "noted":
      return emptyResponse(202);
    case "completed":
      throw new HttpProblem(409, `The invocation '${id}' is already completed`);
    case "unknown":
      throw unknownInvocation(id);
  }
}

function unknownInvocation(id: InvocationId): HttpProblem {
  return new HttpProblem(404, `The requested invocation '${id}' does not exist`);
}

function invocationIdParam(asked: AdminRequest): InvocationId {
  const raw = pathParam(asked, "id");
  try {
    return parseInvocationId(raw);
  } catch (error) {
    if (!(error instanceof IdError)) throw error;
    throw new HttpProblem(400, `The request field 'invocation_id' is invalid: ${error.message}`);
  }
}
