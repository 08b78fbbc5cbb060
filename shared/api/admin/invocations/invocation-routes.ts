/** The routes that show, cancel and kill an invocation, and the older route that terminates it. */
import type { InvocationId } from "../../../core/model/ids.ts";
import type { Interruption } from "../../../engine/ports/submission.ts";
import type { HttpResponse } from "../../http/message.ts";
import { emptyResponse, jsonResponse } from "../../http/message.ts";
import type { AdminRequest } from "../requests/admin-request.ts";
import { invocationBody } from "./invocation-body.ts";
import { invocationIdParam } from "./invocation-id-param.ts";
import { completedInvocation, unknownInvocation } from "./invocation-problems.ts";
import { TerminateQuery } from "../../contract/changes.ts";
import { ShowInvocationQuery } from "../../contract/invocations.ts";
import { readQuery } from "../requests/json-body.ts";
import { present } from "../requests/present.ts";

export async function showInvocation(asked: AdminRequest): Promise<HttpResponse> {
  const id = invocationIdParam(asked);
  const { values: withValues, from, limit } = readQuery(asked.request, ShowInvocationQuery);
  const choice = { withValues, ...present({ from, limit }) };
  const view = await asked.deps.invocations.inspect(asked.engine, id, choice);
  if (view === undefined) throw unknownInvocation(id);
  return jsonResponse(200, invocationBody(view, limit));
}

export async function cancelInvocation(asked: AdminRequest): Promise<HttpResponse> {
  const id = invocationIdParam(asked);
  return interrupted(id, await asked.deps.invocations.cancel(asked.engine, id, asked.request.caller));
}

export async function killInvocation(asked: AdminRequest): Promise<HttpResponse> {
  const id = invocationIdParam(asked);
  return interrupted(id, await asked.deps.invocations.kill(asked.engine, id, asked.request.caller));
}

/** Answers 202 even if the id is unknown or the operation is refused. The separate routes supersede this one. */
export async function terminateInvocation(asked: AdminRequest): Promise<HttpResponse> {
  const id = invocationIdParam(asked);
  const { mode } = readQuery(asked.request, TerminateQuery);
  const { invocations } = asked.deps;
  if (mode === "purge") await invocations.purge(asked.engine, id);
  else await invocations[mode](asked.engine, id, asked.request.caller);
  return emptyResponse(202);
}

function interrupted(id: InvocationId, interruption: Interruption): HttpResponse {
  return emptyResponse(interruptedStatus(id, interruption));
}

/** @throws HttpProblem */
export function interruptedStatus(id: InvocationId, interruption: Interruption): 200 | 202 {
  switch (interruption) {
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
