/** The routes of one invocation: show, cancel, kill, pause, resume, purge, restart; and the refusals of each. */
import { IdError, parseInvocationId, type InvocationId } from "../../../core/model/ids.ts";
import type {
  Interruption,
  Pausing,
  Purging,
  Restart,
  Resumption,
  UnfitDeployment,
} from "../../../engine/ports/submission.ts";
import { RestartedBody, RestartQuery, ResumeQuery, TerminateQuery } from "../../contract/changes.ts";
import { InvocationBody, ShowInvocationQuery } from "../../contract/invocations.ts";
import { emptyResponse, jsonResponse, type HttpResponse } from "../../http/message.ts";
import { HttpProblem } from "../../http/problem.ts";
import { type AdminRequest, route, pathParam } from "../requests/admin-request.ts";
import { readQuery } from "../requests/json-body.ts";
import { present } from "../requests/json-members.ts";
import { invocationBody } from "./invocation-body.ts";

export const INVOCATION_ROUTES = [
  route("GET", "/invocations/:id", showInvocation, {
    summary: "Show an invocation with its journal",
    query: ShowInvocationQuery,
    answers: { 200: InvocationBody },
  }),
  route("DELETE", "/invocations/:id", terminateInvocation, {
    summary: "Cancel, kill or purge an invocation; the answer is the same whatever the outcome",
    query: TerminateQuery,
    answers: { 202: null },
  }),
  route("PATCH", "/invocations/:id/cancel", cancelInvocation, {
    summary: "Cancel an invocation",
    answers: { 200: null, 202: null },
  }),
  route("PATCH", "/invocations/:id/kill", killInvocation, { summary: "Kill an invocation", answers: { 200: null } }),
  route("PATCH", "/invocations/:id/pause", pauseInvocation, {
    summary: "Pause an invocation (202: it pauses later, when its attempt is over or a driver has read the order)",
    answers: { 200: null, 202: null },
  }),
  route("PATCH", "/invocations/:id/resume", resumeInvocation, {
    summary: "Attempt an invocation now, on another deployment if asked to",
    query: ResumeQuery,
    answers: { 200: null },
  }),
  route("PATCH", "/invocations/:id/purge", purgeInvocation, {
    summary: "Delete a completed invocation",
    answers: { 200: null },
  }),
  route("PATCH", "/invocations/:id/purge-journal", purgeJournalOfInvocation, {
    summary: "Delete the journal of a completed invocation",
    answers: { 200: null },
  }),
  route("PATCH", "/invocations/:id/restart-as-new", restartInvocation, {
    summary: "Start a completed invocation again under another id",
    query: RestartQuery,
    answers: { 200: RestartedBody },
  }),
];

async function showInvocation(asked: AdminRequest): Promise<HttpResponse> {
  const id = invocationIdParam(asked);
  const { values: withValues, from, limit } = readQuery(asked.request, ShowInvocationQuery);
  const choice = { withValues, ...present({ from, limit }) };
  const view = await asked.deps.invocations.inspect(asked.engine, id, choice);
  if (view === undefined) throw unknownInvocation(id);
  return jsonResponse(200, invocationBody(view, limit));
}

async function cancelInvocation(asked: AdminRequest): Promise<HttpResponse> {
  const id = invocationIdParam(asked);
  return interrupted(id, await asked.deps.invocations.cancel(asked.engine, id, asked.request.caller));
}

async function killInvocation(asked: AdminRequest): Promise<HttpResponse> {
  const id = invocationIdParam(asked);
  return interrupted(id, await asked.deps.invocations.kill(asked.engine, id, asked.request.caller));
}

/** Answers 202 even if the id is unknown or the operation is refused. The separate routes supersede this one. */
async function terminateInvocation(asked: AdminRequest): Promise<HttpResponse> {
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

async function pauseInvocation(asked: AdminRequest): Promise<HttpResponse> {
  const id = invocationIdParam(asked);
  const { engine, deps, request } = asked;
  return emptyResponse(pausedStatus(id, await deps.invocations.pause(engine, id, request.caller)));
}

async function resumeInvocation(asked: AdminRequest): Promise<HttpResponse> {
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

async function purgeInvocation(asked: AdminRequest): Promise<HttpResponse> {
  const id = invocationIdParam(asked);
  refuseUnlessPurged(id, await asked.deps.invocations.purge(asked.engine, id));
  return emptyResponse(200);
}

async function purgeJournalOfInvocation(asked: AdminRequest): Promise<HttpResponse> {
  const id = invocationIdParam(asked);
  refuseUnlessPurged(id, await asked.deps.invocations.purgeJournal(asked.engine, id));
  return emptyResponse(200);
}

/** @throws HttpProblem */
export function refuseUnlessPurged(id: InvocationId, purging: Purging): void {
  switch (purging) {
    case "done":
      return;
    case "open":
      throw openInvocation(id);
    case "unknown":
      throw unknownInvocation(id);
  }
}

async function restartInvocation(asked: AdminRequest): Promise<HttpResponse> {
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

/** @throws HttpProblem 400 if the text in the path is not an invocation id */
function invocationIdParam(asked: AdminRequest): InvocationId {
  const raw = pathParam(asked, "id");
  try {
    return parseInvocationId(raw);
  } catch (error) {
    if (!(error instanceof IdError)) throw error;
    throw new HttpProblem(400, `The request field 'invocation_id' is invalid: ${error.message}`);
  }
}

function unknownInvocation(id: InvocationId): HttpProblem {
  return new HttpProblem(404, `The requested invocation '${id}' does not exist`);
}

function completedInvocation(id: InvocationId): HttpProblem {
  return new HttpProblem(409, `The invocation '${id}' is already completed`);
}

function openInvocation(id: InvocationId): HttpProblem {
  return new HttpProblem(409, `The invocation '${id}' is not completed yet`);
}

function notBegunInvocation(id: InvocationId): HttpProblem {
  return new HttpProblem(425, `The invocation '${id}' has not begun: it is scheduled, or waits for its object key`);
}

function unmovableInvocation(id: InvocationId): HttpProblem {
  return new HttpProblem(
    409,
    `An attempt of the invocation '${id}' is under way or about to begin, and goes on at its deployment. Pause the invocation first, and then resume it at the other deployment`,
  );
}

function unfitDeployment(id: InvocationId, unfit: UnfitDeployment): HttpProblem {
  if (unfit.kind === "unknown-deployment") return new HttpProblem(400, `There is no deployment for '${unfit.asked}'`);
  const spoken = `the deployment '${unfit.deploymentId}' speaks ${unfit.min} to ${unfit.max}`;
  if (unfit.kind === "no-version") {
    return new HttpProblem(400, `The server speaks none of the protocol versions of the chosen deployment: ${spoken}`);
  }
  const { version } = unfit;
  return new HttpProblem(400, `The journal of the invocation '${id}' has protocol version ${version}, but ${spoken}`);
}
